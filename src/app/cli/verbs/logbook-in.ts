/** The copy of the logbook that a verb of the command line reads. */

import { resolve } from 'node:path';
import { pathOnly, type VerbIo } from '../verb-io.ts';
import { findLogbookFiles } from './logbook-files.ts';

/** The logbook of a `--keep` folder, or of a folder that is a checkout of the branch itself. */
export async function logbookIn(dir: string, io: VerbIo): ReturnType<typeof findLogbookFiles> {
  const kept = await findLogbookFiles(resolve(io.cwd, dir, 'logbook'), io.cwd, pathOnly(io));
  if (kept.ok) return kept;
  const itself = await findLogbookFiles(resolve(io.cwd, dir), io.cwd, pathOnly(io));
  return itself.ok ? itself : kept;
}
