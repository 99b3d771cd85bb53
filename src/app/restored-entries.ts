/** What may be added to a file that does not verify: what stops, holds back or watches, on top of the last good entry. */

import { incidentDraft } from '../domain/incidents.ts';
import type { EventDraft, EventType } from '../domain/logbook/event.ts';
import { faultKey } from '../domain/logbook/logbook-fault.ts';
import { type BrokenRun, WHOLE_BRANCH } from './broken-run.ts';
import type { Record, RecordName } from './record-files.ts';

/** What one file gets. */
export type Entry = { readonly run: RecordName; readonly drafts: readonly EventDraft[] };

/** Nothing of this brings a launch or a change of the cluster nearer; what is rented is let go as it was approved, and as soon. */
const CALMING: ReadonlySet<EventType> = new Set([
  'command-seen',
  'command-answered',
  'stop-requested',
  'approval-dropped',
  'held',
  'checkpoint-rejected',
  'observed',
  'ended',
  'machines-seen',
  'tear-down-begun',
  'tear-down-ended',
  'incident',
  'notified',
]);

/**
 * The entries as they are to be added: those of a file that does not verify come after one that tells of it, since adding
 * puts the file back. Null where that may not be: no good version is known, or they are not of this kind.
 */
export function entriesOver(record: Record, entries: readonly Entry[]): readonly Entry[] | null {
  const over: Entry[] = [];
  for (const entry of entries) {
    const broken = faultOver(record, entry);
    if (broken === null) {
      over.push(entry);
      continue;
    }
    const isPossible = record.good.has(entry.run) && entry.drafts.every(({ type }) => CALMING.has(type));
    const [first] = entry.drafts;
    if (!isPossible || first === undefined || broken.fault.kind === 'branch-rewound') return null;
    over.push({ run: entry.run, drafts: [restored(broken, first), ...entry.drafts] });
  }
  return over;
}

function faultOver({ broken }: Record, { run }: Entry): BrokenRun | null {
  return broken.find((one) => one.run === WHOLE_BRANCH || one.run === run) ?? null;
}

function restored({ fault }: BrokenRun, { role }: EventDraft): EventDraft {
  return incidentDraft(role, 'logbook-restored', { fault: faultKey(fault) });
}
