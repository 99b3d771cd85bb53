/** The loop around reconcile: decide one step, do it, feed what came of it back, until nothing is owed. */

import type { EffectOutcome } from '../../domain/effect.ts';
import type { RunFacts } from '../../domain/facts.ts';
import type { RunId } from '../../domain/ids.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Need, needName } from '../../domain/need.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import { isAllSaid } from '../../run/decide-publications.ts';
import type { LabConfig, LaneScopedConfig } from '../../run/lane-scope.ts';
import type { Reconciled } from '../../run/needs-reconcile.ts';
import { publishedHeads } from '../../run/published-heads.ts';
import { reconcile } from '../../run/reconcile.ts';
import { configFor } from '../../run/run-config.ts';
import type { AttemptCache, Step } from '../../run/step.ts';
import type { Lab, LabGit } from '../lab.ts';
import type { EventStore } from '../record.ts';
import type { Memories } from './attempt-caches.ts';
import type { FactGatherer, WithoutText } from './gather.ts';
import { perform } from './perform.ts';

/** Reconcile rounds of one trigger: a run needs about six from a command to a dispatch. */
export const RECONCILE_ROUNDS_MAX = 25;

export type RunContext = {
  readonly lab: Lab;
  readonly git: LabGit;
  readonly config: LaneScopedConfig;
  /** What `config` is made of anew where the record has another contract of the run. */
  readonly labConfig: LabConfig;
  readonly store: EventStore;
  readonly gatherer: FactGatherer;
  readonly memories: Memories;
  readonly withoutText: WithoutText;
  readonly mayHaveEnded: boolean;
};

/** Brings one run to where nothing more can be done for it now. */
export async function reconcileRun(context: RunContext, run: RunId): Promise<Reconciled> {
  const { lab, store, gatherer } = context;
  let memory = context.memories.of(run);
  const needed = new Map<string, Need>();
  // What is asked for costs no round: there are so many facts, and none is asked for twice.
  for (let round = 0; round < RECONCILE_ROUNDS_MAX + needed.size; round += 1) {
    const state = stateOf(store, run);
    if (state === null) return 'settled';
    const facts = await gatherer.gather(state, store.current(), needed, context.withoutText);
    await holdAgainstCards(context, run, facts);
    // The record was read again for it, and may have more by now, or not be trusted any more.
    if (stateOf(store, run)?.head.hash !== state.head.hash) continue;
    const step = reconcile({
      state,
      facts,
      config: configFor(context.labConfig, state),
      repository: lab.repository,
      now: lab.now(),
      memory,
      digestOf: lab.digestOf,
      mayHaveEnded: context.mayHaveEnded,
    });
    if (step === null) {
      if (!isSettled(memory) || facts.comments.kind === 'unknown') return 'owing';
      return isAllSaid(state, facts.comments.value, memory) ? 'said' : 'settled';
    }
    if (step.kind === 'need') {
      for (const fact of step.facts) {
        const name = needName(fact);
        if (needed.has(name)) throw new Error(`${name} was read, and is asked for again`);
        needed.set(name, fact);
      }
      continue;
    }
    const taken = await take(context, run, step, memory);
    if (taken === 'refused') return 'owing';
    memory = taken;
    context.memories.keep(run, memory);
  }
  lab.log('reconcile did not settle', { run, rounds: RECONCILE_ROUNDS_MAX });
  return 'owing';
}

/** Our own card may tell of an entry that the record does not have: a branch that was put back is noticed by it. */
async function holdAgainstCards({ store }: RunContext, run: RunId, { comments }: RunFacts): Promise<void> {
  for (const card of comments.kind === 'known' ? publishedHeads(comments.value) : []) {
    if (card.run === run) await store.expect(run, card.anchor, card.thread);
  }
}

/** Whether everything that was tried in this trigger was done. */
function isSettled(memory: AttemptCache): boolean {
  return [...memory.outcomes.values()].every((outcome) => outcome.kind === 'done');
}

function stateOf(store: EventStore, run: RunId): RunState | null {
  return store.current().runs.find((state) => state.run === run) ?? null;
}

async function take(
  context: RunContext,
  run: RunId,
  step: Exclude<Step, { kind: 'need' }>,
  memory: AttemptCache,
): Promise<AttemptCache | 'refused'> {
  if (step.kind === 'perform') return remembered(memory, step.key, await perform(context, step.effect));
  const journal = { run: JOURNAL, drafts: step.journal } as const;
  const recorded = await recordAsDecided(context, [{ run, drafts: step.drafts }, journal]);
  if (recorded.kind === 'refused') return 'refused';
  const seqs = recorded.kind === 'recorded' ? (recorded.seqs.get(run) ?? []) : [];
  return { ...memory, appended: new Set([...memory.appended, ...seqs]) };
}

/** The memory with what came of one more effect. */
export function remembered(memory: AttemptCache, key: string, outcome: EffectOutcome): AttemptCache {
  return {
    ...memory,
    outcomes: new Map([...memory.outcomes, [key, outcome]]),
    tries: new Map([...memory.tries, [key, (memory.tries.get(key) ?? 0) + 1]]),
  };
}
