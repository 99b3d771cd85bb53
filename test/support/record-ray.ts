/**
 * Sends every request that ferrybot uses to a real Ray head, and keeps the responses without values of this
 * head.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { callOverHttp } from '../../src/engines/shared/http.ts';
import type { RayHead } from './ray-head.ts';

const recordedAnswer = z.object({ status: z.int(), contentType: z.string(), body: z.unknown() }).readonly();
/** One response: JSON unchanged, anything else as text. */
export type RecordedAnswer = z.infer<typeof recordedAnswer>;

/** The requests, by descriptive name. */
export const QUESTIONS = [
  'version',
  'version-no-token',
  'version-wrong-token',
  'submit',
  'submit-again',
  'submit-without-entrypoint',
  'submit-as-browser',
  'job-unknown',
  'logs-unknown',
  'stop-unknown',
  'job-pending',
  'job-running',
  'job-succeeded',
  'job-failed',
  'job-stopped',
  'stop-running',
  'stop-ended',
  'logs',
  'logs-no-utf8',
  'log-file',
  'log-file-unknown',
  'list',
  'package-unknown',
  'package-put',
  'package-there',
] as const;
export type Question = (typeof QUESTIONS)[number];

export const recordingSchema = z.object({ ray: z.string(), answers: z.record(z.enum(QUESTIONS), recordedAnswer) });
export type Recording = z.infer<typeof recordingSchema>;

/** The id of the recorded job; texts name it. */
export const RECORDED_JOB = 'recorded-job';
/** The session of the recorded responses. */
export const RECORDED_SESSION = 'session_recorded';
/** What the recorded job prints before it waits. */
const SAYS = 'up';

type Ask = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object | Uint8Array,
  headers?: Readonly<Record<string, string>>,
) => Promise<RecordedAnswer>;

/** Takes some ten seconds. The head keeps its jobs, so it should be a new one. */
export async function recordRay(head: RayHead): Promise<Recording> {
  const ask = asker(head);
  const job = (kind: string, entrypoint: string): object => ({
    entrypoint,
    submission_id: `${RECORDED_JOB}${kind}`,
    metadata: { ferrybot_run: 'run', ferrybot_attempt: '1', ferrybot_manifest: 'sha256:00' },
    runtime_env: { env_vars: { SOME_VALUE: 'a value of the job' } },
  });
  const jobPath = (kind: string): string => `api/jobs/${RECORDED_JOB}${kind}`;
  const until = async (kind: string, status: string): Promise<RecordedAnswer> => {
    for (let look = 0; look < 1_500; look += 1) {
      const seen = await ask('GET', jobPath(kind));
      if (JSON.stringify(seen.body).includes(`"status":"${status}"`)) return seen;
      await sleep(100);
    }
    throw new Error(`${kind} never was ${status}`);
  };
  const answers: Partial<Record<Question, RecordedAnswer>> = {};
  answers.version = await ask('GET', 'api/version');
  answers['version-no-token'] = await ask('GET', 'api/version', undefined, {});
  answers['version-wrong-token'] = await ask('GET', 'api/version', undefined, { authorization: 'Bearer no' });
  answers['job-unknown'] = await ask('GET', jobPath(''));
  answers['logs-unknown'] = await ask('GET', `${jobPath('')}/logs`);
  answers['stop-unknown'] = await ask('POST', `${jobPath('')}/stop`);
  answers.submit = await ask('POST', 'api/jobs/', job('', `echo ${SAYS}; sleep 1000`));
  answers['job-pending'] = await pending(ask, job, jobPath);
  answers['submit-again'] = await ask('POST', 'api/jobs/', job('', 'echo twice'));
  answers['submit-without-entrypoint'] = await ask('POST', 'api/jobs/', { submission_id: 'another' });
  answers['submit-as-browser'] = await ask('POST', 'api/jobs/', job('', 'true'), {
    authorization: `Bearer ${head.token}`,
    'sec-fetch-mode': 'cors',
  });
  await ask('POST', 'api/jobs/', job('-2', 'true'));
  await ask('POST', 'api/jobs/', job('-3', 'exit 3'));
  await ask('POST', 'api/jobs/', job('-4', "sleep 1; printf 'caf\\351\\n'"));
  answers['job-running'] = await until('', 'RUNNING');
  answers['job-succeeded'] = await until('-2', 'SUCCEEDED');
  answers['job-failed'] = await until('-3', 'FAILED');
  answers.logs = await saying(SAYS, () => ask('GET', `${jobPath('')}/logs`));
  await until('-4', 'SUCCEEDED');
  answers['logs-no-utf8'] = await ask('GET', `${jobPath('-4')}/logs`);
  const { driver_node_id: node } = z
    .object({ driver_node_id: z.string() })
    .parse(JSON.parse(await asItIs(head, jobPath('-4'))));
  const file = (kind: string): string =>
    `api/v0/logs/file?node_id=${node}&filename=job-driver-${RECORDED_JOB}${kind}.log&lines=-1`;
  answers['log-file'] = await ask('GET', file('-4'));
  answers['log-file-unknown'] = await refused(() => ask('GET', file('-9')));
  answers.list = sorted(await ask('GET', 'api/jobs/'));
  answers['stop-running'] = await ask('POST', `${jobPath('')}/stop`);
  answers['job-stopped'] = await until('', 'STOPPED');
  answers['stop-ended'] = await ask('POST', `${jobPath('')}/stop`);
  const name = 'api/packages/gcs/_ray_pkg_recorded.zip';
  answers['package-unknown'] = await ask('GET', name);
  answers['package-put'] = await ask('PUT', name, Buffer.from('UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', 'base64'));
  answers['package-there'] = await ask('GET', name);
  const version = z.object({ ray_version: z.string() }).parse(answers.version.body);
  return recordingSchema.parse({ ray: version.ray_version, answers });
}

