/** Folds the repository journal: commands on threads without a run, and holds on more than one run (architecture, D1). */

import { type ActionRecord, actionsAfter, isActionEvent } from '../actions/action.ts';
import { addScan, type ClusterDisks } from '../care/machines.ts';
import type { Dispatch } from '../effect.ts';
import { type Incident, readIncident } from '../incidents.ts';
import { addHold, type Hold, removeHold } from '../launch/hold.ts';
import type { EventDraft, LogbookEvent } from './define.ts';
import type { ObjectiveQuestion } from './events/notice-events.ts';
import type { Proposing } from './events/proposal-events.ts';
import type { CheckpointedRun } from './events/record-events.ts';
import { applyToOrphans, type Orphan } from './events/rental-events.ts';
import { commandKey, type Head, type SeenCommand } from './run-state.ts';

export type JournalState = {
  readonly head: Head | null;
  readonly commands: ReadonlyMap<string, SeenCommand>;
  /** Incidents outside a run, or about a run's own record. */
  readonly incidents: readonly Incident[];
  /** Holds on lanes, dates and the repository. */
  readonly holds: readonly Hold[];
  /** Cluster changes proposed outside a run, oldest first. */
  readonly actions: readonly ActionRecord[];
  /** Workflow runs dispatched for them, oldest first. */
  readonly dispatches: readonly Dispatch[];
  /** By cluster. */
  readonly disks: ReadonlyMap<string, ClusterDisks>;
  /** Machines with ferrybot's label but no known live run, oldest first. */
  readonly orphans: readonly Orphan[];
  /** The newest question about an objective per lane. */
  readonly questions: ReadonlyMap<string, ObjectiveQuestion & Pick<LogbookEvent, 'at'>>;
  /** The newest `proposing` entry per lane. */
  readonly proposals: ReadonlyMap<string, BegunProposal>;
  /** Run id → time of its `proposing` entry, which precedes the run's first entry. Only runs that no record checkpoint covers yet. */
  readonly proposingSince: ReadonlyMap<string, string>;
  /** The newest checkpoint of the record, with the runs that this and all earlier checkpoints cover. */
  readonly checkpoint: {
    readonly at: string;
    readonly ended: ReadonlyMap<string, CheckpointedRun>;
    readonly live: readonly CheckpointedRun[];
  } | null;
};

/** `at`: time of the `proposing` entry, RFC 3339. */
export type BegunProposal = Proposing & Pick<LogbookEvent, 'at'>;

export const EMPTY_JOURNAL: JournalState = {
  head: null,
  commands: new Map(),
  incidents: [],
  holds: [],
  actions: [],
  dispatches: [],
  disks: new Map(),
  orphans: [],
  questions: new Map(),
  proposals: new Map(),
  proposingSince: new Map(),
  checkpoint: null,
};

/** An incremental fold: the journal grows for years, so each entry is folded once without copying. */
export type JournalFold = {
  readonly add: (event: LogbookEvent) => void;
  readonly seen: (key: string) => SeenCommand | undefined;
  readonly actions: () => readonly ActionRecord[];
  readonly orphans: () => readonly Orphan[];
  /** A snapshot; later events do not change it. */
  readonly state: () => JournalState;
};

/** Continues from a state. Copies its commands, incidents and ended runs only once. */
export function createJournalFold(from: JournalState = EMPTY_JOURNAL): JournalFold {
  const commands = new Map(from.commands);
  const incidents = [...from.incidents];
  const ended = new Map(from.checkpoint?.ended);
  let state = from;
  const findCommand = (key: string): SeenCommand | undefined => commands.get(key);
  const takeEvent = (event: LogbookEvent): void => {
    const command = applyToCommand(event, findCommand);
    if (command !== null) commands.set(commandKey(command), command);
    if (event.type === 'record-checkpointed') for (const one of event.data.ended) ended.set(one.run, one);
    if (event.type === 'incident') incidents.push(readIncident(event.data, event));
    state = {
      ...state,
      head: { seq: event.seq, hash: event.hash, at: event.at },
      holds: applyToHolds(state.holds, event),
      actions: isActionEvent(event) ? actionsAfter(state.actions, event) : state.actions,
      dispatches:
        event.type === 'dispatched'
          ? [...state.dispatches, { ...event.data, at: event.at, seq: event.seq }]
          : state.dispatches,
      disks:
        event.type === 'disk-scanned'
          ? addScan(state.disks, { ...event.data, at: event.at, seq: event.seq })
          : state.disks,
      orphans: applyToOrphans(state.orphans, event),
      questions:
        event.type === 'objective-asked'
          ? new Map([...state.questions, [event.data.lane, { ...event.data, at: event.at }]])
          : state.questions,
      proposals:
        event.type === 'proposing'
          ? new Map([...state.proposals, [event.data.proposed.lane, { ...event.data, at: event.at }]])
          : state.proposals,
      proposingSince: applyToBegun(state.proposingSince, event),
      checkpoint:
        event.type === 'record-checkpointed' ? { at: event.at, ended, live: event.data.live } : state.checkpoint,
    };
  };
  return {
    add: takeEvent,
    seen: findCommand,
    actions: () => state.actions,
    orphans: () => state.orphans,
    state: () => ({
      ...state,
      commands: new Map(commands),
      incidents: [...incidents],
      checkpoint: state.checkpoint === null ? null : { ...state.checkpoint, ended: new Map(ended) },
    }),
  };
}

function applyToBegun(begun: JournalState['proposingSince'], event: LogbookEvent): JournalState['proposingSince'] {
  if (event.type === 'proposing') return new Map([...begun, [event.data.run, event.at]]);
  if (event.type !== 'record-checkpointed') return begun;
  const covered = new Set([...event.data.ended, ...event.data.live].map(({ run }) => run as string));
  return new Map([...begun].filter(([run]) => !covered.has(run)));
}

function applyToCommand(event: LogbookEvent, seen: (key: string) => SeenCommand | undefined): SeenCommand | null {
  const { at, seq } = event;
  if (event.type === 'command-seen' && event.actor !== undefined)
    return { ...event.data, actor: event.actor, at, seq, answer: null };
  if (event.type !== 'command-answered') return null;
  const { code, detail } = event.data;
  const command = seen(commandKey(event.data));
  return command === undefined ? null : { ...command, answer: { code, detail, at, seq } };
}

/** Holds after an event, or after a draft. */
export function applyToHolds(holds: readonly Hold[], event: EventDraft & { readonly at: string }): readonly Hold[] {
  if (event.type !== 'held' && event.type !== 'released') return holds;
  const target = { ...event.data, lane: event.data.lane ?? null };
  if (event.type === 'released') return removeHold(holds, target);
  return event.actor === undefined
    ? holds
    : addHold(holds, { ...target, reason: event.data.reason, actor: event.actor, at: event.at });
}

/** The question asked in this thread. */
export function findQuestion({ questions }: JournalState, thread: number): ObjectiveQuestion | undefined {
  return [...questions.values()].find(({ issue }) => issue === thread);
}
