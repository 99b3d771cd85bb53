/** Settings of a lane's own fixer. */

import { z } from 'zod';
import { argumentArray, setting, unset } from './words.ts';

export const fixerSettings = unset(
  z.strictObject({
    command: argumentArray.describe(
      'Exact argument array, started in the files of the default branch; the failure comes as JSON on its standard input.',
    ),
    timeoutMs: setting(z.int().min(1_000).max(1_800_000), 600_000, 'After so long it is stopped.'),
  }),
  'A program of the lab that writes a patch for a small error in `fixScope` that ferrybot cannot fix itself: once per run, in a job without secrets. Its patch is launched only after an approval. null: none. Needs the workflow `workflows.fix`.',
);
