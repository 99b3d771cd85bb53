/** The runs that triggers concern, and the loop around reconcile: decide one step, take it, feed the outcome back. */

import type { Effect, EffectOutcome } from '../../domain/effect.ts';
import type { RunFacts } from '../../domain/facts.ts';
import type { Role } from '../../domain/logbook/parts.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Need, needName } from '../../domain/need.ts';
import type { RunId } from '../../domain/values.ts';
import { recordAsDecided } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { causesOf, type Heard, noteReconciled, type Reconciled, tellsOfEnd } from '../../run/causes.ts';
import type { PublishInput } from '../../run/decide-publications.ts';
import { configFor } from '../../run/lane-scope.ts';
import { type Poster, writableKinds } from '../../run/publications.ts';
import { type Agenda, agendaFor, causesOfStep, reconcile, WATCHING } from '../../run/reconcile.ts';
import { type AttemptCache, NO_ATTEMPTS, remembered, type Step } from '../../run/step.ts';
import { deliver } from '../channels.ts';
import { rememberRun } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import type { EventStore } from '../record.ts';
import type { Record } from '../record-files.ts';
import { apartFromComments, type Trouble } from '../trouble.ts';
import { createGatherer, type FactGatherer } from './gather.ts';
import { perform } from './perform.ts';
import type { RunMemory, Turn, Work } from './turn.ts';

/** A run needs about six rounds from a command to a dispatch. */
export const RECONCILE_ROUNDS_MAX = 25;

/** Every run that the triggers may concern. */
export function concernedRuns({ open, triggers, troubles, runs: memory }: Turn): readonly Work[] {
  const record = open.store.current();
  const holds = holdsOf(record);
  const heard = {
    triggers,
    mayHaveEnded: tellsOfEnd(triggers, dispatchedIn(record)),
    areHoldsNew: memory.holds !== holds,
    logbookBranch: open.config.logbookBranch,
  };
  memory.holds = holds;
  const gatherer = createGatherer(open);
  return record.runs.map(({ run }) => ({
    where: { run, thread: null },
    reconcile: () => reconcileIfConcerned({ open, memory, gatherer, troubles, heard }, run),
  }));
}

/** Every run, as far as the watchdog looks after it: whether its watch works. */
export function watchesOf(open: OpenLab, troubles: Trouble[]): readonly Work[] {
  const gatherer = createGatherer(open);
  return open.store.current().runs.map(({ run }) => ({
    where: { run, thread: null },
    reconcile: async () => {
      const memory = { ...NO_ATTEMPTS, appended: open.store.appended(run) };
      await apartFromComments(open, troubles, (withoutText) =>
        reconcileRun(
          {
            open,
            source: { gather: (state, needed) => gatherer.gather(state, needed, withoutText) },
            ...{ agenda: WATCHING, memory },
          },
          run,
        ),
      );
    },
  }));
}

type Concern = {
  readonly open: OpenLab;
  readonly memory: RunMemory;
  readonly gatherer: FactGatherer;
  readonly troubles: Trouble[];
  readonly heard: Heard;
};

async function reconcileIfConcerned(
  { open, memory, gatherer, troubles, heard }: Concern,
  run: RunId,
): Promise<void> {
  const { lab, store, posted } = open;
  const { settled, speaksFor } = memory;
  const before = stateOf(store, run);
  const causes =
    before === null
      ? []
      : causesOf({ settled, poster: posterOf(store, run, speaksFor), now: lab.now() }, before, heard);
  if (before === null || causes.length === 0) return;
  const turned = await apartFromComments(open, troubles, (withoutText) =>
    reconcileRun(
      {
        open,
        source: { gather: (state, needed) => gatherer.gather(state, needed, withoutText) },
        agenda: agendaFor(causes),
        memory: { ...(posted.runs.get(run)?.memory ?? NO_ATTEMPTS), ...posterOf(store, run, speaksFor) },
        needs: causes.some((cause) => cause === 'facts' || cause === 'comments') ? ['comments'] : [],
        mayHaveEnded: heard.mayHaveEnded,
      },
      run,
    ),
  );
  const { outcome, memory: attempts } = turned;
  rememberRun(posted, run, { ours: null, memory: attempts, entries: store.appended(run).size });
  await deliver(open, run);
  const after = stateOf(store, run);
  noteReconciled({ settled, poster: posterOf(store, run, speaksFor), now: lab.now() }, before, after, {
    outcome,
    causes,
  });
}

function posterOf(store: EventStore, run: RunId, speaksFor: readonly Role[]): Poster {
  return { speaksFor, appended: store.appended(run) };
}

