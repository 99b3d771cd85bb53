/** Counts requests per caller, for GitHub's hourly limit and for benchmarks. */

import { callerName } from '../identity/identity.ts';
import type { Caller } from '../identity/state-people.ts';
import type { Usage } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { github } from './limits.ts';

/** REST and GraphQL have separate hourly budgets (docs.github.com/graphql: rate limits and query limits). */
export type RateResource = 'core' | 'graphql';
export type RateWindow = { readonly limit: number; readonly used: number; readonly resetAtMs: number };

type Windows = Readonly<Record<RateResource, Map<string, RateWindow>>>;

const windows = new WeakMap<World, Windows>();
const unused: Usage = { rest: 0, graphql: 0, notModified: 0, contentWrites: 0, mints: 0, git: 0 };

/** The current hourly window of a caller. */
export function currentRate(world: World, caller: Caller, resource: RateResource = 'core'): RateWindow {
  const now = world.clock.now();
  const known = windowTable(world, resource).get(callerKey(world, caller));
  if (known !== undefined && known.resetAtMs > now) return known;
  return { limit: rateLimit(caller), used: 0, resetAtMs: now + github.rateWindowMs };
}

/** The hourly windows of all callers with requests in them. */
export function rateUsage(world: World, resource: RateResource = 'core'): Readonly<Record<string, RateWindow>> {
  const now = world.clock.now();
  return Object.fromEntries([...windowTable(world, resource)].filter(([, { resetAtMs }]) => resetAtMs > now));
}

/** Counts one request against the hour; a 304 or `GET /rate_limit` is not counted. A GraphQL query costs one point. */
export function spendRequest(world: World, caller: Caller, resource: RateResource = 'core'): void {
  const rate = currentRate(world, caller, resource);
  windowTable(world, resource).set(callerKey(world, caller), { ...rate, used: rate.used + 1 });
}

export function rateHeaders(rate: RateWindow, resource: string): Record<string, string> {
  return {
    'x-ratelimit-limit': `${rate.limit}`,
    'x-ratelimit-remaining': `${Math.max(0, rate.limit - rate.used)}`,
    'x-ratelimit-reset': `${Math.ceil(rate.resetAtMs / 1000)}`,
    'x-ratelimit-resource': resource,
    'x-ratelimit-used': `${rate.used}`,
  };
}

export function countUsage(world: World, caller: Caller, kind: keyof Usage): void {
  const name = callerName(world, caller);
  const usage = world.state.usage[name] ?? unused;
  world.state.usage[name] = { ...usage, [kind]: usage[kind] + 1 };
}

/** A workflow's limit is counted per repository, across runs. */
export function callerKey(world: World, caller: Caller): string {
  return caller.kind === 'workflow' ? `workflows of ${caller.repoId}` : callerName(world, caller);
}

function rateLimit(caller: Caller): number {
  if (caller.kind === 'anonymous') return github.anonymousRequestsPerHour;
  return caller.kind === 'workflow' ? github.workflowRequestsPerHour : github.requestsPerHour;
}

function windowTable(world: World, resource: RateResource): Map<string, RateWindow> {
  const known = windows.get(world) ?? { core: new Map(), graphql: new Map() };
  windows.set(world, known);
  return known[resource];
}
