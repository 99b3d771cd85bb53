/** `ferrybot manifest RUN --dir DIR`: the newest manifest of a run as canonical JSON, with its digest. */

import { limits } from '../../../domain/limits.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import { sha256Hex } from '../../../host/keys.ts';
import { canonicalize } from '../../../logbook/chain.ts';
import { historyTable } from '../../../render/lane-history.ts';
import { historyOf } from '../../../run/lane-history.ts';
import { answer, EXIT, refused, type VerbIo } from '../verb-io.ts';
import { recordedEvents } from './logbook-verify.ts';

/** Exit 1 if the run is missing, does not verify, or has no manifest yet. */
export async function manifestVerb(io: VerbIo, run: string, dir: string): Promise<number> {
  const read = await recordedEvents(io, dir, run);
  if (!read.ok) return refused(io, read.error);
  const gated = read.value[0]?.findLast((event) => event.type === 'gated' && event.data.manifest !== null);
  if (gated?.type !== 'gated' || gated.data.manifest === null)
    return refused(io, { code: 'no-manifest', message: `${run} has no manifest yet` });
  const canonical = canonicalize(gated.data.manifest);
  const digest = `sha256:${sha256Hex(canonical)}`;
  if (digest !== gated.data.digest)
    return refused(io, {
      code: 'digest-differs',
      message: `the record says ${gated.data.digest}, the manifest gives ${digest}`,
    });
  const { commit, manifest } = gated.data;
  const told = { run, digest, canonical, commit, manifest };
  answer(io, told, `${digest}\n${canonical}\n`);
  return EXIT.yes;
}

/** Exit 1 if an entry does not verify or the lane has no run. */
export async function historyVerb(io: VerbIo, lane: string | null, dir: string): Promise<number> {
  const read = await recordedEvents(io, dir);
  if (!read.ok) return refused(io, read.error);
  const states = read.value.flatMap((events) => {
    const folded = fold(events);
    return folded.ok ? (folded.value ?? []) : [];
  });
  const runs = historyOf(states, { lane, most: limits.historyRows });
  if (lane !== null && runs.length === 0)
    return refused(io, { code: 'lane-unknown', message: `the logbook has no run of the lane ${lane}` });
  answer(io, { ok: true, lane, runs }, `${historyTable(runs)}\n`);
  return EXIT.yes;
}
