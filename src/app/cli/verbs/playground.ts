/** `ferrybot playground` and `ferrybot demo`: start a local GitHub, which is a separate program. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInForeground } from '../../../host/process.ts';
import { refuse, type VerbIo } from '../verb-io.ts';

/** Programs that ferrybot does not import (docs/playground.md, "On your own files"), by their place in a checkout. */
const SOURCES = { own: '../../../../demo/own/main.ts', demo: '../../../../demo/main.ts' } as const;

/** Exit 0: stopped by the user; 1: failed; 2: usage error. */
export async function playgroundVerb(
  io: VerbIo,
  name: keyof typeof SOURCES,
  options: readonly string[],
): Promise<number> {
  // In the package this file is below dist/cli, and the program beside it.
  const places = [SOURCES[name], `../playground/${name}.js`].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const program = places.find((place) => existsSync(place));
  if (program !== undefined)
    return runInForeground(program, [...options, ...(io.json ? ['--json'] : [])], io.cwd, io.environment);
  return refuse(io, { code: 'not-shipped', message: `there is no ${places.join(' and no ')}` });
}
