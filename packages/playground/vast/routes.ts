/** The REST API of the simulated Vast.ai: addresses, bodies and errors as documented, pages of at most 25. */

import * as z from 'zod';
import { vast } from '../limits/limits.ts';
import type { Account } from './account.ts';
import { type Instance, shapeInstance } from './instance.ts';
import { BadFilter, matchesFilters, shapeOffer, sortRows } from './offers.ts';
import type { ResultStore } from './results.ts';

export type Call = {
  readonly account: Account;
  readonly results: ResultStore;
  readonly nowMs: number;
  readonly url: URL;
  readonly body: unknown;
  /** The one instance of this key; null for the key of the account. */
  readonly onlyInstance: number | null;
  readonly ids: readonly number[];
};

export type Answer = { readonly status: number; readonly body: unknown };
type Route = { readonly method: string; readonly path: RegExp; readonly answer: (call: Call) => Answer };

/** The route of a request and the numbers in its path; null if there is none. */
export function findRoute(method: string, path: string): { route: Route; ids: readonly number[] } | null {
  for (const route of ROUTES) {
    const found = route.method === method ? route.path.exec(path) : null;
    if (found !== null) return { route, ids: found.slice(1).map(Number) };
  }
  return null;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
/** Most failures have `success` and `error`. */
export const failure = (status: number, error: string, msg: string): Answer => ({
  status,
  body: { success: false, error, msg },
});
export const DEPRECATED = failure(
  200,
  'deprecated_endpoint',
  '/api/v0/instances/ is deprecated. Use /api/v1/instances/ instead.',
);

const number = z.coerce.number();
const search = z.looseObject({
  type: z.enum(['on-demand', 'bid', 'reserved', 'interruptible']).default('on-demand'),
  limit: number.optional(),
  order: z.unknown().optional(),
  allocated_storage: number.default(5),
});
const creation = z.looseObject({
  client_id: z.literal('me').optional(),
  image: z.string().min(1).max(vast.imageCharacters),
  env: z.record(z.string(), z.coerce.string()).default({}),
  price: z.number().positive().nullish(),
  disk: z.number().min(vast.diskGbMin).default(vast.diskGbDefault),
  label: z.string().nullish(),
  onstart: z.string().max(vast.onstartCharacters).nullish(),
  runtype: z.string().nullish(),
  args: z.array(z.string()).nullish(),
  cancel_unavail: z.boolean().nullish(),
});
const change = z.looseObject({ state: z.enum(['running', 'stopped']).optional(), label: z.string().optional() });

function findInstance(call: Call): Instance | null {
  return call.account.find(call.ids[0] ?? 0);
}

/** The key of one instance gives access only to that instance; all others are not found. */
const withInstance =
  (answer: (call: Call, instance: Instance) => Answer): Route['answer'] =>
  (call) => {
    const id = call.ids[0] ?? 0;
    if (call.onlyInstance !== null && call.onlyInstance !== id)
      return failure(403, 'forbidden', 'This key has no permission for that.');
    const instance = findInstance(call);
    if (instance === null || instance.next?.to === 'gone')
      return failure(404, 'no_such_instance', `Instance ${id} not found.`);
    return answer(call, instance);
  };

const requireOwner =
  (answer: (call: Call) => Answer): Route['answer'] =>
  (call) =>
    call.onlyInstance === null ? answer(call) : failure(403, 'forbidden', 'This key has no permission for that.');

function searchOffers({ account, body }: Call): Answer {
  const filters = search.parse(body);
  account.advance();
  const rows = [...account.offers.values()].map((offer) =>
    shapeOffer(offer, filters.allocated_storage, account.rented.has(offer.id)),
  );
  const found = sortRows(
    rows.filter((row) => matchesFilters(row, filters)),
    filters.order,
  );
  return ok({ offers: found.slice(0, filters.limit ?? vast.offersMax) });
}

function createInstance({ account, body, ids }: Call): Answer {
  const wanted = creation.parse(body);
  const made = account.create(ids[0] ?? 0, {
    image: wanted.image,
    disk: wanted.disk,
    env: Object.entries(wanted.env),
    onstart: wanted.onstart ?? null,
    args: wanted.args ?? null,
    runtype: wanted.runtype ?? (wanted.args == null ? 'ssh' : 'args'),
    bid: wanted.price ?? null,
    label: wanted.label ?? null,
    cancelsUnavailable: wanted.cancel_unavail ?? true,
  });
  if (made.ok) {
    const { id, apiKey } = made.instance;
    return ok({ success: true, new_contract: id, instance_api_key: apiKey });
  }
  return made.reason === 'no-offer'
    ? failure(404, 'invalid_args', `error 404/3603: no_such_ask Instance type by id ${ids[0]} is not available.`)
    : failure(410, 'no_longer_available', `Offer ${ids[0]} is no longer available.`);
}

const jsonText = (text: string | null, otherwise: unknown): unknown => (text === null ? otherwise : JSON.parse(text));

function listInstances({ account, url, nowMs }: Call): Answer {
  const filters = z.record(z.string(), z.unknown()).parse(jsonText(url.searchParams.get('select_filters'), {}));
  const limit = Math.min(number.parse(url.searchParams.get('limit') ?? vast.pageMax), vast.pageMax);
  const after = number.parse(url.searchParams.get('after_token') ?? 0);
  const rows = account
    .list()
    .map((instance) => ({ id: instance.id, row: shapeInstance(instance, nowMs) }))
    .filter(({ row }) => matchesFilters(row, filters))
    .toSorted((a, b) => a.id - b.id);
  const page = rows.filter(({ id }) => id > after).slice(0, limit);
  const last = page.at(-1)?.id ?? 0;
  const labels = Object.groupBy(rows, ({ row }) => String(row['label'] ?? ''));
  return ok({
    success: true,
    instances: page.map(({ row }) => row),
    next_token: rows.some(({ id }) => id > last) && page.length > 0 ? String(last) : null,
    total_instances: rows.length,
    label_counts: Object.fromEntries(Object.entries(labels).map(([label, of]) => [label, of?.length ?? 0])),
  });
}

function changeInstance({ account, body }: Call, instance: Instance): Answer {
  const { state, label } = change.parse(body);
  if (label !== undefined) instance.label = label;
  if (state === 'stopped') account.stop(instance);
  if (state === 'running') account.start(instance);
  return ok({ success: true });
}

const ROUTES: readonly Route[] = [
  { method: 'POST', path: /^\/api\/v0\/bundles\/$/, answer: requireOwner(searchOffers) },
  { method: 'PUT', path: /^\/api\/v0\/asks\/(\d+)\/$/, answer: requireOwner(createInstance) },
  { method: 'GET', path: /^\/api\/v1\/instances\/$/, answer: requireOwner(listInstances) },
  { method: 'GET', path: /^\/api\/v0\/instances\/$/, answer: () => DEPRECATED },
  {
    method: 'GET',
    path: /^\/api\/v0\/instances\/(\d+)\/$/,
    // A destroyed instance is null, not a 404.
    answer: requireOwner((call) => {
      const instance = findInstance(call);
      return ok({ instances: instance === null ? null : shapeInstance(instance, call.nowMs) });
    }),
  },
  {
    method: 'DELETE',
    path: /^\/api\/v0\/instances\/(\d+)\/$/,
    answer: withInstance(({ account }, instance) => {
      account.destroy(instance);
      return ok({ success: true });
    }),
  },
  { method: 'PUT', path: /^\/api\/v0\/instances\/(\d+)\/$/, answer: withInstance(changeInstance) },
  {
    method: 'PUT',
    path: /^\/api\/v0\/instances\/request_logs\/(\d+)\/$/,
    answer: withInstance(({ results, body, url }, instance) => {
      const { tail } = z.looseObject({ tail: number.default(vast.logLinesDefault) }).parse(body);
      const key = results.add(async () => lastLines(await instance.container?.log(), tail));
      return ok({ success: true, result_url: new URL(`/results/${key}`, url.origin).href });
    }),
  },
  {
    method: 'GET',
    path: /^\/api\/v0\/users\/current\/?$/,
    answer: requireOwner(({ account }) => {
      account.advance();
      return ok({ id: 4711, username: 'lab', email: 'lab@example.org', credit: account.credit(), balance: 0 });
    }),
  },
];

function lastLines(log: Buffer | undefined, count: number): Buffer {
  const lines = (log?.toString('latin1') ?? '').split('\n');
  const end = lines.at(-1) === '' ? 1 : 0;
  return Buffer.from(lines.slice(Math.max(0, lines.length - count - end)).join('\n'), 'latin1');
}

/** The API's error for an invalid request; null if the request is not at fault. */
export function answerForError(error: unknown): Answer | null {
  if (error instanceof z.ZodError) return failure(400, 'invalid_args', z.prettifyError(error));
  if (error instanceof BadFilter || error instanceof SyntaxError) return failure(400, 'invalid_args', error.message);
  return null;
}
