/** Spends a consent: what changes a cluster calls this first, with the very call that it is about to make. */

import type { Instant } from '../ids.ts';
import { type ConsentToken, grantOf } from './consent-seal.ts';
import { isSameStep, type MutationStep } from './mutation.ts';

export type { ConsentToken } from './consent-seal.ts';

/** A call on a cluster that nobody consented to: a bug, and never an expected outcome. */
export class ConsentError extends Error {
  override readonly name = 'ConsentError';
}

/**
 * Uses up the next step of the token. Throws `ConsentError` where the token was not minted, the step is not the next one
 * to the last argument, every step is spent, or the hour is over.
 */
export function spendConsent(token: ConsentToken, step: MutationStep, now: Instant): void {
  const held = grantOf(token);
  if (held === null) throw new ConsentError(`${step.does} with a consent that was not minted`);
  if (now >= held.grant.until) throw new ConsentError(`${step.does} after the consent had run out`);
  const next = held.grant.steps[held.spent];
  if (next === undefined) throw new ConsentError(`${step.does} with a consent that is used up`);
  if (!isSameStep(next, step)) throw new ConsentError(`${step.does} is not what was consented to`);
  held.spent += 1;
}
