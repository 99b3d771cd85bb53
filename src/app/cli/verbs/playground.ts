/** `ferrybot playground`: a GitHub on this machine with the lab's own checkout in it; a program of its own, which this only starts. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { handOver } from '../../../host/hand-over.ts';
import { refused, type VerbIo } from '../verb-io.ts';

/** Beside `src/` in the package: nothing of ferrybot imports the playground (docs/playground.md, "On your own files"). */
const PROGRAM = fileURLToPath(new URL('../../../../demo/own/main.ts', import.meta.url));

/** Exit 0 = ended by the person, 1 = it could not start or broke, 2 = used wrongly. */
export async function playgroundVerb(io: VerbIo, options: readonly string[]): Promise<number> {
  if (existsSync(PROGRAM))
    return handOver(PROGRAM, [...options, ...(io.json ? ['--json'] : [])], io.cwd, io.environment);
  return refused(io, {
    code: 'not-shipped',
    message: 'the package has no playground: clone the repository and run it there',
  });
}
