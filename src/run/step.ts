/** One step of a reconciliation: record something, or do something outside. Never both at once, so that each is a boundary. */

import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { Role } from '../domain/logbook/role.ts';
import type { Needing } from '../domain/need.ts';

export type Step =
  /** `journal`: what the repository journal gets in the same push. */
  | {
      readonly kind: 'append';
      readonly drafts: readonly EventDraft[];
      readonly journal: readonly EventDraft[];
    }
  /** `key` names the effect in this process's memory, so that it is not done twice while its trace is not visible yet. */
  | { readonly kind: 'perform'; readonly key: string; readonly effect: Effect }
  | Needing;

/** What this process has tried and what came of it. Another process starts with nothing and looks. */
export type AttemptCache = {
  readonly outcomes: ReadonlyMap<string, EffectOutcome>;
  readonly tries: ReadonlyMap<string, number>;
  /** Sequence numbers that this process appended: it publishes them without waiting. */
  readonly appended: ReadonlySet<number>;
  /** Roles whose events this process publishes as if they were its own: the runner writes and never speaks. */
  readonly speaksFor?: readonly Role[];
};

export const NO_ATTEMPTS: AttemptCache = { outcomes: new Map(), tries: new Map(), appended: new Set() };

/** A step that records. */
export function append(...drafts: readonly EventDraft[]): Step {
  return { kind: 'append', drafts, journal: [] };
}

/** A step that records in the run and in the repository journal, in one push. */
export function appendBoth(drafts: readonly EventDraft[], journal: readonly EventDraft[]): Step {
  return { kind: 'append', drafts, journal };
}

/** A step that acts. */
export function perform(key: string, effect: Effect): Step {
  return { kind: 'perform', key, effect };
}

/** Whether an effect may be (tried again and) performed: not done, not refused, and tried less than `triesMax` times. */
export function mayTry(memory: AttemptCache, key: string, triesMax: number): boolean {
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'done' || outcome?.kind === 'refused') return false;
  return (memory.tries.get(key) ?? 0) < triesMax;
}

/** Whether this process saw the effect done. */
export function isDone(memory: AttemptCache, key: string): boolean {
  return memory.outcomes.get(key)?.kind === 'done';
}
