/** Sends one small request to the dashboard. Returns the whole answer, or why there is none. */

import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { EngineSession, FoundJob, JobOrigin } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { cutText, parseJson } from '../../../domain/values.ts';
import { redact } from '../../../host/redactor.ts';
import { callOverHttp, type Http, requestWhole, type WholeAnswer } from '../../shared/http.ts';
import { readJobDetails } from '../job-details.ts';

/** A whole answer: a thousand jobs, each with the 20,000 log characters that Ray puts into a failure's message. */
export const RAY_ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/** Characters of an error text to keep. A traceback of Ray has two or three thousand characters. */
export const RAY_ANSWER_TEXT_MAX = 20_000;

export type RayRequest = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below the dashboard's address, without a leading slash. Ray requires the trailing slash of `api/jobs/`. */
  readonly path: string;
  readonly body?: object | Uint8Array;
};

/** No usable answer. `no-token` and `wrong-token`: the head wants another token. */
export type NoAnswer = {
  readonly kind: 'unknown';
  readonly cause: 'not-sent' | 'lost' | 'no-token' | 'wrong-token' | 'redirect' | 'too-large' | 'no-ray';
  readonly message: string;
};

export type RayAnswer = Extract<WholeAnswer, { kind: 'answer' }> | NoAnswer;

