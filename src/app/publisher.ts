/** Publishing by a process that is not control: the watch posts what its own events owe, and keeps the card moving. */

import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { RunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, unknown } from '../domain/observed.ts';
import { readProposal } from '../github/proposal-threads.ts';
import { decidePublication } from '../run/decide-publications.ts';
import { threadsSince } from '../run/pending-commands.ts';
import { type AttemptCache, NO_ATTEMPTS } from '../run/step.ts';
import { verdictOf } from '../run/verdict-of.ts';
import { perform } from './control/perform.ts';
import { type OpenLab, openForRun } from './open-lab.ts';
import { placeOf, readingOf } from './reading.ts';

export type Publisher = {
  readonly publish: (open: OpenLab, run: RunId, seqs: readonly number[]) => Promise<void>;
};

/** A publisher that reads the threads once and then knows them by what it writes itself: progress costs one request an edit. */
export function createPublisher(): Publisher {
  const threads = new Map<RunId, readonly CommentFacts[]>();
  const memories = new Map<RunId, AttemptCache>();
  return {
    publish: async (open, run, seqs) => {
      const comments = threads.get(run) ?? (await readOurs(open, run));
      if (comments === null) return;
      const before = memories.get(run) ?? NO_ATTEMPTS;
      let memory: AttemptCache = {
        ...before,
        tries: new Map(),
        appended: new Set([...before.appended, ...seqs]),
      };
      let ours = comments;
      let isAllSaid = true;
      let isRead = !threads.has(run);
      for (let step = 0; step < limits.publishStepsMax; step += 1) {
        const next = decidePublication({ ...inputFor(open, run, ours), memory });
        if (next === null || next.kind !== 'perform') break;
        if (!isRead && mayStandAlready(next.effect)) {
          const read = await readOurs(open, run);
          if (read === null) {
            isAllSaid = false;
            break;
          }
          isRead = true;
          ours = read;
          continue;
        }
        const outcome = await perform(open, next.effect);
        memory = {
          ...memory,
          outcomes: new Map([...memory.outcomes, [next.key, outcome]]),
          tries: new Map([...memory.tries, [next.key, (memory.tries.get(next.key) ?? 0) + 1]]),
        };
        const now = withOwn(ours, next.effect, outcome);
        ours = now ?? ours;
        isAllSaid &&= outcome.kind === 'done' && now !== null;
      }
      // What could not be said, or perhaps was, control says after a while: the next time the threads are read anew.
      if (isAllSaid) threads.set(run, ours);
      else threads.delete(run);
      memories.set(run, {
        ...memory,
        outcomes: new Map([...memory.outcomes].filter(([, o]) => o.kind === 'done')),
      });
    },
  };
}

/** What another process wrote in the record it has probably said, and threads that were read earlier do not show that. */
function mayStandAlready(effect: Effect): boolean {
  return effect.kind === 'post-comment' && effect.isShared === true;
}

async function readOurs(open: OpenLab, run: RunId): Promise<readonly CommentFacts[] | null> {
  const state = stateOf(open, run);
  const { proposal } = state;
  const read = await readProposal(
    open.lab.client,
    placeOf(proposal, openForRun(open, state).config),
    readingOf(open.lab, open.config),
    threadsSince(state),
  );
  if (read.kind === 'known') return read.value.comments.filter(({ marker }) => marker !== null);
  open.lab.log(`the threads could not be read: ${read.why}`, { run });
  return null;
}

function stateOf(open: OpenLab, run: RunId): RunState {
  const state = open.store.current().runs.find((r) => r.run === run);
  if (state === undefined) throw new Error(`the run ${run} is not in the record`);
  return state;
}

function inputFor(
  open: OpenLab,
  run: RunId,
  ours: readonly CommentFacts[],
): Omit<Parameters<typeof decidePublication>[0], 'memory'> {
  const { lab, store } = open;
  const state = stateOf(open, run);
  const { config } = openForRun(open, state);
  const { runs } = store.current();
  const nothing = unknown('not read by the watch');
  const facts: RunFacts = {
    pull: nothing,
    issue: nothing,
    comments: known(ours),
    readAt: lab.now(),
    cardHistory: nothing,
    proposalTexts: new Map(),
    cited: new Map(),
    change: nothing,
    changedSince: nothing,
    branchWork: nothing,
    body: nothing,
    checks: nothing,
    configHealth: nothing,
    permissions: new Map(),
    people: nothing,
    recordedRuns: known(runs),
    handedOver: new Map(),
    journalHolds: nothing,
    clusterMutations: nothing,
    launchRuns: nothing,
    watchRuns: nothing,
    stopRuns: nothing,
    careRuns: nothing,
    closureLog: nothing,
    sealTag: nothing,
  };
  return {
    state,
    facts,
    config,
    repository: lab.repository,
    now: lab.now(),
    verdict: verdictOf(state, config, runs),
    activeRuns: runs.filter(isLive).length,
    annotations: [],
  };
}

/** The threads after our own write, without reading them again; null where GitHub did not say what stands there now. */
function withOwn(
  ours: readonly CommentFacts[],
  effect: Effect,
  outcome: EffectOutcome,
): readonly CommentFacts[] | null {
  if (effect.kind !== 'edit-comment' && effect.kind !== 'post-comment') return ours;
  if (outcome.kind !== 'done') return ours;
  const { number, written } = outcome;
  const pattern = ours.find(({ id }) => effect.kind === 'edit-comment' && id === effect.comment) ?? ours[0];
  if (written === undefined || number === null || pattern === undefined) return null;
  const { thread } = effect;
  const { body, updatedAt, marker } = written;
  const now = { ...pattern, id: number, thread, body, marker, updatedAt };
  if (effect.kind === 'edit-comment')
    return ours.map((c) => (c.id === number ? { ...now, editedAt: updatedAt } : c));
  return [...ours, { ...now, createdAt: updatedAt, editedAt: null }];
}
