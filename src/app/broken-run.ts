/** A run whose logbook cannot be trusted, with what was good of it: enough to tell the right people, never enough to act on. */

import { assertNever } from '../domain/assert.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { fold } from '../domain/logbook/fold.ts';
import type { LogbookFault } from '../domain/logbook/logbook-fault.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { StoreIncident } from '../logbook/store/git-store.ts';

/** `run` is a run's id, `journal`, or `*` for the whole branch. `state` is the last that was verified, null where nothing was. */
export type BrokenRun = {
  readonly run: string;
  readonly fault: LogbookFault;
  readonly state: RunState | null;
  /** A thread that is known to be concerned, where the state does not tell. */
  readonly thread: number | null;
};

/** The whole branch: nothing in it may be acted on. */
export const WHOLE_BRANCH = '*';

/** What the store noticed about the branch or a file. */
export function faultOf(incident: StoreIncident): LogbookFault {
  switch (incident.kind) {
    case 'branch-missing':
      return { kind: 'branch-missing' };
    case 'branch-rewound':
      return { kind: 'branch-rewound', was: incident.was, now: incident.now };
    case 'shorter-than-anchor':
      return { kind: 'entry-missing', seq: incident.anchor.seq, hash: incident.anchor.hash };
    default:
      return assertNever(incident);
  }
}

/** Null for the journal, which is no run, and where not even the first entry is good. */
export function stateAfter(events: readonly LogbookEvent[]): RunState | null {
  if (events[0]?.type !== 'proposed') return null;
  const folded = fold(events);
  return folded.ok ? folded.value : null;
}
