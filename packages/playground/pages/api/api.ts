/** The page's client for the playground's API: one person's token, validated answers, refusals as values. */
import type * as z from 'zod';
import { pageLimits } from '../page-limits.ts';

/** In-process or over HTTP, the same function. */
export type Fetch = (request: Request) => Promise<Response>;

/** `refused` is any answer that is not 2xx: something the person may not see or do, or that does not exist. */
export type Answer<Data> =
  | { readonly kind: 'found'; readonly data: Data }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

/** A failed read: any refusal except "not found". */
export type Unread = { readonly path: string; readonly status: number; readonly message: string };

/** A range of list pages with a hundred rows each: the first page (from 1) and the maximum number. */
export type PageRange = { readonly first: number; readonly count: number };

export type Api = {
  readonly get: <Schema extends z.ZodType>(path: string, schema: Schema) => Promise<Answer<z.output<Schema>>>;
  /** Reads all pages of a list; `pick` selects the list if the answer is an object around it. */
  readonly list: <Schema extends z.ZodType>(
    path: string,
    item: Schema,
    pick?: string,
    pages?: PageRange,
  ) => Promise<Answer<readonly z.output<Schema>[]>>;
  readonly text: (path: string, accept?: string) => Promise<Answer<string>>;
  /** All reads so far that failed with another status than 404. */
  readonly unread: () => readonly Unread[];
  readonly send: (
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ) => Promise<Answer<unknown>>;
  readonly graphql: <Schema extends z.ZodType>(
    query: string,
    variables: unknown,
    schema: Schema,
  ) => Promise<Answer<z.output<Schema>>>;
};

/**
 * Paths are those of GitHub's REST reference (`/repos/{owner}/{repo}/…`), under `baseUrl`/api/v3 as on GitHub
 * Enterprise Server. A path that starts with `/_playground/` is used unchanged. An answer with an invalid shape throws,
 * because it is a bug of the playground.
 */
export function createApi(fetch: Fetch, baseUrl: string, token: string | null): Api {
  const call = (method: string, path: string, extra: { body?: unknown; accept?: string } = {}): Promise<Response> =>
    fetchFollowing(fetch, request(baseUrl, token, method, path, extra));
  const unread: Unread[] = [];
  const noteUnread = <Data>(path: string, answer: Answer<Data>): Answer<Data> => {
    if (answer.kind === 'refused' && answer.status !== 404)
      unread.push({ path, status: answer.status, message: answer.message });
    return answer;
  };
  return {
    get: async (path, schema) =>
      mapFound(noteUnread(path, await readJson(await call('GET', path))), (data) => schema.parse(data)),
    list: async (path, item, pick, pages) =>
      noteUnread(path, await listPages(call, path, (row) => item.parse(row), pick, pages)),
    unread: () => unread,
    text: async (path, accept) => {
      const response = await call('GET', path, accept === undefined ? {} : { accept });
      const answer: Answer<string> = response.ok
        ? { kind: 'found', data: await response.text() }
        : await readRefusal(response);
      return noteUnread(path, answer);
    },
    send: async (method, path, body) => readJson(await call(method, path, body === undefined ? {} : { body })),
    graphql: async (query, variables, schema) => {
      const answer = await readJson(await call('POST', '/api/graphql', { body: { query, variables } }));
      return mapFound(noteUnread('/graphql', answer), (data) => schema.parse(data));
    },
  };
}

function request(
  baseUrl: string,
  token: string | null,
  method: string,
  path: string,
  { body, accept }: { body?: unknown; accept?: string },
): Request {
  const address = /^\/(?:_playground|api)\//.test(path) ? `${baseUrl}${path}` : `${baseUrl}/api/v3${path}`;
  const headers = new Headers({ accept: accept ?? 'application/vnd.github+json' });
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  if (body === undefined) return new Request(address, { method, headers });
  headers.set('content-type', 'application/json');
  return new Request(address, { method, headers, body: JSON.stringify(body) });
}

async function fetchFollowing(fetch: Fetch, first: Request): Promise<Response> {
  let response = await fetch(first);
  for (let hop = 0; hop < pageLimits.redirectsMax; hop += 1) {
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    response = await fetch(new Request(new URL(location, first.url), { headers: first.headers }));
  }
  return response;
}

async function listPages<Item>(
  call: (method: string, path: string) => Promise<Response>,
  path: string,
  parse: (row: unknown) => Item,
  pick: string | undefined,
  { first, count }: PageRange = { first: 1, count: pageLimits.requestsPerListMax },
): Promise<Answer<readonly Item[]>> {
  const items: Item[] = [];
  for (let page = first; page < first + count; page += 1) {
    const joint = path.includes('?') ? '&' : '?';
    const response = await call('GET', `${path}${joint}per_page=${pageLimits.itemsPerRequest}&page=${page}`);
    const answer = await readJson(response);
    if (answer.kind === 'refused') return answer;
    const rows = pick === undefined ? answer.data : pickFrom(answer.data, pick);
    if (!Array.isArray(rows)) throw new TypeError(`${path} did not answer with a list`);
    items.push(...rows.map(parse));
    if (!(response.headers.get('link') ?? '').includes('rel="next"')) break;
  }
  return { kind: 'found', data: items };
}

function pickFrom(data: unknown, key: string): unknown {
  return typeof data === 'object' && data !== null ? Reflect.get(data, key) : undefined;
}

async function readJson(response: Response): Promise<Answer<unknown>> {
  if (!response.ok) return readRefusal(response);
  const text = await response.text();
  return { kind: 'found', data: text === '' ? null : JSON.parse(text) };
}

async function readRefusal(response: Response): Promise<Answer<never>> {
  const text = await response.text();
  return {
    kind: 'refused',
    status: response.status,
    message: parseMessage(text) ?? (text.slice(0, 300) || response.statusText),
  };
}

function parseMessage(text: string): string | null {
  if (!text.startsWith('{')) return null;
  const message = pickFrom(JSON.parse(text), 'message');
  return typeof message === 'string' ? message : null;
}

function mapFound<From, To>(answer: Answer<From>, change: (data: From) => To): Answer<To> {
  return answer.kind === 'found' ? { kind: 'found', data: change(answer.data) } : answer;
}
