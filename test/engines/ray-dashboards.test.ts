/**
 * What can answer at a dashboard's address: nothing, a wrong token, another program, another Ray version;
 * and jobs that ferrybot did not start.
 */

import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import type { RestOptions } from '../../src/engines/ray/rest/request.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';
import { createRecordedRay, type RecordedOptions, type RecordedRay } from '../support/recorded-ray.ts';
import { serveHttp } from '../support/serve-http.ts';
import { serveRecordedRay } from '../support/serve-recorded-ray.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const SPEC: JobSpec = {
  submissionId: 'job-1',
  command: ['python', 'train.py'],
  env: { WANDB_API_KEY: 'wandb-secret-value', HF_TOKEN: 'second-secret-value' },
  workingDirectory: import.meta.dirname,
  metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
};
const DETAILS = {
  type: 'SUBMISSION',
  submission_id: 'job-1',
  status: 'RUNNING',
  message: 'Job is currently running.',
  start_time: 1,
};

/** Starts a foreign program at the address. */
async function serving(listener: RequestListener): Promise<string> {
  const { address, close } = await serveHttp(listener);
  closers.push(close);
  return address;
}

/** Answers the given paths; every other path gets 404. */
function answering(
  answers: Readonly<Record<string, readonly [status: number, type: string, body: string]>>,
): RequestListener {
  return (request, response) => {
    const [status, type, body] = answers[request.url ?? ''] ?? [404, 'text/html', '<html>not here</html>'];
    response.writeHead(status, { 'content-type': type }).end(body);
  };
}

const VERSION = '{"version":"5","ray_version":"2.99.0","ray_commit":"x","session_name":"session_9","news":[1]}';
const json = (body: string): readonly [number, string, string] => [200, 'application/json', body];
const engineAt = (address: string, changes: Partial<RestOptions> = {}): Engine =>
  createRestEngine({ address, token: 'right', requestTimeoutMs: 300, sleep: async () => undefined, ...changes });

async function recorded(options: Partial<RecordedOptions> = {}): Promise<{ ray: RecordedRay; address: string }> {
  const ray = createRecordedRay({ now: () => 0, ...options });
  const served = await serveRecordedRay(ray);
  closers.push(served.close);
  return { ray, address: served.address };
}

/** Asks every question: none may report absent, ended or started. */
async function allOf(
  engine: Engine,
): Promise<Readonly<Record<string, { readonly kind: string; readonly message?: string }>>> {
  return {
    session: await engine.session(),
    submit: await submitTo(engine, SPEC),
    observe: await engine.observe('job-1', null),
    seen: await engine.observe('job-1', 'session_1'),
    many: (await engine.observeMany?.([{ jobId: 'job-1', lastSession: 'session_1' }]))?.[0] ?? { kind: 'none' },
    log: await readText(engine, 'job-1', 0),
    stop: await stopIn(engine, 'job-1'),
  };
}

describe('a dashboard that does not answer like Ray', () => {
  it.each([
    [
      'another program on the port',
      answering({ '/api/version': [200, 'text/html', '<html>hello</html>'] }),
      'known here',
    ],
    ['a program with another API', answering({ '/api/version': json('{"version":"1.0"}') }), 'known here'],
    ['a program that answers 404 to every request', answering({}), '404'],
    ['a gateway error', answering({ '/api/version': [502, 'text/html', '<html>bad gateway</html>'] }), '502'],
    ['a login page', answering({ '/api/version': [302, 'text/html', 'over there'] }), 'not followed'],
    ['half an answer', answering({ '/api/version': json(VERSION.slice(0, 30)) }), 'known here'],
    ['silence', (): void => undefined, 'no word'],
    ['a connection that breaks', ((request) => request.socket.destroy()) as RequestListener, 'no answer'],
  ])('returns unknown for every question: %s', async (_, listener, why) => {
    const answers = await allOf(engineAt(await serving(listener)));
    for (const [question, answer] of Object.entries(answers))
      expect({ question, kind: answer.kind }).toEqual({ question, kind: 'unknown' });
    expect(answers['session']?.message).toContain(why);
  });

  it('returns unknown for every question when nothing listens at the address', async () => {
    const answers = await allOf(engineAt('http://127.0.0.1:9'));
    expect(Object.values(answers).map(({ kind }) => kind)).toEqual(Array.from({ length: 7 }, () => 'unknown'));
    expect(answers['observe']?.message).toContain('ECONNREFUSED');
  });

  it('reports a missing or wrong token as such and never repeats the token', async () => {
    const { address } = await recorded();
    const without = await allOf(engineAt(address, { token: null }));
    const wrong = await allOf(engineAt(address, { token: 'my-wrong-token' }));
    expect(without['observe']).toEqual({
      kind: 'unknown',
      message: 'the dashboard asks for a token and there is none',
    });
    expect(wrong['observe']?.message).toBe('the dashboard refuses this token');
    expect(without['submit']).toMatchObject({ kind: 'rejected', code: 'unauthorized' });
    expect(wrong['submit']).toMatchObject({ kind: 'rejected', code: 'unauthorized' });
    expect(JSON.stringify([without, wrong])).not.toContain('my-wrong-token');
  });

  it('does not send the token to the target of a redirect', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await serving((request, response) => {
      seen.push(request.headers.authorization);
      response.end(VERSION);
    });
    const address = await serving((_request, response) => {
      response.writeHead(307, { location: `${elsewhere}/api/version` }).end();
    });
    expect((await engineAt(address).session()).kind).toBe('unknown');
    expect(seen).toEqual([]);
  });
});

