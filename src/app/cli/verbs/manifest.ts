/** `ferrybot manifest <run> --dir DIR` (a `--keep` folder, or a checkout of the logbook): the newest manifest that was recorded for a run, as canonical JSON with its digest. */

import { sha256Hex } from '../../../host/hash.ts';
import { manifestText } from '../../../run/manifest-digest.ts';
import { answer, EXIT, misused, refused, type VerbIo } from '../verb-io.ts';
import { logbookIn } from './logbook-in.ts';
import { verifyFile } from './logbook-verify.ts';

/** Exit 1 when the run is not there, is not in order, or has no manifest yet. */
export async function manifestVerb(io: VerbIo, run: string, dir: string): Promise<number> {
  const found = await logbookIn(dir, io);
  if (!found.ok) return misused(io, found.error);
  const file = found.value.find((one) => one.run === run);
  if (file === undefined)
    return refused(io, { code: 'run-unknown', message: `the logbook in ${dir} has no run ${run}` });
  const verified = verifyFile(file, { keys: null, head: null });
  if (verified.bad !== null && verified.bad.reason !== 'unanchored')
    return refused(io, { code: 'logbook-broken', message: verified.bad.message });
  const gated = verified.verification.events.findLast(
    (event) => event.type === 'gated' && event.data.manifest !== null,
  );
  if (gated?.type !== 'gated' || gated.data.manifest === null)
    return refused(io, { code: 'no-manifest', message: `${run} has no manifest yet` });
  const canonical = manifestText(gated.data.manifest);
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
