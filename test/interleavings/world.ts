// The world of one interleaving: GitHub's threads, the record with its compare-and-set, dispatches and jobs,
// as plain data.

import type { Actor, Permission } from '../../src/domain/actor.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import { foldEvent } from '../../src/domain/logbook/fold.ts';
import { createJournalFold, EMPTY_JOURNAL, type JournalState } from '../../src/domain/logbook/journal-state.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, type Instant, isInstant, isRunId, toRfc3339 } from '../../src/domain/values.ts';
import { createTransitionCheck } from '../../src/logbook/chain.ts';
import { createRandom, type Random } from '../support/random.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob, digestOf } from '../support/run-drafts.ts';

export const carol: Actor = { id: 103, login: 'carol' };
export const eve: Actor = { id: 104, login: 'eve' };
export const PEOPLE = [alice, bob, carol, eve] as const;
export const RUN = brandAs('ferry-daily-20261121', isRunId);
export const PULL = 13;
/** An experiment issue without a run: commands there go to the repository journal. */
export const ELSEWHERE = 40;

/** One version of the record: the state of run and journal, at one head of the branch. */
export type Version = {
  readonly head: number;
  readonly state: RunState;
  readonly journal: JournalState;
  readonly journalEvents: readonly LogbookEvent[];
};

/** What people did, for the checker, without the bot's view. `content` is what the head would run. */
export type Deed =
  | {
      readonly kind: 'said';
      readonly at: number;
      readonly by: number;
      readonly comment: number;
      readonly text: string;
      readonly content: string;
      readonly body: number;
    }
  | {
      readonly kind: 'pushed' | 'edited-body';
      readonly at: number;
      readonly by: number;
      readonly content: string;
      readonly body: number;
    };

/** The runner's input at the moment of a claim, and what it was ordered to start. */
export type Job = {
  readonly submissionId: string;
  readonly commit: string;
  readonly digest: string;
  readonly claimedAt: number;
  readonly atClaim: Snapshot;
};

/** GitHub at one moment. */
export type Snapshot = {
  readonly content: string;
  readonly body: number;
  readonly editors: readonly number[];
  readonly permissions: ReadonlyMap<number, Permission>;
  readonly comments: readonly CommentFacts[];
  readonly recorded: readonly LogbookEvent[];
  readonly journal: readonly LogbookEvent[];
};

export type Dispatch = { readonly id: number; readonly order: string; readonly at: Instant; done: boolean };

export type World = {
  readonly random: Random;
  readonly quorum: number;
  now: Instant;
  content: string;
  body: number;
  editors: readonly number[];
  isPullOpen: boolean;
  permissions: Map<number, Permission>;
  comments: CommentFacts[];
  version: Version;
  /** Every event of the run, in order. */
  events: LogbookEvent[];
  readonly dispatches: Dispatch[];
  readonly jobs: Map<string, Job>;
  readonly deeds: Deed[];
  nextId: number;
};

/** A proposed ferry on a quiet morning. */
export function createTestWorld(seed: number): World {
  const random = createRandom(seed);
  const run = aRun();
  const journal = EMPTY_JOURNAL;
  return {
    random,
    quorum: random.chance(0.4) ? 2 : 1,
    now: brandAs(Date.parse('2026-11-21T09:05:00.000Z'), isInstant),
    content: 'a',
    body: 1,
    editors: [],
    isPullOpen: true,
    permissions: new Map<number, Permission>([
      [alice.id, 'maintain'],
      [bob.id, 'maintain'],
      [carol.id, 'write'],
      [eve.id, 'none'],
    ]),
    comments: [],
    version: { head: 1, state: run.state, journal, journalEvents: [] },
    events: [...run.events],
    dispatches: [],
    jobs: new Map(),
    deeds: [],
    nextId: 1_000,
  };
}

export function passTime(world: World, ms: number): void {
  world.now = brandAs(world.now + ms, isInstant);
}

/** A person's comment; GitHub's dates have whole seconds. */
export function addComment(world: World, by: Actor, text: string, thread = PULL): void {
  const id = world.nextId;
  world.nextId += 1;
  const at = brandAs(Math.floor(world.now / 1_000) * 1_000, isInstant);
  const { content, body } = world;
  world.deeds.push({ kind: 'said', at: world.now, by: by.id, comment: id, text, content, body });
  world.comments.push({
    surface: 'comment',
    id,
    nodeId: `IC_${id}`,
    thread,
    author: by,
    authorIsBot: false,
    isByOwnLogin: false,
    marker: null,
    byOwnApp: false,
    body: text,
    bodyDigest: digestOf(text),
    createdAt: at,
    updatedAt: at,
    editedAt: null,
    minimized: false,
    commit: null,
  });
}

/**
 * Appends to run and journal in one push if nobody pushed since `seen`; an illegal draft is a bug and throws.
 */
export function pushEvents(
  world: World,
  seen: Version,
  drafts: readonly EventDraft[],
  journal: readonly EventDraft[] = [],
): readonly number[] | null {
  if (world.version.head !== seen.head) return null;
  let { state } = seen;
  const events = drafts.map((draft, index): LogbookEvent => buildEvent(world, draft, RUN, state.head.seq + 1 + index));
  for (const event of events) {
    const next = foldEvent(state, event);
    if (!next.ok) throw new Error(`${event.type}: ${next.error.rule}`);
    state = next.value;
  }
  const added = journal.map(
    (draft, index): LogbookEvent => buildEvent(world, draft, 'journal', seen.journalEvents.length + index),
  );
  const journalEvents = [...seen.journalEvents, ...added];
  const check = createTransitionCheck('journal');
  for (const event of journalEvents) {
    const rule = check.check(event);
    if (rule !== null) throw new Error(`journal: ${event.type}: ${rule}`);
  }
  world.events = [...world.events, ...events];
  const fold = createJournalFold();
  for (const event of journalEvents) fold.add(event);
  world.version = { head: seen.head + 1, state, journal: fold.state(), journalEvents };
  return events.map((event) => event.seq);
}

function buildEvent(world: World, draft: EventDraft, run: string, seq: number): LogbookEvent {
  const frame = { v: 1, run, seq, at: toRfc3339(world.now), prev: '', keyId: '', hash: `h${seq}`, sig: '' };
  // A draft with its frame is an event of the same type; the compiler cannot see that through the union.
  return { ...frame, ...draft } as LogbookEvent;
}

/** GitHub and the record as they are now, for the checker. */
export function takeSnapshot(world: World): Snapshot {
  return {
    content: world.content,
    body: world.body,
    editors: [...world.editors],
    permissions: new Map(world.permissions),
    comments: [...world.comments],
    recorded: world.events,
    journal: world.version.journalEvents,
  };
}
