/** The keys that a cluster of any engine has. */

import { z } from 'zod';
import { amount, word } from '../settings/words.ts';

export const CLUSTER_KEYS = {
  acceleratorHoursPerRun: amount.describe(
    'Cost table: accelerator-hours of one run of this lane, shown before approval.',
  ),
  accelerators: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .describe('Cost table: how many accelerators one run holds, for what it did cost; null: not told.'),
  adoption: z
    .boolean()
    .default(false)
    .describe('Whether jobs that people have launched here by hand may be taken over, with /watch.'),
  links: z
    .record(word, z.string().max(500))
    .default({})
    .describe('Links for people; {jobId} and {run} are filled in.'),
};
