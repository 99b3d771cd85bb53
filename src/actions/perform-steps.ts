/** Performs the steps of an approved change one after the other, and looks at the result. Each kind of change has one file beside this one. */

import type { ChangeStep } from '../domain/actions/action.ts';
import type { Capability, Permit } from '../domain/actions/capability.ts';
import { areSameSteps } from '../domain/actions/step.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import { after } from '../domain/time.ts';

/** How a change ended, as it is recorded. */
export type ChangeEnd = Pick<EventDataByType['action-ended'], 'outcome' | 'code' | 'detail'>;

/** `changed`: what was proposed is not there any more. `unknown`: it could not be read; a later look may succeed. */
export type TargetLook =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'changed';
      readonly code: 'target-changed' | 'steps-changed' | 'list-changed';
      readonly why: string;
    }
  | { readonly kind: 'unknown'; readonly why: string };

/** `stop`: how the change ends here; null: the next step may follow. */
export type StepEnd = {
  readonly said: string;
  readonly stop: Pick<ChangeEnd, 'outcome' | 'code'> | null;
};

/** What one kind of change does. No method throws for an expected outcome. */
export type Executor = {
  /** Looks at the target before the claim and again behind it. */
  readonly look: () => Promise<TargetLook>;
  /** Makes the one call of a step. `index` counts from 0. */
  readonly perform: (step: ChangeStep, permit: Permit, index: number) => Promise<StepEnd>;
  /** Looks at the result. `wasInterrupted`: an earlier runner claimed the change and did not report its end. */
  readonly verify: (claimedAt: Instant, wasInterrupted: boolean) => Promise<ChangeEnd>;
};

export type Clock = {
  readonly now: () => Instant;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** Where steps are performed; tests stop the process at a `boundary`. */
export type StepPlace = Pick<Clock, 'now'> & {
  readonly boundary: (kind: string, moment: 'before' | 'after') => void;
};

/** Performs each step once, in order. The first that does not succeed ends the change; otherwise the executor verifies it. */
export async function performSteps(
  { now, boundary }: StepPlace,
  executor: Executor,
  steps: readonly ChangeStep[],
  { capability, claimedAt }: { readonly capability: Capability; readonly claimedAt: Instant },
): Promise<ChangeEnd> {
  const until = after(claimedAt, limits.actionLifetimeMs);
  const detail: Record<string, string | number> = {};
  for (const [index, step] of steps.entries()) {
    boundary(step.does, 'before');
    const { said, stop } =
      now() < until ? await executor.perform(step, { capability, now: now() }, index) : OUT_OF_TIME;
    boundary(step.does, 'after');
    detail[`step ${index + 1}`] = said;
    if (stop === null) continue;
    const outcome = stop.outcome === 'refused' && index > 0 ? 'failed' : stop.outcome;
    return { outcome, code: stop.code, detail };
  }
  const end = await executor.verify(claimedAt, false);
  return { ...end, detail: { ...detail, ...end.detail } };
}

const OUT_OF_TIME: StepEnd = {
  said: 'not begun: the hour since the claim was over',
  stop: { outcome: 'refused', code: 'out-of-time' },
};

/** The change that the target look reports if the calls are not those that were shown, or null. */
export function stepsLook(
  shown: readonly ChangeStep[],
  now: readonly ChangeStep[],
): Extract<TargetLook, { kind: 'changed' }> | null {
  if (areSameSteps(shown, now)) return null;
  return { kind: 'changed', code: 'steps-changed', why: 'the config has other steps by now' };
}

/** Looks until `isFound` or until the time is over, and returns what it saw last. */
export async function lookUntil<Seen>(
  { now, sleep }: Clock,
  { waitMs, periodMs }: { readonly waitMs: number; readonly periodMs: number },
  look: () => Promise<Seen>,
  isFound: (seen: Seen) => boolean,
): Promise<Seen> {
  const until = after(now(), waitMs);
  for (;;) {
    const seen = await look();
    if (isFound(seen) || now() >= until) return seen;
    await sleep(Math.min(periodMs, Math.max(1, until - now())));
  }
}