/** All holds as one text: a change affects the gates of every waiting run. */
export function holdsOf({ journal }: Record): string {
  return journal.holds.map(({ scope, lane, date }) => `${scope} ${lane} ${date}`).join(', ');
}

/** Workflow runs that the record names. */
export function dispatchedIn({ runs, journal }: Record): ReadonlySet<number> {
  const all = [...runs, journal].flatMap(({ dispatches }) => dispatches);
  return new Set(all.map(({ workflowRun }) => workflowRun));
}

/** Where a process reads the facts of one run. */
export type FactSource = {
  /** `needed`: what the decisions asked for. */
  readonly gather: (state: RunState, needed: ReadonlyMap<string, Need>) => Promise<RunFacts>;
  /** Whether facts that the effect rests on had to be read again. */
  readonly refresh?: (effect: Effect) => Promise<boolean>;
  readonly note?: (effect: Effect, outcome: EffectOutcome) => void;
};

type RunContext = {
  readonly open: OpenLab;
  readonly source: FactSource;
  readonly agenda: Agenda;
  readonly memory: AttemptCache;
  /** Facts that the first round has. */
  readonly needs?: readonly Need[];
  readonly mayHaveEnded?: boolean;
  /** Post only comments of these kinds. */
  readonly only?: PublishInput['only'];
};

/** What became of a run's turn. */
type Turned = { readonly outcome: Reconciled; readonly memory: AttemptCache };

/** Decides and acts until no step is possible now. Control, the watch and the watchdog differ in the agenda and the facts. */
export async function reconcileRun(context: RunContext, run: RunId): Promise<Turned> {
  const { open, source } = context;
  const { lab, store } = open;
  let { memory, agenda } = context;
  const needed = new Map(context.needs?.map((one) => [needName(one), one]));
  let head: string | null = null;
  // A round that only asks for facts does not count: there are finitely many, and none is asked for twice.
  for (let round = 0; round < RECONCILE_ROUNDS_MAX + needed.size; round += 1) {
    const state = stateOf(store, run);
    if (state === null) return { outcome: 'settled', memory };
    const facts = await source.gather(state, needed);
    // Reading the cards reloaded the record, so the state may have changed.
    if (stateOf(store, run)?.head.hash !== state.head.hash) continue;
    // Another process has appended.
    if (head !== null && head !== state.head.hash) agenda = agendaFor(['facts'], agenda);
    head = state.head.hash;
    const writable = writableKinds(lab.client, lab.now());
    const decided = reconcile(
      {
        state,
        facts,
        config: configFor(open.config, state),
        repository: lab.repository,
        now: lab.now(),
        memory,
        digestOf: lab.digestOf,
        mayHaveEnded: context.mayHaveEnded === true,
        only: context.only?.filter((kind) => writable?.some((one) => one === kind) ?? true) ?? writable,
      },
      agenda,
    );
    const { step } = decided;
    if (step === null) {
      const isUnread = needed.has('comments') && facts.comments.kind === 'unknown';
      const isOwing = writable !== undefined || !areEffectsDone(memory) || isUnread;
      return { outcome: isOwing ? 'owing' : 'settled', memory };
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
    if (step.kind === 'perform' && (await source.refresh?.(step.effect)) === true) continue;
    const taken = await take(context, run, step, memory);
    if (taken === 'refused') return { outcome: 'owing', memory };
    if (taken.appended !== memory.appended) head = stateOf(store, run)?.head.hash ?? null;
    memory = taken;
  }
  lab.log('reconcile did not settle', { run, rounds: RECONCILE_ROUNDS_MAX });
  return { outcome: 'owing', memory };
}

function areEffectsDone(memory: AttemptCache): boolean {
  return [...memory.outcomes.values()].every((outcome) => outcome.kind === 'done');
}

function stateOf(store: EventStore, run: RunId): RunState | null {
  return store.current().runs.find((state) => state.run === run) ?? null;
}

async function take(
  { open, source }: RunContext,
  run: RunId,
  step: Exclude<Step, { kind: 'need' }>,
  memory: AttemptCache,
): Promise<AttemptCache | 'refused'> {
  if (step.kind === 'perform') {
    const outcome = await perform(open, step.effect);
    source.note?.(step.effect, outcome);
    return remembered(memory, step.key, outcome);
  }
  const journal = { run: JOURNAL, drafts: step.journal } as const;
  const recorded = await recordAsDecided(open, [{ run, drafts: step.drafts }, journal]);
  if (recorded.kind === 'refused') return 'refused';
  // The record moved: the next round finds out.
  if (recorded.kind === 'nothing') return memory;
  return { ...memory, appended: new Set(open.store.appended(run)) };
}
