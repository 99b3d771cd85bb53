/** An engine whose tunnel dies in the middle of a log: the next call opens it again, one for all calls, and each byte is handed on once. */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePorts } from '../../demo/ray/free-ports.ts';
import type { Engine } from '../../src/domain/engine.ts';
import { createRayEngine } from '../../src/engines/ray/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { createTunnel, type Tunnel } from '../../src/engines/ray/tunnel.ts';
import { submitTo } from '../support/capabilities.ts';
import { FORWARDER } from '../support/forwarder.ts';
import { readText } from '../support/log-text.ts';
import { createRecordedRay } from '../support/recorded-ray.ts';
import { type ServedRay, serveRecordedRay } from '../support/serve-recorded-ray.ts';

const LOG = Array.from({ length: 40_000 }, (_, line) => `line ${line} 🚀 of a log that is long\n`).join('');

let folder: string;
let served: ServedRay;
let tunnel: Tunnel;
let engine: Engine;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-tunnel-'));
  const ray = createRecordedRay({
    now: () => 0,
    plan: () => ({ pendingMs: 0, endAfterMs: 0, exitCode: 0, log: LOG }),
  });
  served = await serveRecordedRay(ray);
  const [near = 0] = await freePorts(1);
  const far = new URL(served.address).port;
  const rest = createRestEngine({
    address: `http://127.0.0.1:${near}`,
    token: ray.token,
    requestTimeoutMs: 5_000,
  });
  tunnel = createTunnel({
    command: [process.execPath, '-e', FORWARDER, String(near), far, join(folder, 'notes')],
    env: { PATH: process.env['PATH'] ?? '' },
    homeFiles: {},
    temporaryDirectory: join(folder, 'homes'),
    startTimeoutMs: 10_000,
    answers: async () => (await rest.session()).kind === 'session',
    now: () => performance.now(),
  });
  engine = createRayEngine({ rest, scripts: null, tunnel, dashboard: null });
  await submitTo(engine, {
    submissionId: 'job-1',
    command: ['python', 'train.py'],
    env: {},
    workingDirectory: import.meta.dirname,
    metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
  });
});
afterEach(async () => {
  await tunnel.close();
  await served.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
const pids = (): readonly number[] =>
  readFileSync(join(folder, 'notes'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => Number(/"pid":(\d+)/.exec(line)?.[1]));

it('reads the whole log, each byte once, though the tunnel dies again and again on the way', async () => {
  await engine.observe('job-1', null);
  let text = '';
  let offset = 0;
  let failures = 0;
  const killed = new Set<number>();
  for (;;) {
    const read = await readText(engine, 'job-1', offset);
    if (read.kind !== 'chunk') {
      expect(read.kind).toBe('unknown');
      failures += 1;
      if (failures > 20) throw new Error(JSON.stringify(read));
      continue;
    }
    expect(read.offset).toBe(offset);
    text += read.text;
    offset = read.nextOffset;
    if (read.atEnd) break;
    const pid = pids().at(-1) ?? 0;
    if (!killed.has(pid) && killed.size < 3) process.kill(pid, 'SIGKILL');
    killed.add(pid);
  }
  expect(text.endsWith(LOG)).toBe(true);
  expect(Buffer.byteLength(text)).toBe(offset);
  expect(failures + pids().length).toBeGreaterThan(1);
});

it('opens one tunnel for all calls that come at once, also when it has just died', async () => {
  process.kill(pids().at(-1) ?? 0, 'SIGKILL');
  const started = pids().length;
  await expect
    .poll(async () => {
      const seen = await Promise.all(Array.from({ length: 20 }, () => engine.observe('job-1', null)));
      return new Set(seen.map(({ kind }) => kind));
    })
    .toEqual(new Set(['found']));
  expect(pids()).toHaveLength(started + 1);
});
