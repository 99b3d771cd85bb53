/**
 * A dashboard that answers anything at all, over real HTTP: the engine always returns a value in time and
 * concludes no more than the answer supports.
 */

import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { stopIn } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';
import { serveHttp } from '../support/serve-http.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const VERSION = { version: '4', ray_version: '2.60.0', session_name: 'session_1' };
const JOB = {
  type: 'SUBMISSION',
  submission_id: 'job-1',
  status: 'RUNNING',
  message: '',
  start_time: 1,
  end_time: null,
  driver_info: null,
  driver_exit_code: null,
};
type Say = (response: ServerResponse) => void;

/** A head that gives a foreign answer to one path and correct answers to all others. */
async function headWith(path: string, say: Say): Promise<Engine> {
  const listener: RequestListener = (request, response) => {
    if (request.url === path) return say(response);
    const body = request.url === '/api/version' ? VERSION : request.url === '/api/jobs/' ? [JOB] : JOB;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
  const { address, close } = await serveHttp(listener);
  closers.push(close);
  return createRestEngine({ address, token: 'right', requestTimeoutMs: 300, sleep: async () => undefined });
}

const json =
  (body: unknown, status = 200): Say =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const raw =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}, status = 200): Say =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
/** Sends a piece again and again until the client disconnects. */
const endless =
  (piece: string | Uint8Array, pauseMs: number, head = ''): Say =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    const timer = setInterval(() => response.write(piece), pauseMs);
    response.on('close', () => clearInterval(timer));
  };

const WHOLE = JSON.stringify(JOB);
const MB = 'x'.repeat(1024 * 1024);

