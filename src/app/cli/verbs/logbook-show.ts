/** `ferrybot logbook show <path>`: prints a run in plain text, up to the first bad entry. */

import type { LogbookEvent } from '../../../domain/logbook/event.ts';
import { showEvents, showText } from '../../../logbook/telling.ts';
import { answer, EXIT, misused, pathOnly, type VerbIo } from '../verb-io.ts';
import { type LogbookOptions, readLogbookArguments } from './logbook-arguments.ts';
import { findLogbookFiles } from './logbook-files.ts';
import { type PlacedEntry, verifyFile } from './logbook-verify.ts';

type Shown = {
  readonly run: string;
  readonly events: readonly LogbookEvent[];
  readonly bad: PlacedEntry | null;
};

/** Prints every run at the path. Exit 1 if an entry does not verify; later entries of that run are not printed. */
export async function logbookShow(io: VerbIo, path: string, options: LogbookOptions): Promise<number> {
  const parsed = await readLogbookArguments(io.cwd, path, options);
  if (!parsed.ok) return misused(io, parsed.error);
  const files = await findLogbookFiles(parsed.value.path, io.cwd, pathOnly(io));
  if (!files.ok) return misused(io, files.error);
  const shown = files.value.map((file): Shown => {
    const { run, bad, verification } = verifyFile(file, parsed.value);
    return { run: run.run, events: verification.events, bad: bad?.reason === 'unanchored' ? null : bad };
  });
  const isGood = shown.every((run) => run.bad === null);
  const runs = shown.map(({ run, events, bad }) => ({ run, events: showEvents(events), bad }));
  answer(io, { ok: isGood, runs }, shown.map(showRun).join(''));
  return isGood ? EXIT.yes : EXIT.no;
}

function showRun({ run, events, bad }: Shown): string {
  const end =
    bad === null
      ? ''
      : `\nbad: line ${bad.line} (entry ${bad.seq}): ${bad.reason}: ${bad.message} (${bad.file})\n`;
  return `${showText(run, events)}${end}`;
}
