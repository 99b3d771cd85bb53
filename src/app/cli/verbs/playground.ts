/** `ferrybot playground`: starts the playground, which is a separate program. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { handOver } from '../../../host/process.ts';
import { refused, type VerbIo } from '../verb-io.ts';

/** Entry point of the playground, which ferrybot does not import (docs/playground.md, "On your own files"). */
const PROGRAM = fileURLToPath(new URL('../../../../demo/own/main.ts', import.meta.url));

/** Exit 0: stopped by the user; 1: failed; 2: usage error. */
export async function playgroundVerb(io: VerbIo, options: readonly string[]): Promise<number> {
  if (existsSync(PROGRAM))
    return handOver(PROGRAM, [...options, ...(io.json ? ['--json'] : [])], io.cwd, io.environment);
  return refused(io, {
    code: 'not-shipped',
    message: 'the package has no playground: clone the repository and run it there',
  });
}