describe('another version of Ray', () => {
  it('is read by the fields that ferrybot knows, also below a URL path', async () => {
    const job = JSON.stringify({ ...DETAILS, retry_policy: { max: 3 }, attempt_number: 2 });
    const answers = { '/ray/api/version': json(VERSION), '/ray/api/jobs/job-1': json(job) };
    const engine = engineAt(`${await serving(answering(answers))}/ray`);
    expect(await engine.session()).toEqual({ kind: 'session', id: 'session_9', version: '2.99.0' });
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'found', status: 'RUNNING', metadata: null });
  });

  it.each([
    ['an unknown status', { ...DETAILS, status: 'RETRYING' }],
    ['another job', { ...DETAILS, submission_id: 'job-2' }],
    ['a list', [DETAILS]],
  ])('reports unknown when the answer is %s', async (_, job) => {
    const answers = { '/api/version': json(VERSION), '/api/jobs/job-1': json(JSON.stringify(job)) };
    const engine = engineAt(await serving(answering(answers)));
    expect((await engine.observe('job-1', null)).kind).toBe('unknown');
    expect((await stopIn(engine, 'job-1')).kind).toBe('unknown');
  });

  it("does not trust a 404 from a proxy that is not Ray's own message for this job", async () => {
    const plain = (text: string): readonly [number, string, string] => [404, 'text/plain', text];
    for (const body of ['404: Not Found', 'Job job-2 does not exist', '']) {
      const answers = { '/api/version': json(VERSION), '/api/jobs/job-1': plain(body) };
      expect((await engineAt(await serving(answering(answers))).observe('job-1', null)).kind).toBe('unknown');
    }
    const answers = { '/api/version': json(VERSION), '/api/jobs/job-1': plain('Job job-1 does not exist') };
    expect(await engineAt(await serving(answering(answers))).observe('job-1', null)).toEqual({
      kind: 'absent',
      session: 'session_9',
    });
  });
});

describe('a job that the head has forgotten', () => {
  it('is state-lost after a restart or a deletion, and absent when it was never seen', async () => {
    const { ray, address } = await recorded();
    const engine = engineAt(address, { token: ray.token });
    await submitTo(engine, SPEC);
    const before = ray.session();
    ray.forget('job-1');
    expect(await engine.observe('job-1', before)).toMatchObject({
      kind: 'state-lost',
      message: expect.stringContaining('deleted'),
    });
    ray.restart();
    const [one, other] = (await engine.observeMany?.([
      { jobId: 'job-1', lastSession: before },
      { jobId: 'job-2', lastSession: null },
    ])) ?? [null, null];
    expect(one).toMatchObject({
      kind: 'state-lost',
      session: ray.session(),
      message: expect.stringContaining('restarted'),
    });
    expect(other).toEqual({ kind: 'absent', session: ray.session() });
    expect(await engine.observe('job-1', before)).toEqual(one);
  });
});

