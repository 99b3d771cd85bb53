/**
 * Sends one request to GitHub and returns its outcome: answered, refused, or unknown (sent, answer lost). Retries reads; retries writes
 * only if GitHub did not act, as with rate limits (GitHub docs: best practices for REST).
 */

import { z } from 'zod';
import type { EffectOutcome } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed, unknown } from '../domain/values.ts';

export const REQUEST_TRIES_MAX = 4;
/** Pause before the second try; later pauses are longer. */
const REQUEST_RETRY_MS = 500;
/** Pause for a rate limit without a header: at least a minute (GitHub docs, rate limits). */
export const REQUEST_LIMIT_WAIT_MS = 60_000;
/** A longer wait fails the request; the next trigger retries it. */
const REQUEST_WAIT_MS_MAX = 90_000;
/** Cached answers: threads, comments and files of all live runs. */
const ANSWERS_IN_MEMORY_MAX = 200;

/** The part of Octokit that we use. It authenticates, and throws RequestError for status 400 and above. */
export type Octokit = {
  readonly request: (
    route: string,
    parameters: Record<string, unknown>,
  ) => Promise<{
    readonly status: number;
    readonly data: unknown;
    readonly headers: Readonly<Record<string, unknown>>;
  }>;
};

export type Usage = { rest: number; graphql: number; notModified: number; contentWrites: number };

type Answer = { readonly etag: string; readonly data: unknown; readonly link?: unknown };

/** Answers by URL with their ETag: a 304 costs no quota. It may forget any answer. */
export type AnswerCache = {
  readonly get: (key: string) => Answer | undefined;
  readonly set: (key: string, answer: Answer) => void;
};

export type GitHubClient = {
  readonly octokit: Octokit;
  readonly owner: string;
  readonly repo: string;
  /** REST base, for example https://api.github.com, or https://HOST/api/v3 on GitHub Enterprise Server. */
  readonly baseUrl: string;
  readonly sleep: (durationMs: number) => Promise<void>;
  readonly now: () => number;
  readonly usage: Usage;
  /** Times of the content writes of the last hour (epoch ms), oldest first. */
  readonly writtenAt: number[];
  /** GitHub's clock minus this machine's; see `syncClock`. */
  readonly clock: { offsetMs: number };
  readonly cache: AnswerCache;
  /** Commits that a branch once pointed to, as `branch sha`. Bounded. */
  readonly formerTips: Set<string>;
};

export type CallOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly data: unknown;
      readonly headers: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** A client for one repository. */
export function createClient(
  options: Omit<GitHubClient, 'usage' | 'writtenAt' | 'cache' | 'formerTips' | 'clock'> & {
    readonly cache?: AnswerCache;
  },
): GitHubClient {
  return {
    cache: answersInMemory(),
    ...options,
    usage: { rest: 0, graphql: 0, notModified: 0, contentWrites: 0 },
    writtenAt: [],
    clock: { offsetMs: 0 },
    formerTips: new Set(),
  };
}

function answersInMemory(): AnswerCache {
  const answers = new Map<string, Answer>();
  return {
    get: (key) => answers.get(key),
    set: (key, answer) => {
      answers.delete(key);
      answers.set(key, answer);
      const oldest = answers.keys().next();
      if (answers.size > ANSWERS_IN_MEMORY_MAX && oldest.done !== true) answers.delete(oldest.value);
    },
  };
}

/** Calls `route`, for example `GET /repos/{owner}/{repo}/pulls/{pull_number}`; fills in owner and repo. */
export async function call(
  client: GitHubClient,
  route: string,
  parameters: Record<string, unknown> = {},
): Promise<CallOutcome> {
  // Our GraphQL requests are idempotent: queries and unhiding.
  const isRead = route.startsWith('GET ') || route.endsWith('/graphql');
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await callOnce(client, route, parameters);
    if (outcome.retryAfterMs === null || attempt >= REQUEST_TRIES_MAX) return outcome.result;
    const mayRepeat = isRead || outcome.wasNotExecuted;
    if (!mayRepeat || outcome.retryAfterMs > REQUEST_WAIT_MS_MAX) return outcome.result;
    await client.sleep(outcome.retryAfterMs * attempt);
  }
}