/** A job before its process runs: on a slow machine the first one may already run when it is read. */
async function pending(
  ask: Ask,
  job: (kind: string, entrypoint: string) => object,
  jobPath: (kind: string) => string,
): Promise<RecordedAnswer> {
  let seen = await ask('GET', jobPath(''));
  for (let look = 0; look < 20 && !JSON.stringify(seen.body).includes('"status":"PENDING"'); look += 1) {
    const kind = `-pending-${look}`;
    await ask('POST', 'api/jobs/', job(kind, `echo ${SAYS}; sleep 1000`));
    const answer = await ask('GET', jobPath(kind));
    await ask('POST', `${jobPath(kind)}/stop`);
    seen = { ...answer, body: JSON.parse(JSON.stringify(answer.body).replaceAll(kind, '')) };
  }
  return seen;
}

/** A running job may not have printed anything yet. */
async function saying(words: string, look: () => Promise<RecordedAnswer>): Promise<RecordedAnswer> {
  let seen = await look();
  for (let again = 0; again < 100 && !JSON.stringify(seen.body).includes(words); again += 1) {
    await sleep(100);
    seen = await look();
  }
  return seen;
}

/**
 * A busy head starts its response before it knows that there is no such file: 200 and an empty body. The next
 * request gets the error.
 */
async function refused(look: () => Promise<RecordedAnswer>): Promise<RecordedAnswer> {
  let seen = await look();
  for (let again = 0; again < 20 && seen.status === 200 && seen.body === ''; again += 1) {
    await sleep(500);
    seen = await look();
  }
  return seen;
}

/** A response with the ids of this head. */
async function asItIs(head: RayHead, path: string): Promise<string> {
  const answer = await fetch(`${head.address}/${path}`, { headers: { authorization: `Bearer ${head.token}` } });
  return answer.text();
}

/** Ray lists its jobs in no order. */
function sorted(list: RecordedAnswer): RecordedAnswer {
  const jobs = z.array(z.looseObject({ submission_id: z.string() })).parse(list.body);
  return { ...list, body: jobs.toSorted((a, b) => (a.submission_id < b.submission_id ? -1 : 1)) };
}

function asker(head: RayHead): Ask {
  return async (method, path, body, headers = { authorization: `Bearer ${head.token}` }) => {
    const isBytes = body instanceof Uint8Array;
    const result = await callOverHttp({
      method,
      url: new URL(path, `${head.address}/`),
      headers: { ...headers, 'content-type': isBytes ? 'application/octet-stream' : 'application/json' },
      body: body === undefined ? null : isBytes ? body : JSON.stringify(body),
      idleTimeoutMs: 30_000,
    });
    if (result.kind === 'failed') throw new Error(`${method} ${path}: ${result.message}`);
    const pieces: Uint8Array[] = [];
    for await (const piece of result.answer.body) pieces.push(piece);
    const { status, contentType } = result.answer;
    const text = plain(Buffer.concat(pieces).toString('utf8'), head);
    return { status, contentType, body: contentType.startsWith('application/json') ? JSON.parse(text) : text };
  };
}

/** Without paths, addresses, times and ids of this head: two recordings of one Ray are equal. */
function plain(text: string, head: RayHead): string {
  return text
    .replaceAll(head.folder, '/ray')
    .replaceAll(/session_\d{4}-[\w-]+/g, RECORDED_SESSION)
    .replaceAll(/File \\?"[^"\\]*\/(site-packages|lib\/python[\d.]+)\//g, 'File "$1/')
    .replaceAll(/\blib\/python[\d.]+\//g, 'lib/python/')
    .replaceAll(/http:\/\/[\d.]+:\d+/g, 'http://192.0.2.2:52365')
    .replaceAll(/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, '192.0.2.2')
    .replaceAll(/\b[0-9a-f]{56}\b/g, '0'.repeat(56))
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}/g, '2026-11-21 09:00:00,000')
    .replaceAll(/("(?:start|end)_time": )\d+/g, (_all, name: string) => `${name}1795251600000`);
}
