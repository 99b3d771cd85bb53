/** What a detector is: one way in which a run goes wrong, told from what the watch has in hand, or not told at all. */

import type { Evidence } from './evidence.ts';

/** Who has to have said something before a detector can tell. */
export type Witness =
  | 'engine'
  | 'log'
  | 'progress'
  | 'loss'
  | 'speed'
  | 'measures'
  | 'checkpoints'
  | 'store'
  | 'tracker'
  | 'manifest'
  | 'attempts'
  | 'lane'
  | 'monitor';

/** The facts of an alarm, as its sentence needs them: what was seen, beyond what bound, since which step or for how long. */
export type AlarmFacts = {
  readonly seen: string;
  readonly bound?: string;
  readonly step?: string;
  readonly minutes?: number;
};

/** `since` names the occasion: it is told once. `cannot-tell`: what would have to be known is not, which is no *all is well*. */
export type Finding =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'cannot-tell'; readonly missing: Witness }
  | { readonly kind: 'alarm'; readonly since: string; readonly facts: AlarmFacts };

/** What a detector finds in the evidence of one look. */
export type Judge = (evidence: Evidence) => Finding;

export const QUIET: Finding = { kind: 'quiet' };

/** Nobody can tell without this witness. */
export function cannotTell(missing: Witness): Finding {
  return { kind: 'cannot-tell', missing };
}

/** An alarm that is told once for `since`. */
export function alarm(since: string | number, facts: AlarmFacts): Finding {
  return { kind: 'alarm', since: String(since), facts };
}

/** A number as a person reads it, in as many digits as matter. */
export function told(value: number): string {
  return String(Number(value.toPrecision(4)));
}