/** Reads and validates one answer. Unknown without access, or if the answer does not match the schema. */
export async function readRoute<Schema extends z.ZodType>(
  client: GitHubClient,
  route: string,
  schema: Schema,
  parameters: Record<string, unknown> = {},
): Promise<Observed<z.infer<Schema>>> {
  const found = await readIfThere(client, route, schema, parameters);
  if (found.kind === 'unknown') return found;
  return found.value === null ? unknown(`GitHub answers 404 (${describeRoute(route)})`) : known(found.value);
}

/** Like `read`; null for 404 and 410. GitHub also answers 404 to a token without access. */
export async function readIfThere<Schema extends z.ZodType>(
  client: GitHubClient,
  route: string,
  schema: Schema,
  parameters: Record<string, unknown> = {},
): Promise<Observed<z.infer<Schema> | null>> {
  const outcome = await call(client, route, parameters);
  if (outcome.kind === 'refused' && (outcome.status === 404 || outcome.status === 410)) return known(null);
  if (outcome.kind === 'refused') return unknown(`GitHub answers ${outcome.status} (${describeRoute(route)})`);
  if (outcome.kind === 'unknown') return unknown(`${outcome.message} (${describeRoute(route)})`);
  const parsed = schema.safeParse(outcome.data);
  return parsed.success ? known(parsed.data) : unknown(`an answer of another shape (${describeRoute(route)})`);
}

/** GitHub's largest page. */
export const PAGE_ROWS = 100;

/** Reads a list page by page, at most `pagesMax` pages. Stops after a page with a row that satisfies `isLast`. */
export async function readPages<Row extends z.ZodType>(
  client: GitHubClient,
  route: string,
  row: Row,
  { pagesMax, isLast, ...parameters }: Pages<z.infer<Row>>,
): Promise<Observed<{ readonly rows: readonly z.infer<Row>[]; readonly isWhole: boolean }>> {
  const rows: z.infer<Row>[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const answer = await readRoute(client, route, z.array(row), { ...parameters, per_page: PAGE_ROWS, page });
    if (answer.kind === 'unknown') return answer;
    rows.push(...answer.value);
    if (answer.value.length < PAGE_ROWS || (isLast !== undefined && answer.value.some(isLast)))
      return known({ rows, isWhole: true });
  }
  return known({ rows, isWhole: false });
}

type Pages<Row> = Readonly<Record<string, unknown>> & {
  readonly pagesMax: number;
  readonly isLast?: (row: Row) => boolean;
};

function describeRoute(route: string): string {
  return route.replace(/^GET \/(?:repos\/\{owner\}\/\{repo\}\/?)?/, '') || 'the repository';
}

const numbered = z.object({ number: z.number().int() });

/** The outcome of a write that returns an issue or a pull request. */
export function toEffectOutcome(outcome: CallOutcome): EffectOutcome {
  if (outcome.kind !== 'answered') return toRefusalOutcome(outcome);
  const parsed = numbered.safeParse(outcome.data);
  return parsed.success
    ? { kind: 'done', number: parsed.data.number }
    : { kind: 'unknown', message: 'an answer of another shape' };
}

type SingleCall = {
  readonly result: CallOutcome;
  readonly retryAfterMs: number | null;
  readonly wasNotExecuted: boolean;
};