describe('the answers about a job', () => {
  it("contain no value of the job's environment", async () => {
    const { ray, address } = await recorded({ plan: () => ({ pendingMs: 0, endAfterMs: 0, exitCode: 1, log: '' }) });
    const engine = engineAt(address, { token: ray.token });
    await submitTo(engine, SPEC);
    const listed = ray.answer({
      method: 'GET',
      path: 'api/jobs/',
      headers: { authorization: `Bearer ${ray.token}` },
      body: null,
    });
    expect(JSON.stringify(listed.body)).toContain('wandb-secret-value');
    const told = [
      await engine.observe('job-1', null),
      await engine.observeMany?.([{ jobId: 'job-1', lastSession: null }]),
    ];
    expect(JSON.stringify(told)).not.toMatch(/secret-value/);
    const failed = JSON.stringify({
      ...DETAILS,
      status: 'FAILED',
      message: 'failed: login with wandb-secret-value (d2FuZGItc2VjcmV0LXZhbHVl)',
      runtime_env: { env_vars: SPEC.env },
    });
    const answers = { '/api/version': json(VERSION), '/api/jobs/job-1': json(failed) };
    expect(await engineAt(await serving(answering(answers))).observe('job-1', null)).toMatchObject({
      message: 'failed: login with *** (***)',
    });
  });

  it('contain no part of a secret value in error messages, wherever the text is truncated', async () => {
    const value = SPEC.env['WANDB_API_KEY'] ?? '';
    const why = async (line: string, status = 400): Promise<string> => {
      const text = `Traceback\n${line}`;
      const listener: RequestListener = (request, response) => {
        const [code, type, body] =
          request.url === '/api/version'
            ? json(VERSION)
            : request.method === 'GET' && request.url === '/api/jobs/job-1'
              ? [404, 'text/plain', 'Job job-1 does not exist']
              : request.url === '/api/jobs/'
                ? [status, 'text/plain', text]
                : [200, 'text/plain', ''];
        response.writeHead(Number(code), { 'content-type': String(type) }).end(body);
      };
      const outcome = await submitTo(engineAt(await serving(listener)), SPEC);
      return 'message' in outcome ? outcome.message : JSON.stringify(outcome);
    };
    const lines = [
      ...Array.from({ length: value.length }, (_, less) => `${'x'.repeat(1_000 - less)}${value} more`),
      `TypeError ${value.repeat(2_000)}`,
    ];
    for (const line of lines)
      for (const status of [400, 500]) expect(await why(line, status)).not.toMatch(/wandb|secret/);
    expect(await why(`TypeError: ${value}!`)).toBe('400: TypeError: ***!');
  });

  it('are unknown only for the one job that the list describes in an unknown way', async () => {
    const list = [
      { ...DETAILS, status: 'NEW' },
      { ...DETAILS, submission_id: 'job-2' },
      { ...DETAILS, type: 'DRIVER', submission_id: null, job_id: '02000000' },
    ];
    const asked = ['job-1', 'job-2', 'job-3', '02000000'].map((jobId) => ({ jobId, lastSession: null }));
    const at = async (body: string): Promise<readonly string[]> => {
      const engine = engineAt(await serving(answering({ '/api/version': json(VERSION), '/api/jobs/': json(body) })));
      return ((await engine.observeMany?.(asked)) ?? []).map(({ kind }) => kind);
    };
    expect(await at(JSON.stringify(list))).toEqual(['unknown', 'found', 'absent', 'found']);
    expect(await at(JSON.stringify([...list, { status: 'RUNNING' }]))).toEqual([
      'unknown',
      'found',
      'unknown',
      'found',
    ]);
    expect(await at('{}')).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  });
});

describe('stopping a job', () => {
  it("reports a pending job as not yet stopped, with Ray's reason", async () => {
    const { ray, address } = await recorded({
      plan: () => ({ pendingMs: 1_000_000, endAfterMs: null, exitCode: 0, log: '' }),
    });
    const engine = engineAt(address, { token: ray.token });
    await submitTo(engine, SPEC);
    expect(await stopIn(engine, 'job-1')).toEqual({
      kind: 'stopping',
      message: 'Ray found nobody to hand the wish to; the job is still PENDING',
    });
  });

  it('reports that Ray refuses to stop a driver that was started by hand', async () => {
    const driver = JSON.stringify({ ...DETAILS, type: 'DRIVER', submission_id: null, job_id: '02000000' });
    const address = await serving(
      answering({
        '/api/version': json(VERSION),
        '/api/jobs/02000000': json(driver),
        '/api/jobs/02000000/stop': [400, 'text/plain', 'Can only stop submission type jobs'],
      }),
    );
    expect(await stopIn(engineAt(address), '02000000')).toEqual({
      kind: 'unknown',
      message: 'Ray stops no job of this kind: Can only stop submission type jobs',
    });
  });

  it('reports stopped when a later check shows it, also when the answer was lost', async () => {
    const ray = createRecordedRay({
      now: () => 0,
      fault: ({ path }) => (path.endsWith('/stop') ? 'lost-after' : null),
    });
    const engine = engineAt('http://ray.example', { token: ray.token, http: ray.http });
    await submitTo(engine, SPEC);
    expect(await stopIn(engine, 'job-1')).toEqual({ kind: 'stopped' });
  });
});
