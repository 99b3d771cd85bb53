/** `ferrybot logbook show <path>`: tells the run of a copy as a person would, up to the first bad entry. */

import { showEvents, showText } from '../../../logbook/show.ts';
import { EXIT, misused, pathOnly, type VerbIo } from '../verb-io.ts';
import { readLogbookArguments } from './logbook-arguments.ts';
import { findLogbookFiles } from './logbook-files.ts';
import { verifyFile } from './logbook-verify.ts';

/**
 * Prints every run at the path. Only entries that verify are told; where one does not, that is said instead
 * of what follows it, and the exit code is 1. A run that is not over needs no anchor to be shown.
 */
export async function logbookShow(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const parsed = await readLogbookArguments(args, io.cwd);
  if (!parsed.ok) return misused(io, wantsJson, parsed.error);
  const files = await findLogbookFiles(parsed.value.path, io.cwd, pathOnly(io));
  if (!files.ok) return misused(io, wantsJson, files.error);
  const shown = files.value.map((file) => {
    const { run, bad, verification } = verifyFile(file, parsed.value);
    return { run: run.run, events: verification.events, bad: bad?.reason === 'unanchored' ? null : bad };
  });
  const isGood = shown.every((run) => run.bad === null);
  if (wantsJson) {
    const runs = shown.map(({ run, events, bad }) => ({ run, events: showEvents(events), bad }));
    io.stdout.write(`${JSON.stringify({ ok: isGood, runs })}\n`);
  } else {
    for (const { run, events, bad } of shown) {
      io.stdout.write(showText(run, events));
      if (bad !== null)
        io.stdout.write(
          `\nbad: line ${bad.line} (entry ${bad.seq}): ${bad.reason}: ${bad.message} (${bad.file})\n`,
        );
    }
  }
  return isGood ? EXIT.yes : EXIT.no;
}