async function callOnce(client: GitHubClient, route: string, parameters: Record<string, unknown>): Promise<SingleCall> {
  const isRead = route.startsWith('GET ');
  const cacheKey = isRead ? `${route} ${JSON.stringify(parameters)}` : null;
  const cached = cacheKey === null ? undefined : client.cache.get(cacheKey);
  try {
    const headers = cached === undefined ? {} : { headers: { 'if-none-match': cached.etag } };
    const answer = await client.octokit.request(route, {
      owner: client.owner,
      repo: client.repo,
      ...parameters,
      ...headers,
    });
    countRequest(client, route, isRead);
    syncClock(client, answer.headers['date']);
    cacheAnswer(client, cacheKey, answer);
    return { result: { kind: 'answered', ...answer }, retryAfterMs: null, wasNotExecuted: false };
  } catch (error) {
    const failure = readFailure(error);
    if (failure === null) throw error;
    if (failure.status === 304 && cached !== undefined) {
      client.usage.notModified += 1;
      // A 304 may omit the link to the next page.
      const headers = { link: cached.link, ...failure.headers };
      const result = { kind: 'answered', status: 304, data: cached.data, headers } as const;
      return { result, retryAfterMs: null, wasNotExecuted: false };
    }
    countRequest(client, route, isRead);
    return judgeFailure(client, failure);
  }
}

function countRequest(client: GitHubClient, route: string, isRead: boolean): void {
  client.usage[route.endsWith('/graphql') ? 'graphql' : 'rest'] += 1;
  if (!isRead && !route.endsWith('/graphql')) noteWrite(client);
}

/** Counts a content write. GitHub limits content writes separately. */
export function noteWrite({ usage, writtenAt, now }: GitHubClient): void {
  usage.contentWrites += 1;
  while (writtenAt[0] !== undefined && writtenAt[0] <= now() - 3_600_000) writtenAt.shift();
  writtenAt.push(now());
}

/**
 * Uses GitHub's `Date` header as the common clock, because a wrong machine clock would expire orders and overlap leases. The header has
 * whole seconds, so small differences are ignored. True if the offset has changed.
 */
function syncClock(client: GitHubClient, date: unknown): boolean {
  const serverMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  const offsetMs = serverMs - client.now();
  const hasMoved = Math.abs(offsetMs - client.clock.offsetMs) > limits.clockSlackMs;
  if (hasMoved) client.clock.offsetMs = offsetMs;
  return hasMoved;
}

/** The outcome of a write that GitHub did not answer with success. */
export function toRefusalOutcome(outcome: Exclude<CallOutcome, { kind: 'answered' }>): EffectOutcome {
  return outcome.kind === 'refused'
    ? { kind: 'refused', code: String(outcome.status), message: outcome.message }
    : outcome;
}

/** Reads GitHub's time before the first decision; `GET /rate_limit` costs no quota. */
export async function synchronizeClock(client: GitHubClient): Promise<void> {
  await call(client, 'GET /rate_limit');
}

function cacheAnswer(
  client: GitHubClient,
  key: string | null,
  answer: { readonly data: unknown; readonly headers: Readonly<Record<string, unknown>> },
): void {
  const etag = answer.headers['etag'];
  if (key === null || typeof etag !== 'string') return;
  client.cache.set(key, { etag, data: answer.data, link: answer.headers['link'] });
}

type RequestFailure = {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
};

/** Null for anything but a failed request, which is then rethrown as a bug. */
function readFailure(error: unknown): RequestFailure | null {
  if (!(error instanceof Error)) return null;
  if (error.name !== 'HttpError')
    return error.name === 'AbortError' || error instanceof TypeError
      ? { status: 0, message: error.message, headers: {} }
      : null;
  const { status, response } = error as Error & {
    readonly status?: unknown;
    readonly response?: { readonly headers?: Readonly<Record<string, unknown>> };
  };
  return { status: typeof status === 'number' ? status : 0, message: error.message, headers: response?.headers ?? {} };
}

function judgeFailure(client: GitHubClient, failure: RequestFailure): SingleCall {
  const { status, message, headers } = failure;
  const isLimit =
    status === 429 ||
    (status === 403 &&
      (headers['retry-after'] !== undefined || isLimitUsedUp(headers) || SECONDARY_LIMIT.test(message)));
  const hasMoved = syncClock(client, headers['date']);
  const refused = { kind: 'refused', status, message } as const;
  const lost = { kind: 'unknown', message: `${status}: ${message}` } as const;
  // The token may have expired while this machine slept; retry with the corrected clock.
  if (status === 401 && hasMoved) return { result: refused, retryAfterMs: 0, wasNotExecuted: true };
  // A rate limit does not judge the request, so the result stays unknown.
  if (isLimit) return { result: lost, retryAfterMs: limitWaitMs(client, headers), wasNotExecuted: true };
  // Octokit reports a missing answer as status 500 without a response, so GitHub may have acted.
  if (status === 0 || status >= 500) return { result: lost, retryAfterMs: REQUEST_RETRY_MS, wasNotExecuted: false };
  return { result: refused, retryAfterMs: null, wasNotExecuted: true };
}

