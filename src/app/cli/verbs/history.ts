/** `ferrybot history [LANE] --dir DIR`: the last runs of a lane, or of all lanes, from a copy of the logbook. */

import { limits } from '../../../domain/limits.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { historyTable } from '../../../render/lane-history.ts';
import { historyOf } from '../../../run/history.ts';
import { answer, EXIT, misused, refused, type VerbIo } from '../verb-io.ts';
import { logbookIn } from './logbook-files.ts';
import { recordedEvents } from './logbook-verify.ts';

/** Exit 1 if an entry does not verify or the lane has no run. */
export async function historyVerb(io: VerbIo, lane: string | null, dir: string): Promise<number> {
  const found = await logbookIn(dir, io);
  if (!found.ok) return misused(io, found.error);
  const states: RunState[] = [];
  for (const file of found.value) {
    const events = recordedEvents(file);
    if (!events.ok) return refused(io, events.error);
    const folded = fold(events.value);
    if (folded.ok && folded.value !== null) states.push(folded.value);
  }
  const runs = historyOf(states, { lane, most: limits.historyRows });
  if (lane !== null && runs.length === 0)
    return refused(io, { code: 'lane-unknown', message: `the logbook has no run of the lane ${lane}` });
  answer(io, { ok: true, lane, runs }, `${historyTable(runs)}\n`);
  return EXIT.yes;
}
