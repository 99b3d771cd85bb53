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
  'A program of the lab that is asked for a patch of a slip in `fixScope` where ferrybot knows no correction itself, once a run, in a job without any secret; what it answers is launched only where people approve it. null: none. It takes the workflow `workflows.fix`.',
);
