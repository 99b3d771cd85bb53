/**
 * GitHub's secondary limits (docs.github.com/rest: rate limits for the REST API, "About secondary rate limits"),
 * counted per caller: content per minute and per hour, points per minute (REST and GraphQL separately), concurrent
 * requests.
 */

import type { Caller } from '../identity/state-people.ts';
import type { World } from '../world/world.ts';
import { github } from './limits.ts';
import { callerKey, type RateResource } from './rate.ts';

/**
 * The cost of one request: 1 point to read, 5 to write. `content`: the request creates something that sends
 * notifications.
 */
export type Cost = {
  readonly points: number;
  readonly content: boolean;
  /** The resource that the points count against; content and concurrent requests are counted across both. */
  readonly resource: RateResource;
};

export type SecondaryUsage = {
  readonly contentLastMinute: number;
  readonly contentLastHour: number;
  readonly pointsLastMinute: number;
  readonly graphqlPointsLastMinute: number;
  readonly inFlight: number;
};

type Entry = Cost & { readonly atMs: number };
type Ledger = { entries: readonly Entry[]; inFlight: number };

const ledgers = new WeakMap<World, Map<string, Ledger>>();
const minuteMs = 60 * 1000;
const hourMs = 60 * minuteMs;

/** Milliseconds to wait before the request is allowed, or null if it is allowed now. */
export function secondaryWaitMs(world: World, caller: Caller, cost: Cost): number | null {
  const now = world.clock.now();
  const { entries, inFlight } = findLedger(world, caller);
  if (inFlight >= github.requestsAtOnce) return github.secondaryWaitMs;
  const recent = entries.filter(({ atMs }) => atMs > now - minuteMs);
  const spending = recent.filter(({ resource }) => resource === cost.resource);
  const excess = sumPoints(spending, cost.resource) + cost.points - pointsPerMinute[cost.resource];
  if (excess > 0) return waitUntilFree(findLimitingEntry(spending, excess), minuteMs, now);
  if (!cost.content) return null;
  const content = entries.filter((one) => one.content && one.atMs > now - hourMs);
  const lately = content.filter(({ atMs }) => atMs > now - minuteMs);
  if (lately.length >= github.contentPerMinute) return waitUntilFree(lately[0], minuteMs, now);
  return content.length >= github.contentPerHour ? waitUntilFree(content[0], hourMs, now) : null;
}

/** Counts an accepted request; call the returned function when it has been answered. */
export function beginRequest(world: World, caller: Caller, cost: Cost): () => void {
  const ledger = findLedger(world, caller);
  const now = world.clock.now();
  // Only content entries are kept for an hour; all others expire after a minute.
  const kept = ledger.entries.filter((one) => one.atMs > now - (one.content ? hourMs : minuteMs));
  ledger.entries = [...kept, { ...cost, atMs: now }];
  ledger.inFlight += 1;
  return () => {
    ledger.inFlight -= 1;
  };
}

/** The current usage of every caller, for the page and the control endpoint. */
export function secondaryUsage(world: World): Readonly<Record<string, SecondaryUsage>> {
  const now = world.clock.now();
  const within = (entries: readonly Entry[], spanMs: number): readonly Entry[] =>
    entries.filter(({ atMs }) => atMs > now - spanMs);
  const usage: Record<string, SecondaryUsage> = {};
  for (const [key, { entries, inFlight }] of ledgers.get(world) ?? []) {
    const minute = within(entries, minuteMs);
    usage[key] = {
      contentLastMinute: minute.filter(({ content }) => content).length,
      contentLastHour: within(entries, hourMs).filter(({ content }) => content).length,
      pointsLastMinute: sumPoints(minute, 'core'),
      graphqlPointsLastMinute: sumPoints(minute, 'graphql'),
      inFlight,
    };
  }
  return usage;
}

const pointsPerMinute: Readonly<Record<RateResource, number>> = {
  core: github.pointsPerMinute,
  graphql: github.graphqlPointsPerMinute,
};

function sumPoints(entries: readonly Entry[], resource: RateResource): number {
  return entries.reduce((sum, one) => sum + (one.resource === resource ? one.points : 0), 0);
}

/** The entry whose expiry frees enough points for the request. */
function findLimitingEntry(entries: readonly Entry[], points: number): Entry | undefined {
  let freed = 0;
  return entries.find((one) => {
    freed += one.points;
    return freed >= points;
  });
}

function waitUntilFree(oldest: Entry | undefined, spanMs: number, now: number): number {
  return oldest === undefined ? github.secondaryWaitMs : Math.max(1000, oldest.atMs + spanMs - now);
}

function findLedger(world: World, caller: Caller): Ledger {
  const known = ledgers.get(world) ?? new Map<string, Ledger>();
  ledgers.set(world, known);
  const key = callerKey(world, caller);
  const ledger = known.get(key) ?? { entries: [], inFlight: 0 };
  known.set(key, ledger);
  return ledger;
}
