/** A run with a broken logbook and its last verified state. Use it for notices, not for actions. */

import type { LogbookEvent } from '../domain/logbook/define.ts';
import { foldEvents } from '../domain/logbook/fold.ts';
import type { LogbookFault } from '../domain/logbook/logbook-fault.ts';
import type { RunState } from '../domain/logbook/run-state.ts';

/** `run` is a run id, `journal`, or `*` for the whole branch. `state` is the last verified state. */
export type BrokenRun = {
  readonly run: string;
  readonly fault: LogbookFault;
  readonly state: RunState | null;
  /** The affected thread; used if the state is missing. */
  readonly thread: number | null;
};

export const WHOLE_BRANCH = '*';

/** Null for the journal, and if the first entry is already bad. */
export function foldState(events: readonly LogbookEvent[]): RunState | null {
  if (events[0]?.type !== 'proposed') return null;
  const folded = foldEvents(events);
  return folded.ok ? folded.value : null;
}
