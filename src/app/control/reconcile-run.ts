/** The loop around reconcile: decide one step, take it, feed the outcome back, until no step is left. */

import type { RunFacts } from '../../domain/facts.ts';
import type { RunId } from '../../domain/ids.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Need, needName } from '../../domain/need.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import type { Reconciled } from '../../run/causes.ts';
import { isAllSaid } from '../../run/decide-publications.ts';
import type { LabConfig, LaneScopedConfig } from '../../run/lane-scope.ts';
import { publishedHeads } from '../../run/published-heads.ts';
import { agendaFor, type Cause, causesOfStep, reconcile } from '../../run/reconcile.ts';
import { configFor } from '../../run/run-config.ts';
import { type AttemptCache, remembered, type Step } from '../../run/step.ts';
import { hasRoom } from '../../run/write-budget.ts';
import type { Lab, LabGit } from '../lab.ts';
import type { EventStore } from '../record.ts';
import type { Memories } from './attempt-caches.ts';
import type { FactGatherer, WithoutText } from './gather.ts';
import { perform } from './perform.ts';

/** A run needs about six rounds from a command to a dispatch. */
export const RECONCILE_ROUNDS_MAX = 25;

/** What is posted although GitHub's limits leave no room for other texts. */
const URGENT = ['answer', 'incident'] as const;

type RunContext = {
  readonly lab: Lab;
  readonly git: LabGit;
  readonly config: LaneScopedConfig;
  /** Makes `config` again when a new contract of the run is recorded. */
  readonly labConfig: LabConfig;
  readonly store: EventStore;
  readonly gatherer: FactGatherer;
  readonly memories: Memories;
  readonly withoutText: WithoutText;
  readonly mayHaveEnded: boolean;
  readonly causes: readonly Cause[];
};

/** Reconciles one run until no step is possible now. */
export async function reconcileRun(context: RunContext, run: RunId): Promise<Reconciled> {
  const { lab, store, gatherer } = context;
  let memory = context.memories.of(run);
  let agenda = agendaFor(context.causes);
  const needed = new Map<string, Need>();
  if (context.causes.some((cause) => cause === 'facts' || cause === 'comments'))
    needed.set('comments', 'comments');
  let head: string | null = null;
  // A round that only asks for facts does not count: there are finitely many, and none is asked for twice.
  for (let round = 0; round < RECONCILE_ROUNDS_MAX + needed.size; round += 1) {
    const state = stateOf(store, run);
    if (state === null) return 'settled';
    const facts = await gatherer.gather(state, store.current(), needed, context.withoutText);
    await holdAgainstCards(context, run, facts);
    // Reading the cards reloaded the record, so the state may have changed.
    if (stateOf(store, run)?.head.hash !== state.head.hash) continue;
    // Another process has appended.
    if (head !== null && head !== state.head.hash) agenda = agendaFor(['facts'], agenda);
    head = state.head.hash;
    const isFull = !hasRoom(lab.client, lab.now(), false);
    const decided = reconcile(
      {
        state,
        facts,
        config: configFor(context.labConfig, state),
        repository: lab.repository,
        now: lab.now(),
        memory,
        digestOf: lab.digestOf,
        mayHaveEnded: context.mayHaveEnded,
        only: isFull ? URGENT : undefined,
      },
      agenda,
    );
    const { step } = decided;
    if (step === null) {
      if (isFull || !isSettled(memory) || (needed.has('comments') && facts.comments.kind === 'unknown'))
        return 'owing';
      return facts.comments.kind === 'known' && isAllSaid(state, facts.comments.value, memory)
        ? 'said'
        : 'settled';
    }
    agenda = agendaFor(causesOfStep(step), decided.agenda);
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
    if (taken.appended !== memory.appended) head = stateOf(store, run)?.head.hash ?? null;
    memory = taken;
    context.memories.keep(run, memory);
  }
  lab.log('reconcile did not settle', { run, rounds: RECONCILE_ROUNDS_MAX });
  return 'owing';
}

/** A card can name an entry that the record lacks: that is how a rewound branch is noticed. */
async function holdAgainstCards({ store }: RunContext, run: RunId, { comments }: RunFacts): Promise<void> {
  for (const card of comments.kind === 'known' ? publishedHeads(comments.value) : []) {
    if (card.run === run) await store.expect(run, card.anchor, card.thread);
  }
}

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
  // The record moved: the next round finds out.
  if (recorded.kind === 'nothing') return memory;
  return { ...memory, appended: new Set(context.store.appended(run)) };
}
