/** `ferrybot history [LANE] --dir DIR`: the last runs of a lane, or of all lanes, from a copy of the logbook. */

import { limits } from '../../../domain/limits.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { historyTable } from '../../../render/lane-history.ts';
import { historyOf } from '../../../run/history.ts';
import { answer, EXIT, misused, refused, type VerbIo } from '../verb-io.ts';
import { logbookIn } from './logbook-in.ts';
import { verifyFile } from './logbook-verify.ts';

/** Exit 1 where an entry does not verify, or the lane has no run; a run that is not over needs no anchor to be told. */
export async function historyVerb(io: VerbIo, lane: string | null, dir: string): Promise<number> {
  const found = await logbookIn(dir, io);
  if (!found.ok) return misused(io, found.error);
  const states: RunState[] = [];
  for (const file of found.value) {
    const { bad, verification } = verifyFile(file, { keys: null, head: null });
    if (bad !== null && bad.reason !== 'unanchored')
      return refused(io, { code: 'logbook-broken', message: `${bad.file}:${bad.line}: ${bad.message}` });
    const folded = fold(verification.events);
    if (folded.ok && folded.value !== null) states.push(folded.value);
  }
  const runs = historyOf(states, { lane, most: limits.historyRows });
  if (lane !== null && runs.length === 0)
    return refused(io, { code: 'lane-unknown', message: `the logbook has no run of the lane ${lane}` });
  answer(io, { ok: true, lane, runs }, `${historyTable(runs)}\n`);
  return EXIT.yes;
}
