// The sample manifest, whose command names its output root as a hero run's has to.

import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { aManifest as ofAnyRun } from '../support/run-parts.ts';

export function aManifest(change: Partial<Manifest> = {}): Manifest {
  return ofAnyRun({ command: ['OUT=out/ferry-daily-20261121', 'python3', 'train.py'], ...change });
}
