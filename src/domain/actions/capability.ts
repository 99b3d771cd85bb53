/** Spends a capability: what changes the world outside calls this first, with the very call that it is about to make. */

import type { Instant } from '../ids.ts';
import { type Capability, grantOf } from './capability-seal.ts';
import { type ActionStep, isSameStep } from './step.ts';

export type { Capability } from './capability-seal.ts';

/** A capability, and the moment at which it is used. */
export type Permit = { readonly capability: Capability; readonly now: Instant };

/** A call that nobody verified: a bug, and never an expected outcome. */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError';
}

/**
 * Uses up the next step. Throws `CapabilityError` where the capability was not minted, the step is not the next one to the
 * last argument, every step is spent, or its time is over.
 */
export function spendCapability({ capability, now }: Permit, step: ActionStep): void {
  const held = grantOf(capability);
  if (held === null) throw new CapabilityError(`${step.does} with a capability that was not minted`);
  if (now >= held.grant.until) throw new CapabilityError(`${step.does} after the capability had run out`);
  const next = held.grant.steps[held.spent];
  if (next === undefined) throw new CapabilityError(`${step.does} with a capability that is used up`);
  if (!isSameStep(next, step)) throw new CapabilityError(`${step.does} is not what was consented to`);
  held.spent += 1;
}
