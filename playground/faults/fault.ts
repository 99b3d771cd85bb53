/** Faults that can be switched on: what goes wrong, on which routes, how often, and the seed that decides when. */

import * as z from 'zod';
import { faults as limits } from '../limits/limits.ts';

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
 * `rate` is the share of occasions that are struck, decided by `seed` and a count, so that one seed gives one history.
 * `route` is `METHOD /path` without `/api/v3`, where `*` stands for anything; for webhooks it is the event's name.
 * People's own requests are spared unless `people` says otherwise: a rehearsal should not end because mira got a 502.
 */
export const faultSchema = z.object({
  kind: z.enum(faultKinds),
  rate: z.number().min(0).max(1),
  seed: z.int().default(1),
  route: z.string().min(1).max(limits.routeCharacters).default('*'),
  people: z.boolean().default(false),
  /** How slow, how late, how stale, how skewed (a negative skew puts GitHub's clock back). */
  durationMs: z.int().min(-limits.durationMs).max(limits.durationMs).default(limits.durationDefaultMs),
});

export type Fault = z.output<typeof faultSchema>;

/** Whether a route, such as `POST /repos/lab/ferries/issues`, is one of those that the fault names. */
export function concerns(fault: Fault, route: string): boolean {
  const source = fault.route
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`).test(route);
}