describe('a malformed answer about one job', () => {
  it.each<[string, Say]>([
    ['200 with half of its JSON', raw(WHOLE.slice(0, 40))],
    ['a list instead of an object', json([JOB])],
    ['null', json(null)],
    ['a string', json('RUNNING')],
    ['nothing', raw('')],
    ['a status in lower case', json({ ...JOB, status: 'running' })],
    ['an unknown status', json({ ...JOB, status: 'SUSPENDED' })],
    ['no status', json({ ...JOB, status: null })],
    ['a number as its id', json({ ...JOB, submission_id: 1 })],
    ['another job', json({ ...JOB, submission_id: 'job-2' })],
    ['a compressed body that was not requested', raw(gzipSync(WHOLE), { 'content-encoding': 'gzip' })],
    ['fewer bytes than announced', raw(WHOLE.slice(0, 9), { 'content-length': '999' })],
    ['endless pieces', endless(' ', 100, '{')],
    ['silence after the first byte', endless('', 1e6, '{')],
    ['an error page of 10 MB', raw(MB.repeat(10), { 'content-type': 'text/html' }, 500)],
    ['40 MB', raw(`"${MB.repeat(40)}"`)],
    ['a redirect to another host', raw('', { location: 'http://127.0.0.1:9/' }, 302)],
    ['a permanent redirect', raw('', { location: 'http://127.0.0.1:9/' }, 308)],
    ['204', raw('', {}, 204)],
    ['206', raw(WHOLE, {}, 206)],
    ['202', json(JOB, 202)],
    ['429', raw('later', { 'content-type': 'text/plain' }, 429)],
    ['503 as Ray 2.61 gives it', json({ error: 'unavailable' }, 503)],
    ['404 of a page', raw('<html>Job job-1 does not exist</html>', { 'content-type': 'text/html' }, 404)],
    ['404 in JSON', json('Job job-1 does not exist', 404)],
  ])('is reported as unknown: %s', async (_, say) => {
    const engine = await headWith('/api/jobs/job-1', say);
    const started = performance.now();
    const seen = await engine.observe('job-1', 'session_1');
    expect(seen).toMatchObject({ kind: 'unknown', message: expect.stringMatching(/./) });
    expect(performance.now() - started).toBeLessThan(60_000);
    if (seen.kind === 'unknown') expect(seen.message.length).toBeLessThan(2_000);
    expect((await stopIn(engine, 'job-1')).kind).toBe('unknown');
  });

  it.each<[string, object]>([
    ['negative times', { start_time: -5, end_time: -1 }],
    ['times that are strings', { start_time: '2026', end_time: 'never' }],
    ['times beyond the calendar', { start_time: 1e300, end_time: 9e15 }],
    ['an invalid exit code', { driver_exit_code: 'one' }],
    ['a driver without an address', { driver_info: { id: 'x' } }],
    ['a driver that is a string', { driver_info: 'x' }],
    ['a message that is a list', { message: ['a'] }],
    ['metadata that are a list', { metadata: ['ferrybot_run'] }],
    ['variables that are a string', { runtime_env: { env_vars: 'A=B' } }],
    ['a runtime environment that is a string', { runtime_env: '{}' }],
  ])('yields the given status or unknown, and never an exception: %s', async (_, change) => {
    for (const status of ['RUNNING', 'SUCCEEDED'] as const) {
      const engine = await headWith('/api/jobs/job-1', json({ ...JOB, status, ...change }));
      const seen = await engine.observe('job-1', null);
      if (seen.kind === 'found') {
        expect(seen.status).toBe(status);
        expect(seen.metadata).toBeNull();
        for (const time of [seen.startedAtMs, seen.endedAtMs])
          if (time !== null) expect(Number.isNaN(new Date(time).getTime())).toBe(false);
      } else expect(seen.kind).toBe('unknown');
    }
  });

  it('yields a value for any JSON, and found only for a matching id and a known Ray status', async () => {
    let body: unknown = null;
    const engine = await headWith('/api/jobs/job-1', (response) => json(body)(response));
    const job = fc.record(
      {
        type: fc.constantFrom('SUBMISSION', 'DRIVER', 1),
        submission_id: fc.constantFrom('job-1', 'job-2', null, 7),
        job_id: fc.constantFrom(null, 'job-1', {}),
        status: fc.constantFrom('PENDING', 'FAILED', 'failed', '', null, ['RUNNING']),
        message: fc.jsonValue(),
        error_type: fc.jsonValue(),
        start_time: fc.oneof(fc.double(), fc.jsonValue()),
        end_time: fc.oneof(fc.double(), fc.jsonValue()),
        metadata: fc.jsonValue(),
        runtime_env: fc.jsonValue(),
        driver_info: fc.jsonValue(),
        driver_exit_code: fc.oneof(fc.integer(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(job, fc.jsonValue()), async (value) => {
        body = value;
        const seen = await engine.observe('job-1', null);
        expect(['found', 'unknown']).toContain(seen.kind);
        if (seen.kind !== 'found') return;
        expect(value).toMatchObject({ status: seen.status });
        expect(JSON.stringify(value)).toContain('"job-1"');
      }),
      { numRuns: 150 },
    );
  });
});

describe('a list of jobs', () => {
  const asked = ['job-1', 'job-9999', 'nobody'].map((jobId) => ({ jobId, lastSession: null }));
  const kindsAt = async (say: Say): Promise<readonly string[]> => {
    const engine = await headWith('/api/jobs/', say);
    return ((await engine.observeMany?.(asked)) ?? []).map(({ kind }) => kind);
  };

  it('is read in one request for 10,000 jobs', async () => {
    const jobs = Array.from({ length: 10_000 }, (_, index) => ({
      ...JOB,
      submission_id: `job-${index}`,
      runtime_env: { env_vars: { TOKEN: `secret-value-${index}` } },
    }));
    expect(await kindsAt(json(jobs))).toEqual(['found', 'found', 'absent']);
  });

  it.each<[string, Say]>([
    ['an object', json({ jobs: [JOB] })],
    ['half a list', raw(`[${WHOLE},`)],
    ['an HTML page', raw('<html>', { 'content-type': 'text/html' })],
    ['a redirect', raw('', { location: '/elsewhere' }, 301)],
    ['endless pieces', endless('[', 50)],
  ])('that is %s reports unknown for every job', async (_, say) => {
    expect(await kindsAt(say)).toEqual(['unknown', 'unknown', 'unknown']);
  });
});

describe('a log answer', () => {
  it.each<[string, Say]>([
    ['half of its JSON', raw('{"logs":"up')],
    ['a list', json(['up'])],
    ['another object', json({ log: 'up' })],
    ['a string that is not JSON', raw('up\n')],
    [
      'an error page that is cut',
      (response) => {
        response.writeHead(500, { 'content-type': 'text/plain', 'content-length': '99' });
        response.write('Traceback');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    ['silence', endless('', 1e6)],
    ['a redirect', raw('', { location: 'http://127.0.0.1:9/' }, 307)],
  ])('that is %s yields unknown or the part that arrived', async (_, say) => {
    const engine = await headWith('/api/jobs/job-1/logs', say);
    const read = await readText(engine, 'job-1', 0);
    if (read.kind === 'chunk') expect(read).toMatchObject({ text: 'up', atEnd: false });
    else expect(read).toMatchObject({ kind: 'unknown', message: expect.stringMatching(/./) });
  });
});

it('survives a log connection that stalls and errors between two reads', async () => {
  const engine = await headWith('/api/jobs/job-1/logs', (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"logs":"${MB}`);
  });
  const first = await readText(engine, 'job-1', 0);
  if (first.kind !== 'chunk') throw new Error(first.kind);
  // Wait longer than the connection may stall: an unhandled error would end the process.
  await sleep(600);
  const next = await readText(engine, 'job-1', first.nextOffset);
  expect(next).toMatchObject({ kind: 'chunk', offset: first.nextOffset, atEnd: false });
});

describe('an invalid job id', () => {
  it.each(['../version', 'a/b', '--help', 'a b', 'ä', '%2e%2e', '', '.', 'a\nb', 'x'.repeat(129)])(
    'is never sent to the dashboard: %j',
    async (jobId) => {
      const paths: (string | undefined)[] = [];
      const { address, close } = await serveHttp((request, response) => {
        paths.push(request.url);
        response.setHeader('content-type', 'application/json').end(JSON.stringify(VERSION));
      });
      closers.push(close);
      const engine = createRestEngine({ address: `${address}/`, token: null });
      expect((await engine.observe(jobId, null)).kind).toBe('absent');
      expect((await stopIn(engine, jobId)).kind).toBe('absent');
      expect((await readText(engine, jobId, 0)).kind).toBe('absent');
      expect(paths).toEqual(['/api/version']);
    },
  );
});
