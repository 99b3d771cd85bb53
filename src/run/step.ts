/** One step of a reconciliation: record something, or act outside, never both. */

import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { Role } from '../domain/logbook/role.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Needing } from '../domain/need.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

export type Step =
  /** `journal`: drafts for the repository journal in the same push. */
  | {
      readonly kind: 'append';
      readonly drafts: readonly EventDraft[];
      readonly journal: readonly EventDraft[];
    }
  /** `key` identifies the effect in this process's memory, so that it is not repeated before its result is visible. */
  | { readonly kind: 'perform'; readonly key: string; readonly effect: Effect }
  | Needing;

/** What this process tried; a new process starts empty and reads the outside state. */
export type AttemptCache = {
  readonly outcomes: ReadonlyMap<string, EffectOutcome>;
  readonly tries: ReadonlyMap<string, number>;
  /** Sequence numbers that this process appended and publishes without waiting. */
  readonly appended: ReadonlySet<number>;
  /** Roles whose events this process publishes immediately; the runner never posts. */
  readonly speaksFor?: readonly Role[];
};

/** What the next step of a run is decided on. */
export type DeciderInput = {
  readonly state: RunState;
  readonly facts: RunFacts;
  readonly config: LaneScopedConfig;
  readonly now: Instant;
  readonly memory: AttemptCache;
};

export const NO_ATTEMPTS: AttemptCache = { outcomes: new Map(), tries: new Map(), appended: new Set() };

/** Records in the run. */
export function append(...drafts: readonly EventDraft[]): Step {
  return { kind: 'append', drafts, journal: [] };
}

/** Records in the run and in the repository journal in one push. */
export function appendBoth(drafts: readonly EventDraft[], journal: readonly EventDraft[]): Step {
  return { kind: 'append', drafts, journal };
}

/** Acts outside. */
export function perform(key: string, effect: Effect): Step {
  return { kind: 'perform', key, effect };
}

/** False if done, refused, or tried `triesMax` times. */
export function mayTry(memory: AttemptCache, key: string, triesMax: number): boolean {
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'done' || outcome?.kind === 'refused') return false;
  return (memory.tries.get(key) ?? 0) < triesMax;
}

/** Whether this process saw the effect done. */
export function isDone(memory: AttemptCache, key: string): boolean {
  return memory.outcomes.get(key)?.kind === 'done';
}

/** The cache with the outcome of one more effect. */
export function remembered(memory: AttemptCache, key: string, outcome: EffectOutcome): AttemptCache {
  return {
    ...memory,
    outcomes: new Map([...memory.outcomes, [key, outcome]]),
    tries: new Map([...memory.tries, [key, (memory.tries.get(key) ?? 0) + 1]]),
  };
}
