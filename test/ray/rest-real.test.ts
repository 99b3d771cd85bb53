/**
 * Faults on a real head: ten concurrent submits, a huge log and a huge line, a hostile log, an unreachable
 * head and a restarted one. Takes about a minute.
 */

import { hash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, isTerminal, type JobSpec } from '../../src/domain/engine.ts';
import { limits } from '../../src/domain/limits.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';
import { type RayHead, startRayHead } from '../support/ray-head.ts';
import { describeWithRay } from '../support/ray-tools.ts';

const MB = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

describeWithRay('a real Ray head', () => {
  let head: RayHead;
  let engine: Engine;
  let directory: string;
  beforeAll(async () => {
    head = await startRayHead();
    engine = createRestEngine({ address: head.address, token: head.token });
    directory = await mkdtemp(join(tmpdir(), 'ferrybot-real-'));
  });
  afterAll(async () => {
    await head.close();
    await rm(directory, { recursive: true });
  });

  const specOf = (submissionId: string, command: readonly string[], env: JobSpec['env'] = {}): JobSpec => ({
    submissionId,
    command,
    env,
    workingDirectory: directory,
    metadata: { run: submissionId, attempt: 1, manifest: 'sha256:aa' },
  });
  const python = (source: string): readonly string[] => ['python', '-c', source];
  const until = async (jobId: string, accept: (status: string) => boolean): Promise<void> => {
    for (let look = 0; look < 1_000; look += 1) {
      const seen = await engine.observe(jobId, null);
      if (seen.kind === 'found' && accept(seen.status)) return;
      await sleep(100);
    }
    throw new Error(`${jobId} never got there`);
  };
  /** The log from `offset`; retried if a head under load gave no answer, as the watch does. */
  const chunkOf = async (jobId: string, offset: number, reader = engine) => {
    for (let look = 0; look < 20; look += 1) {
      const read = await readText(reader, jobId, offset);
      if (read.kind === 'chunk') return read;
      if (read.kind !== 'unknown') throw new Error(`the log is ${read.kind}`);
      await sleep(500);
    }
    throw new Error('the log stays unknown');
  };
  /**
   * The job's log from the start, once `accept` accepts it. A head under load may not answer single
   * requests.
   */
  const logOnce = async (jobId: string, accept: (text: string) => boolean): Promise<string> => {
    let last = '';
    for (let read = 0; read < 100; read += 1) {
      const seen = await readText(engine, jobId, 0);
      last = seen.kind === 'chunk' ? seen.text : JSON.stringify(seen);
      if (seen.kind === 'chunk' && accept(seen.text)) return seen.text;
      await sleep(100);
    }
    throw new Error(`the log of ${jobId} stays ${last}`);
  };
  const hasEnded = (status: string): boolean => isTerminal(status as Parameters<typeof isTerminal>[0]);
  /** The log as Ray stores it, read without the API. */
  const logFile = (jobId: string): Promise<Buffer> =>
    readFile(join(head.sessionFolder(), 'logs', `job-driver-${jobId}.log`));

  it('runs a job once that ten clients submit at the same time', async () => {
    const ran = join(head.folder, 'ran');
    const spec = specOf('ten', ['sh', '-c', 'echo ran >> "$1"', 'sh', ran]);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => submitTo(engine, spec)));
    const kinds = outcomes.map(({ kind }) => kind).toSorted();
    expect(kinds.filter((kind) => kind === 'submitted').length).toBeLessThanOrEqual(1);
    expect(kinds.filter((kind) => kind !== 'adopted' && kind !== 'submitted')).toEqual([]);
    await until('ten', hasEnded);
    expect(await readFile(ran, 'utf8')).toBe('ran\n');
  });

  it('gives the job its files with their modes, and its environment', async () => {
    await mkdir(join(directory, 'deep/er'), { recursive: true });
    await writeFile(join(directory, 'deep/er/käse.txt'), 'cheese');
    // One write, because the head writes to the same file.
    await writeFile(join(directory, 'run.sh'), '#!/bin/sh\nprintf "%s %s\\n" "$(cat deep/er/*.txt)" "$GREETING"\n');
    await chmod(join(directory, 'run.sh'), 0o755);
    const outcome = await submitTo(engine, specOf('files', ['./run.sh'], { GREETING: "it's 5$; `x` $ %" }));
    expect(outcome).toMatchObject({ kind: expect.stringMatching(/^(submitted|adopted)$/) });
    await until('files', hasEnded);
    expect(await engine.observe('files', null)).toMatchObject({ status: 'SUCCEEDED' });
    await logOnce('files', (text) => text.includes("cheese it's 5$; `x` $ %\n"));
  });

  it('returns 200 MB of log once, with the memory of a chunk, while the job prints and after it ended', async () => {
    const source = `line = "x" * 1990
for i in range(105_000):
    print(f"{i:08d} {line}")`;
    await submitTo(engine, specOf('large', python(source)));
    const seen = { bytes: 0, peak: 0, parts: [] as string[] };
    let digest = hash('sha256', '', 'hex');
    const before = process.memoryUsage();
    for (let offset = 0, isOver = false; ; ) {
      const read = await chunkOf('large', offset);
      expect(Buffer.byteLength(read.text)).toBeLessThanOrEqual(limits.logChunkBytesMax);
      digest = hash('sha256', digest + read.text, 'hex');
      seen.parts.push(`${read.offset}`);
      offset = read.nextOffset;
      seen.bytes = offset;
      if (seen.parts.length % 50 === 0) {
        // Collect garbage first, so that only held memory counts.
        collect();
        seen.peak = Math.max(seen.peak, process.memoryUsage().arrayBuffers - before.arrayBuffers);
      }
      if (!read.atEnd) continue;
      if (isOver) break;
      const job = await engine.observe('large', null);
      isOver = job.kind === 'found' && isTerminal(job.status);
    }
    const file = await logFile('large');
    expect(seen.bytes).toBe(file.length);
    expect(seen.bytes).toBeGreaterThan(200 * MB);
    // The same pieces of the file give the same digest: nothing is repeated, missing or changed.
    let expected = hash('sha256', '', 'hex');
    for (const [index, from] of seen.parts.entries()) {
      const piece = file.subarray(Number(from), Number(seen.parts[index + 1] ?? file.length));
      expected = hash('sha256', expected + piece.toString('utf8'), 'hex');
    }
    expect(digest).toBe(expected);
    expect(seen.peak).toBeLessThan(64 * MB);
  });

  it('returns a line of 5 MB, escapes, workflow commands and broken characters unchanged', async () => {
    const source = `print("::set-output name=x::y"); print("\\x1b[31mred\\x1b[0m"); print("🚀" * 10)
print("y" * 5_000_000)
print("::add-mask::secret"); print("done")`;
    await submitTo(engine, specOf('hostile', python(source)));
    await until('hostile', hasEnded);
    const other = createRestEngine({ address: head.address, token: head.token });
    let text = '';
    for (let offset = 0; ; ) {
      const read = await chunkOf('hostile', offset, other);
      text += read.text;
      offset = read.nextOffset;
      if (read.atEnd && text.endsWith('done\n')) break;
    }
    expect(text === (await logFile('hostile')).toString('utf8')).toBe(true);
    expect(text).toContain('\u001b[31mred\u001b[0m\n🚀');
  });

  it('returns the log of a job that writes invalid UTF-8 at unchanged offsets', async () => {
    // This way, Ray's own second line precedes the job's lines.
    const source = `import sys, time
time.sleep(1)
out = sys.stdout.buffer
out.write(b"step 1\\rstep 2\\r\\nfirst\\n"); out.flush(); time.sleep(4)
out.write(b"caf\\xe9 \\xff\\xf0\\x9f\\nValueError: over\\n")`;
    await submitTo(engine, specOf('latin', python(source)));
    await until('latin', (status) => status === 'RUNNING');
    const before = await logOnce('latin', (text) => /Running entrypoint[\s\S]*first\n$/.test(text));
    await until('latin', hasEnded);
    const offset = Buffer.byteLength(before);
    const another = createRestEngine({ address: head.address, token: head.token });
    const rest = await readText(another, 'latin', offset);
    expect(rest).toMatchObject({ kind: 'chunk', text: 'caf? ???\nValueError: over\n', atEnd: true });
    expect(await readText(engine, 'latin', 0)).toMatchObject({ text: `${before}caf? ???\nValueError: over\n` });
  });

  it('reports why a job failed without the secrets that the job printed, in any encoding', async () => {
    const source = `import os, base64, urllib.parse
s = os.environ["WANDB_API_KEY"]
print(s, repr(s), base64.b64encode(s.encode()).decode(), urllib.parse.quote(s)); print("::add-mask::x\\x1b[31m")
raise SystemExit(3)`;
    const secret = "it's a secret/of 40 characters + more 12";
    await submitTo(engine, specOf('telltale', python(source), { WANDB_API_KEY: secret }));
    await until('telltale', hasEnded);
    const [listed] = (await engine.observeMany?.([{ jobId: 'telltale', lastSession: null }])) ?? [];
    for (const seen of [await engine.observe('telltale', null), listed]) {
      expect(seen).toMatchObject({ status: 'FAILED', exitCode: 3, message: expect.stringContaining('*** ') });
      const told = JSON.stringify(seen);
      for (const form of ['a secret/of', 'a%20secret', Buffer.from(secret).toString('base64').slice(0, 20)])
        expect(told).not.toContain(form);
    }
  });

  it('reports unknown for a wrong token, and concludes nothing', async () => {
    const stranger = createRestEngine({ address: head.address, token: 'no-token-of-this-head' });
    expect(await stranger.observe('ten', null)).toEqual({
      kind: 'unknown',
      message: 'the dashboard refuses this token',
    });
    expect((await readText(stranger, 'ten', 0)).kind).toBe('unknown');
    expect(await submitTo(stranger, specOf('stranger', ['true']))).toMatchObject({ code: 'unauthorized' });
    expect(await engine.observe('stranger', null)).toMatchObject({ kind: 'absent' });
  });

  it('reports unknown while it is down, and state-lost after a restart, never failed or absent', async () => {
    const outcome = await submitTo(
      engine,
      specOf('endless', python('import time; print("up", flush=True); time.sleep(1e6)')),
    );
    const session = outcome.kind === 'submitted' ? outcome.job.session : null;
    await until('endless', (status) => status === 'RUNNING');
    const first = await readText(engine, 'endless', 0);
    await head.stop();
    expect((await engine.observe('endless', session)).kind).toBe('unknown');
    expect((await readText(engine, 'endless', first.kind === 'chunk' ? first.nextOffset : 0)).kind).toBe('unknown');
    expect((await stopIn(engine, 'endless')).kind).toBe('unknown');
    await head.start();
    expect(await engine.observe('endless', session)).toMatchObject({
      kind: 'state-lost',
      message: expect.stringContaining('restarted'),
    });
    expect(await readText(engine, 'endless', 10)).toEqual({ kind: 'absent' });
    expect(await stopIn(engine, 'endless')).toEqual({ kind: 'absent' });
  });
});
