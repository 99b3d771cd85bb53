/** The repository journal as a fold: commands on threads that belong to no run, and lane-wide holds (architecture, D1). */

import { type ClusterDisks, scansAfter } from '../care/disk-scan.ts';
import { isMutationEvent, type MutationRecord, mutationsAfter } from '../care/mutation-state.ts';
import type { Dispatch } from '../dispatch.ts';
import { type Incident, readIncident } from '../incidents.ts';
import { type Hold, withHold, withoutHold } from '../launch/hold.ts';
import type { EventDraft, LogbookEvent } from './event.ts';
import type { ObjectiveQuestion } from './events/notice-events.ts';
import { type Orphan, orphansAfter } from './orphans.ts';
import { commandKey, type Head, type SeenCommand } from './run-state.ts';

export type JournalState = {
  readonly head: Head | null;
  readonly commands: ReadonlyMap<string, SeenCommand>;
  /** What went wrong beyond one run, or with a run's own record. */
  readonly incidents: readonly Incident[];
  /** The holds on lanes, days and the repository. */
  readonly holds: readonly Hold[];
  /** Changes of a cluster that were proposed for no run, oldest first. */
  readonly mutations: readonly MutationRecord[];
  /** Workflow runs that control started for them, oldest first. */
  readonly dispatches: readonly Dispatch[];
  /** By cluster. */
  readonly disks: ReadonlyMap<string, ClusterDisks>;
  /** Machines under our label for which no live run is known, oldest first. */
  readonly orphans: readonly Orphan[];
  /** The last question about an objective in each lane. */
  readonly questions: ReadonlyMap<string, ObjectiveQuestion & Pick<LogbookEvent, 'at'>>;
};

export const EMPTY_JOURNAL: JournalState = {
  head: null,
  commands: new Map(),
  incidents: [],
  holds: [],
  mutations: [],
  dispatches: [],
  disks: new Map(),
  orphans: [],
  questions: new Map(),
};

/** A fold that goes on: the journal grows for years, so that each entry is folded once and nothing is copied for it. */
export type JournalFold = {
  readonly take: (event: LogbookEvent) => void;
  readonly seen: (key: string) => SeenCommand | undefined;
  readonly mutations: () => readonly MutationRecord[];
  readonly orphans: () => readonly Orphan[];
  /** What was folded so far; it stays as it is when more is taken. */
  readonly state: () => JournalState;
};

/** Folds on from a state. */
export function journalFold(from: JournalState = EMPTY_JOURNAL): JournalFold {
  let state = from;
  const commands = new Map<string, SeenCommand>();
  const incidents: Incident[] = [];
  const seen = (key: string): SeenCommand | undefined => commands.get(key) ?? state.commands.get(key);
  const settle = (): JournalState => {
    if (commands.size > 0) state = { ...state, commands: withAll(state.commands, commands) };
    if (incidents.length > 0) state = { ...state, incidents: [...state.incidents, ...incidents] };
    commands.clear();
    incidents.length = 0;
    return state;
  };
  const take = (event: LogbookEvent): void => {
    const command = commandAfter(event, seen);
    if (command !== null) commands.set(commandKey(command), command);
    if (event.type === 'incident') incidents.push(readIncident(event.data, event));
    state = {
      ...state,
      head: { seq: event.seq, hash: event.hash, at: event.at },
      holds: holdsAfter(state.holds, event),
      mutations: isMutationEvent(event) ? mutationsAfter(state.mutations, event) : state.mutations,
      dispatches:
        event.type === 'dispatched'
          ? [...state.dispatches, { ...event.data, at: event.at, seq: event.seq }]
          : state.dispatches,
      disks:
        event.type === 'disk-scanned'
          ? scansAfter(state.disks, { ...event.data, at: event.at, seq: event.seq })
          : state.disks,
      orphans: orphansAfter(state.orphans, event),
      questions:
        event.type === 'objective-asked'
          ? new Map([...state.questions, [event.data.lane, { ...event.data, at: event.at }]])
          : state.questions,
    };
  };
  return { take, seen, mutations: () => state.mutations, orphans: () => state.orphans, state: settle };
}

/** Folds the journal's verified events; what may follow what was checked where they were read. */
export function foldJournal(events: readonly LogbookEvent[]): JournalState {
  const fold = journalFold();
  for (const event of events) fold.take(event);
  return fold.state();
}

function withAll<Value>(
  before: ReadonlyMap<string, Value>,
  more: ReadonlyMap<string, Value>,
): ReadonlyMap<string, Value> {
  const all = new Map(before);
  for (const [key, value] of more) all.set(key, value);
  return all;
}

function commandAfter(
  event: LogbookEvent,
  seen: (key: string) => SeenCommand | undefined,
): SeenCommand | null {
  const { at, seq } = event;
  if (event.type === 'command-seen' && event.actor !== undefined)
    return { ...event.data, actor: event.actor, at, seq, answer: null };
  if (event.type !== 'command-answered') return null;
  const { code, detail } = event.data;
  const command = seen(commandKey(event.data));
  return command === undefined ? null : { ...command, answer: { code, detail, at, seq } };
}

/** The holds after one more event, or after a draft that is about to become one. */
export function holdsAfter(
  holds: readonly Hold[],
  event: EventDraft & { readonly at: string },
): readonly Hold[] {
  if (event.type !== 'held' && event.type !== 'released') return holds;
  const target = { ...event.data, lane: event.data.lane ?? null };
  if (event.type === 'released') return withoutHold(holds, target);
  return event.actor === undefined
    ? holds
    : withHold(holds, { ...target, reason: event.data.reason, actor: event.actor, at: event.at });
}

/** The question about an objective that is asked in this thread. */
export function questionIn({ questions }: JournalState, thread: number): ObjectiveQuestion | undefined {
  return [...questions.values()].find(({ issue }) => issue === thread);
}
