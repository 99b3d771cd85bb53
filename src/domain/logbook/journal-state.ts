/** The repository journal as a fold: commands on threads that belong to no run, and lane-wide holds (architecture, D1). */

import { type ClusterDisks, scansAfter } from '../care/disk-scan.ts';
import { isMutationEvent, type MutationRecord, mutationsAfter } from '../care/mutation-state.ts';
import { type Hold, holdFrom, holdName, withHold, withoutHold } from '../launch/hold.ts';
import type { EventDraft, LogbookEvent } from './event.ts';
import { commandKey, type Head, type Incident, type SeenCommand } from './run-state.ts';

export type JournalState = {
  readonly head: Head | null;
  readonly commands: ReadonlyMap<string, SeenCommand>;
  /** What went wrong beyond one run, or with a run's own record. */
  readonly incidents: readonly Incident[];
  /** What keeps the whole lane or repository back until it is lifted: freezes, and days that are skipped. */
  readonly holds: readonly Hold[];
  /** Changes of a cluster that were proposed for no run, oldest first. */
  readonly mutations: readonly MutationRecord[];
  /** By cluster. */
  readonly disks: ReadonlyMap<string, ClusterDisks>;
};

export const EMPTY_JOURNAL: JournalState = {
  head: null,
  commands: new Map(),
  incidents: [],
  holds: [],
  mutations: [],
  disks: new Map(),
};

/** Folds the journal's verified events; what may follow what was checked where they were read. */
export function foldJournal(events: readonly LogbookEvent[]): JournalState {
  const commands = new Map<string, SeenCommand>();
  for (const event of events) {
    if (event.type === 'command-seen' && event.actor !== undefined) {
      commands.set(commandKey(event.data), {
        ...event.data,
        actor: event.actor,
        at: event.at,
        seq: event.seq,
        answer: null,
      });
    }
    if (event.type === 'command-answered') {
      const key = commandKey(event.data);
      const seen = commands.get(key);
      const { code, detail } = event.data;
      if (seen !== undefined)
        commands.set(key, { ...seen, answer: { code, detail, at: event.at, seq: event.seq } });
    }
  }
  const incidents = events.flatMap((event) => {
    if (event.type !== 'incident') return [];
    const { role, at, seq } = event;
    return [{ ...event.data, role, at, seq }];
  });
  const last = events.at(-1);
  const head = last === undefined ? null : { seq: last.seq, hash: last.hash, at: last.at };
  const holds = events.reduce<readonly Hold[]>(holdsAfter, []);
  const mutations = events.filter(isMutationEvent).reduce<readonly MutationRecord[]>(mutationsAfter, []);
  const disks = events.reduce<JournalState['disks']>(
    (all, event) =>
      event.type === 'disk-scanned' ? scansAfter(all, { ...event.data, at: event.at, seq: event.seq }) : all,
    new Map(),
  );
  return { head, commands, incidents, holds, mutations, disks };
}

/** The lane's holds after one more event, or after a draft that is about to become one. */
export function holdsAfter(
  holds: readonly Hold[],
  event: EventDraft & { readonly at: string },
): readonly Hold[] {
  if (event.type === 'held' && event.actor !== undefined)
    return withHold(holds, holdFrom(event.data, event.actor, event.at));
  return event.type === 'released' ? withoutHold(holds, holdName(event.data)) : holds;
}
