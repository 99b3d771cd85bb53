/** Faults that can be switched on: the kind of failure, the routes, the rate, and the seed that decides when. */

import * as z from 'zod';
import { faults as limits } from '../limits/limits.ts';
import { assertNever } from '../world/assert.ts';
import { matchesGlob } from './glob.ts';

/** Faults of requests, of webhooks, of git pushes, and of the clock. */
export const faultKinds = [
  'server-error',
  'slow',
  'lost-request',
  'lost-answer',
  'stale-read',
  'secondary-limit',
  'webhook-dropped',
  'webhook-doubled',
  'webhook-delayed',
  'webhook-reordered',
  'push-answer-lost',
  'clock-skew',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/**
 * `rate` is the share of occasions that fail, decided by `seed` and a count, so that one seed gives one history.
 * `route` is `METHOD /path`, with or without `/api/v3`, where `*` matches anything. For webhooks it is the event's
 * name, for pushes `push` or git's own `POST /owner/repo.git/git-receive-pack`; clock faults have no route. People's
 * own requests are spared unless `people` is true, because a rehearsal should not end when mira gets a 502. Misspelled
 * routes are rejected: a fault that never strikes would look like one that did no harm.
 */
export const faultSchema = z
  .strictObject({
    kind: z.enum(faultKinds),
    rate: z.number().min(0).max(1),
    seed: z.int().default(1),
    route: z.string().min(1).max(limits.routeCharacters).default('*'),
    people: z.boolean().default(false),
    /** The delay, age or skew, depending on the kind (a negative skew sets GitHub's clock back). */
    durationMs: z.int().min(-limits.durationMs).max(limits.durationMs).default(limits.durationDefaultMs),
  })
  .superRefine(({ kind, route, durationMs }, context) => {
    const complaint = route === '*' ? null : findRouteProblem(kind, route);
    if (complaint !== null) context.addIssue({ code: 'custom', path: ['route'], message: complaint });
    if (durationMs < 0 && kind !== 'clock-skew')
      context.addIssue({ code: 'custom', path: ['durationMs'], message: 'only a clock goes back: not negative' });
  });

export type Fault = z.output<typeof faultSchema>;

/** Whether a fault applies to a route such as `POST /repos/lab/ferries/issues`. */
export function matchesRoute(fault: Fault, route: string): boolean {
  return matchesGlob(fault.route, route);
}

/** The error for a pattern that no occasion of the kind can match; null if one can. */
function findRouteProblem(kind: FaultKind, route: string): string | null {
  switch (kind) {
    case 'server-error':
    case 'slow':
    case 'lost-request':
    case 'lost-answer':
    case 'stale-read':
    case 'secondary-limit':
      return isRequest(route) ? null : 'a route is METHOD /path, such as POST /repos/*/issues';
    case 'webhook-dropped':
    case 'webhook-doubled':
    case 'webhook-delayed':
    case 'webhook-reordered':
      return /^[a-z_*]+$/.test(route) ? null : "a webhook's route is the name of its event, such as issue_comment";
    case 'push-answer-lost':
      return matchesGlob(route, 'push') || isRequest(route)
        ? null
        : "a push's route is push, or POST /owner/repo.git/git-receive-pack";
    case 'clock-skew':
      return 'a clock has no routes';
    default:
      return assertNever(kind);
  }
}

function isRequest(route: string): boolean {
  return /^(?:\*|[A-Z]+(?:\*| [/*]))/.test(route);
}
