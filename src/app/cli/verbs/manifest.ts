/** `ferrybot manifest <run> --dir DIR` (a `--keep` folder, or a checkout of the logbook): the newest manifest that was recorded for a run, as canonical JSON with its digest. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sha256Hex } from '../../../host/hash.ts';
import { manifestText } from '../../../run/manifest-digest.ts';
import { EXIT, misused, pathOnly, type VerbIo } from '../verb-io.ts';
import { findLogbookFiles } from './logbook-files.ts';
import { verifyFile } from './logbook-verify.ts';

/** Exit 1 when the run is not there, is not in order, or has no manifest yet. */
export async function manifestVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const asked = askedFor(args);
  if (asked === null) return misused(io, wantsJson, 'manifest takes one run, --dir DIR and --json');
  const { run, dir } = asked;
  const found = await logbookIn(dir, io);
  if (!found.ok) return misused(io, wantsJson, found.error);
  const file = found.value.find((one) => one.run === run);
  if (file === undefined) return no(io, wantsJson, 'run-unknown', `the logbook in ${dir} has no run ${run}`);
  const verified = verifyFile(file, { keys: null, head: null });
  if (verified.bad !== null && verified.bad.reason !== 'unanchored')
    return no(io, wantsJson, 'logbook-broken', verified.bad.message);
  const gated = verified.verification.events.findLast(
    (event) => event.type === 'gated' && event.data.manifest !== null,
  );
  if (gated?.type !== 'gated' || gated.data.manifest === null)
    return no(io, wantsJson, 'no-manifest', `${run} has no manifest yet`);
  const canonical = manifestText(gated.data.manifest);
  const digest = `sha256:${sha256Hex(canonical)}`;
  if (digest !== gated.data.digest)
    return no(
      io,
      wantsJson,
      'digest-differs',
      `the record says ${gated.data.digest}, the manifest gives ${digest}`,
    );
  const answer = {
    run,
    digest,
    canonical,
    commit: gated.data.commit,
    manifest: gated.data.manifest,
  };
  io.stdout.write(wantsJson ? `${JSON.stringify(answer)}\n` : `${answer.digest}\n${canonical}\n`);
  return EXIT.yes;
}

/** The logbook of a `--keep` folder, or of a folder that is a checkout of the branch itself. */
async function logbookIn(dir: string, io: VerbIo): ReturnType<typeof findLogbookFiles> {
  const kept = await findLogbookFiles(resolve(io.cwd, dir, 'logbook'), io.cwd, pathOnly(io));
  if (kept.ok) return kept;
  const itself = await findLogbookFiles(resolve(io.cwd, dir), io.cwd, pathOnly(io));
  return itself.ok ? itself : kept;
}

/** Null where the arguments are not one run and the options that there are. */
function askedFor(args: readonly string[]): { readonly run: string; readonly dir: string } | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { dir: { type: 'string', default: '.' }, json: { type: 'boolean' } },
      allowPositionals: true,
    });
    const [run, ...more] = positionals;
    return run === undefined || run === '' || more.length > 0 ? null : { run, dir: values.dir };
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function no(io: VerbIo, wantsJson: boolean, code: string, message: string): number {
  if (wantsJson) io.stdout.write(`${JSON.stringify({ ok: false, error: { code, message } })}\n`);
  else io.stderr.write(`${message}\n`);
  return EXIT.no;
}
