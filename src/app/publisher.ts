/** Publishing by the watch: it posts the comments for its own entries and keeps the card current. */

import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { RunId } from '../domain/ids.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, unknown } from '../domain/observed.ts';
import { readProposal } from '../github/proposal-threads.ts';
import { decidePublication, type PublishedOn } from '../run/decide-publications.ts';
import { threadsSince } from '../run/pending-commands.ts';
import { type AttemptCache, NO_ATTEMPTS } from '../run/step.ts';
import { verdictOf } from '../run/verdict-of.ts';
import { createWriteBudget, type WriteBudget } from '../run/write-budget.ts';
import { perform } from './control/perform.ts';
import { type OpenLab, openForRun } from './open-lab.ts';
import { placeOf, readingOf } from './reading.ts';

/** Comments per turn, then the card. */
const PUBLISH_STEPS_MAX = 12;
/** Time for publishing in one turn of the watch, so that it does not delay a stop. */
const PUBLISH_TURN_MS = 15_000;

/** A run with entries to publish. */
type Owed = { readonly run: RunId; readonly seqs: readonly number[] };

export type Publisher = {
  /** Publishes these entries as far as there is room; `sayOwed` publishes the rest. */
  readonly publish: (open: OpenLab, run: RunId, seqs: readonly number[]) => Promise<void>;
  /** Queues entries. */
  readonly owe: (owed: Owed) => void;
  /** Publishes queued entries, alerts of all runs first. `inRun` contains errors of one run. */
  readonly sayOwed: (open: OpenLab, inRun: InRun, pass: Pass) => Promise<void>;
};

type InRun = (run: RunId, work: () => Promise<boolean>) => Promise<boolean | null>;

type Said = {
  readonly threads: Map<RunId, readonly CommentFacts[]>;
  readonly memories: Map<RunId, AttemptCache>;
  /** In order of arrival. */
  readonly owing: Map<RunId, readonly number[]>;
  readonly budget: WriteBudget;
};

/** Prefix of the keys of incident comments. */
const ALERT = 'publish:incident:';

/** `alerts`: incidents only, if time is short. */
type Pass = 'alerts' | 'all';

/** Reads the threads once and then updates its copy with its own writes, so that progress costs one request. */
export function createPublisher(): Publisher {
  const said: Said = {
    threads: new Map(),
    memories: new Map(),
    owing: new Map(),
    budget: createWriteBudget(),
  };
  const owe = ({ run, seqs }: Owed): void => {
    said.owing.set(run, [...(said.owing.get(run) ?? []), ...seqs]);
  };
  return {
    owe,
    publish: async (open, run, seqs) => {
      owe({ run, seqs });
      await sayIn(said, open, run, 'all');
    },
    sayOwed: async (open, inRun, upTo) => {
      const until = open.lab.now() + PUBLISH_TURN_MS;
      const alarmed = [...said.owing.keys()].filter((run) => owesAlert(said, open, run));
      const passes = [
        ...alarmed.map((run) => [run, 'alerts'] as const),
        ...(upTo === 'all' ? [...said.owing.keys()] : []).map((run) => [run, 'all'] as const),
      ];
      for (const [run, pass] of passes) {
        if (open.lab.now() >= until || !said.budget.hasRoom(open.lab.now(), pass === 'alerts')) return;
        // Do not retry after a bug.
        if ((await inRun(run, () => sayIn(said, open, run, pass))) === null) said.owing.delete(run);
      }
    },
  };
}

/** Whether an incident is queued, without reading the threads. */
function owesAlert({ owing, memories }: Said, open: OpenLab, run: RunId): boolean {
  const seqs = owing.get(run) ?? [];
  const outcomes = memories.get(run)?.outcomes;
  return stateOf(open, run).incidents.some(
    ({ seq }) => seqs.includes(seq) && outcomes?.get(`${ALERT}${seq}`) === undefined,
  );
}

/** Publishes one run's entries; false if some are left. */
async function sayIn(said: Said, open: OpenLab, run: RunId, pass: Pass): Promise<boolean> {
  const { threads, memories, owing, budget } = said;
  const comments = threads.get(run) ?? (await readOurs(open, run));
  if (comments === null) return giveUp(said, run);
  const before = memories.get(run) ?? NO_ATTEMPTS;
  const appended = new Set([...before.appended, ...(owing.get(run) ?? [])]);
  let memory: AttemptCache = { ...before, tries: new Map(), appended };
  let ours = comments;
  let isAllSaid = true;
  const only = pass === 'alerts' ? { isAlertsAlone: true as const } : {};
  let isLeft = false;
  let isRead = !threads.has(run);
  for (let step = 0; step < PUBLISH_STEPS_MAX; step += 1) {
    const next = decidePublication({ ...inputFor(open, run, ours), memory, ...only });
    if (next === null || next.kind !== 'perform') break;
    isLeft = !budget.hasRoom(open.lab.now(), next.key.startsWith(ALERT));
    if (isLeft) break;
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
    const writes = open.lab.client.usage.contentWrites;
    const outcome = await perform(open, next.effect);
    budget.note(open.lab.now(), open.lab.client.usage.contentWrites - writes);
    memory = withOutcome(memory, next.key, outcome);
    const now = withOwn(ours, next.effect, outcome);
    ours = now ?? ours;
    isAllSaid &&= outcome.kind === 'done' && now !== null;
  }
  // Control retries failed comments later. Read the threads again the next time.
  if (isAllSaid) threads.set(run, ours.map(withoutWords));
  else threads.delete(run);
  const done = [...memory.outcomes].filter(([, { kind }]) => kind === 'done');
  memories.set(run, { ...memory, outcomes: new Map(done) });
  if (!isLeft && pass === 'all') owing.delete(run);
  return !isLeft;
}

/** Control publishes them later. */
function giveUp({ owing }: Said, run: RunId): boolean {
  owing.delete(run);
  return true;
}

function withOutcome(memory: AttemptCache, key: string, outcome: EffectOutcome): AttemptCache {
  return {
    ...memory,
    outcomes: new Map([...memory.outcomes, [key, outcome]]),
    tries: new Map([...memory.tries, [key, (memory.tries.get(key) ?? 0) + 1]]),
  };
}

/** Only the card's text is needed later; thousands of runs have many comments. */
function withoutWords(comment: CommentFacts): CommentFacts {
  return comment.marker?.kind === 'card' ? comment : { ...comment, body: '' };
}

/** Another process may have posted a shared comment, which the cached threads do not show. */
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
  const facts: PublishedOn = {
    pull: nothing,
    comments: known(ours),
    proposalTexts: new Map(state.mutations.map(({ digest }) => [digest, nothing])),
    body: nothing,
    recordedRuns: known(runs),
    workflowRuns: new Map(),
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

/** The cached threads after our own write; null if GitHub did not return the stored text. */
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
