// The sample manifest, with the output root in its command as a hero run requires.

import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { aManifest as ofAnyRun } from '../support/run-parts.ts';

export function aManifest(change: Partial<Manifest> = {}): Manifest {
  return ofAnyRun({ command: ['OUT=out/ferry-daily-20261121', 'python3', 'train.py'], ...change });
}