/** A secondary limit may be stated only in the message (GitHub docs, troubleshooting the REST API, rate limit errors). */
const SECONDARY_LIMIT = /\bsecondary rate limit\b|\babuse detection\b/i;

function isLimitUsedUp(headers: RequestFailure['headers']): boolean {
  return headers['x-ratelimit-remaining'] === '0';
}

/** GitHub docs, rate limits: obey retry-after; at zero remaining, wait for the reset; otherwise at least a minute. */
function limitWaitMs(client: GitHubClient, headers: Readonly<Record<string, unknown>>): number {
  const retryAfter = Number(headers['retry-after']);
  if (Number.isFinite(retryAfter)) return retryAfter * 1_000;
  if (!isLimitUsedUp(headers)) return REQUEST_LIMIT_WAIT_MS;
  const reset = Number(headers['x-ratelimit-reset']) * 1_000 - client.now();
  return Number.isFinite(reset) && reset > 0 ? reset : REQUEST_LIMIT_WAIT_MS;
}

/** A part that may be missing: for any error, or only if GitHub does not find it. */
export type OptionalPart = { readonly path: readonly string[]; readonly only: 'NOT_FOUND' | null };

/** A query, the schema of its answer, and the parts that may be missing. */
type Query<Schema extends z.ZodType> = {
  readonly text: string;
  readonly schema: Schema;
  readonly optional?: readonly OptionalPart[];
};

/**
 * GraphQL reports errors with status 200. An error makes the result unknown. An error in an optional part makes the whole part null.
 * So a caller cannot mistake a partial answer for a complete one.
 */
export async function queryGraphql<Schema extends z.ZodType>(
  client: GitHubClient,
  { text, schema, optional = [] }: Query<Schema>,
  variables: Record<string, unknown>,
): Promise<Observed<z.infer<Schema>>> {
  // GitHub Enterprise Server has REST at /api/v3 and GraphQL at /api/graphql.
  const baseUrl = client.baseUrl.replace(/\/v3\/?$/, '');
  const outcome = await call(client, 'POST /graphql', { baseUrl, query: text, variables });
  if (outcome.kind !== 'answered') return unknown(`GitHub did not answer: ${outcome.message}`);
  const answer = outcome.data as { readonly data?: unknown; readonly errors?: readonly GraphqlError[] };
  const errors = answer.errors ?? [];
  const grave = errors.find((error) => !optional.some((part) => isErrorOfPart(error, part)));
  if (grave !== undefined) return unknown(`GitHub: ${grave.message ?? 'unnamed error'}`);
  const missing = optional.filter((part) => errors.some((error) => isErrorOfPart(error, part)));
  const data = missing.reduce((left: unknown, { path }) => withoutPath(left, path), answer.data);
  const parsed = schema.safeParse(data);
  return parsed.success
    ? known(parsed.data)
    : unknown(`an answer of another shape: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}

type GraphqlError = { readonly message?: string; readonly type?: string; readonly path?: readonly (string | number)[] };

/** NOT_FOUND must concern the part itself, other errors anything below it. */
function isErrorOfPart({ path, type }: GraphqlError, part: OptionalPart): boolean {
  if (path === undefined || !part.path.every((name, index) => path[index] === name)) return false;
  return part.only === null || (type === part.only && path.length === part.path.length);
}

function withoutPath(data: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof data !== 'object' || data === null) return null;
  // Objects in an answer have string keys.
  const fields = data as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: withoutPath(fields[name], rest) };
}