/** Asks once. Does not follow redirects, because their target would receive the token. */
export async function call(settings: RestSettings, { method, path, body }: RayRequest): Promise<RayAnswer> {
  const down = await settings.reach();
  if (down !== null) return noAnswer('not-sent', down);
  const isBytes = body instanceof Uint8Array;
  const contentType = isBytes ? 'application/octet-stream' : 'application/json';
  const answer = await requestWhole(
    settings.http,
    {
      method,
      url: new URL(path, settings.address),
      headers: {
        ...authorizationHeader(settings),
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      body: body === undefined ? null : isBytes ? body : JSON.stringify(body),
      idleTimeoutMs: settings.requestTimeoutMs,
    },
    RAY_ANSWER_BYTES_MAX,
  );
  return answer.kind === 'unknown'
    ? noAnswer(answer.cause, maskSecrets(settings, answer.message))
    : (findRefusal(settings, answer) ?? answer);
}

/** Why a dashboard refuses our token or redirects us; null for any other answer. */
export function findRefusal({ token }: RestSettings, { status }: { readonly status: number }): NoAnswer | null {
  if (status === 401)
    return noAnswer(
      'no-token',
      token === null ? 'the dashboard asks for a token and there is none' : 'the token did not arrive',
    );
  if (status === 403) return noAnswer('wrong-token', 'the dashboard refuses this token');
  if (status >= 300 && status < 400)
    return noAnswer('redirect', `the dashboard answers ${status}: what it points to is not followed`);
  return null;
}

/** Parses a JSON answer. Everything else is not an answer of a known Ray. */
export function parseAnswer<Value>(
  settings: RestSettings,
  answer: RayAnswer,
  schema: z.ZodType<Value>,
): { readonly kind: 'said'; readonly value: Value } | NoAnswer {
  if (answer.kind === 'unknown') return answer;
  if (answer.status !== 200)
    return noAnswer('no-ray', `the dashboard answers ${answer.status}: ${lastLine(settings, answer.text)}`);
  const json = parseJson(answer.text);
  const parsed = json === undefined ? undefined : schema.safeParse(json);
  if (parsed?.success === true) return { kind: 'said', value: parsed.data };
  const why = parsed === undefined ? `${answer.contentType || 'something'}` : z.prettifyError(parsed.error);
  return noAnswer('no-ray', `this is no answer of Ray that is known here: ${why}`);
}

/**
 * Ray's tracebacks have the error in their last line; an HTML page is not worth repeating. Removes secrets, including
 * `more`, and only then shortens the text, because scrubbing cannot find half a secret.
 */
export function lastLine(settings: RestSettings, text: string, more: readonly string[] = []): string {
  const lines = text.split('\n').filter((line) => /[^\s.]/.test(line));
  const last = lines.at(-1)?.trim() ?? '';
  if (last.startsWith('<')) return 'a page of HTML';
  // A text that was cut in transit may end with half a secret.
  const isTorn = last.length >= RAY_ANSWER_TEXT_MAX || text.length >= RAY_ANSWER_TEXT_MAX;
  const clean = maskSecrets(settings, cutText(last, RAY_ANSWER_TEXT_MAX), more);
  const whole = isTorn ? cutText(clean, clean.length - limits.secretCharactersMax) : clean;
  return cutText(whole, limits.messageCharactersMax);
}

/** Removes our token and the other known secrets. */
export function maskSecrets(settings: RestSettings, text: string, more: readonly string[] = []): string {
  return redact(text, [...settings.secrets, ...(settings.token === null ? [] : [settings.token]), ...more]);
}

/** The result if the dashboard gave no usable answer, and why. `message` is already without secrets. */
export function noAnswer(cause: NoAnswer['cause'], message: string): NoAnswer {
  return { kind: 'unknown', cause, message };
}

/** Timeout of one request to a Ray dashboard. A busy head lists a thousand jobs in two or three seconds. */
const RAY_REQUEST_TIMEOUT_MS = 30_000;

export type RestOptions = {
  /** Dashboard URL: scheme, host and port, optionally with a path before `/api`. */
  readonly address: string;
  /** Ray's authentication token; null if the head requires none. */
  readonly token: string | null;
  /** Applies to each request. A body that is read in pieces may be silent for this long. */
  readonly requestTimeoutMs?: number;
  /** Values that no text from this adapter may contain, such as the job's secrets. */
  readonly secrets?: readonly string[];
  readonly http?: Http;
  /** Makes the dashboard reachable before each request. Returns null, or why it is not reachable. */
  readonly reach?: () => Promise<string | null>;
  readonly sleep?: (durationMs: number) => Promise<unknown>;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
};

/** The options with their defaults filled in; `address` ends with a slash. */
export type RestSettings = Required<RestOptions>;

/** Fills in the defaults. Throws if the address is no http or https URL, which the config's schema excludes. */
export function restSettings(options: RestOptions): RestSettings {
  const url = new URL(options.address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`${url.protocol} is no address of a dashboard`);
  return {
    requestTimeoutMs: RAY_REQUEST_TIMEOUT_MS,
    secrets: [],
    http: callOverHttp,
    reach: async () => null,
    sleep: (durationMs) => setTimeout(durationMs),
    elapsed: () => performance.now(),
    ...options,
    address: url.href.endsWith('/') ? url.href : `${url.href}/`,
  };
}

/**
 * The authentication headers: the usual one, and Ray's own for dashboards behind a proxy that keeps the first one
 * (ray-project/ray, python/ray/_private/authentication). No header may resemble a browser's: Ray refuses every write of a
 * browser (docs/decisions/0135-ask-ray-by-rest-and-submit-by-script.md).
 */
export function authorizationHeader(settings: RestSettings): Readonly<Record<string, string>> {
  if (settings.token === null) return {};
  const bearer = `Bearer ${settings.token}`;
  return { authorization: bearer, 'x-ray-authorization': bearer };
}

/** `GET /api/version` (ray-project/ray, python/ray/dashboard/modules/version.py); fields that later versions add do not matter. */
const versionAnswer = z.object({ ray_version: z.string().min(1), session_name: z.string().min(1) });

/** The session in which the head answers now, or why it is unknown. */
export async function readSession(
  settings: RestSettings,
): Promise<Extract<EngineSession, { kind: 'session' }> | NoAnswer> {
  const said = parseAnswer(settings, await call(settings, { method: 'GET', path: 'api/version' }), versionAnswer);
  if (said.kind === 'unknown') return said;
  const { session_name: id, ray_version: version } = said.value;
  return { kind: 'session', id, version };
}

export type JobLookup =
  | { readonly kind: 'there'; readonly job: FoundJob; readonly origin: JobOrigin }
  | { readonly kind: 'missing' }
  | NoAnswer;

/** `GET /api/jobs/{id}`. Only Ray's own sentence about exactly this id means that the job is missing. `session`: read before. */
export async function lookUpJob(settings: RestSettings, jobId: string, session: string | null): Promise<JobLookup> {
  const answer = await call(settings, { method: 'GET', path: `api/jobs/${jobId}` });
  if (answer.kind === 'answer' && isMissingAnswer(answer, jobId)) return { kind: 'missing' };
  const said = parseAnswer(settings, answer, z.unknown());
  if (said.kind === 'unknown') return said;
  const job = readJobDetails(said.value, session, (text, secrets) => maskSecrets(settings, text, secrets));
  if (job === null) return noAnswer('no-ray', 'this is no job of a Ray that is known here');
  if (job.submissionId !== jobId && job.rayJobId !== jobId)
    return noAnswer('no-ray', `asked for ${jobId}, the dashboard tells of another job`);
  return { kind: 'there', job: job.found, origin: job.origin };
}

/** Any other 404 comes from a proxy or another program and proves nothing (job_head.py: `Job {id} does not exist`). */
export function isMissingAnswer(
  answer: { readonly status: number; readonly contentType: string; readonly text: string },
  jobId: string,
): boolean {
  return (
    answer.status === 404 &&
    answer.contentType.startsWith('text/plain') &&
    answer.text.trim() === `Job ${jobId} does not exist`
  );
}
