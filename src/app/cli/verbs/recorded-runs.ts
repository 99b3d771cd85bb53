/** `ferrybot manifest RUN --dir DIR`: the newest manifest of a run as canonical JSON, with its digest. */

import { limits } from '../../../domain/limits.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { sha256Hex } from '../../../host/keys.ts';
import { canonicalize } from '../../../logbook/chain.ts';
import { historyTable } from '../../../render/lane-history.ts';
import { historyOf } from '../../../run/lane-history.ts';
import { answer, EXIT, misused, refused, type VerbIo } from '../verb-io.ts';
import { logbookIn } from './logbook-files.ts';
import { recordedEvents } from './logbook-verify.ts';

/** Exit 1 if the run is missing, does not verify, or has no manifest yet. */
export async function manifestVerb(io: VerbIo, run: string, dir: string): Promise<number> {
  const found = await logbookIn(dir, io);
  if (!found.ok) return misused(io, found.error);
  const file = found.value.find((one) => one.run === run);
  if (file === undefined)
    return refused(io, { code: 'run-unknown', message: `the logbook in ${dir} has no run ${run}` });
  const events = recordedEvents(file);
  if (!events.ok) return refused(io, events.error);
  const gated = events.value.findLast((event) => event.type === 'gated' && event.data.manifest !== null);
  if (gated?.type !== 'gated' || gated.data.manifest === null)
    return refused(io, { code: 'no-manifest', message: `${run} has no manifest yet` });
  const canonical = canonicalize(gated.data.manifest);
  const digest = `sha256:${sha256Hex(canonical)}`;
  if (digest !== gated.data.digest)
    return refused(io, {
      code: 'digest-differs',
      message: `the record says ${gated.data.digest}, the manifest gives ${digest}`,
    });
  const told = {
    run,
    digest,
    canonical,
    commit: gated.data.commit,
    manifest: gated.data.manifest,
  };
  answer(io, told, `${digest}\n${canonical}\n`);
  return EXIT.yes;
}

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
