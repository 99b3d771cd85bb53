/** The keys that a cluster of any engine has. */

import { z } from 'zod';
import { amount, setting, unset, word } from '../settings/words.ts';

export const CLUSTER_KEYS = {
  acceleratorHoursPerRun: amount.describe(
    'Cost table: accelerator-hours of one run of this lane, shown before approval.',
  ),
  accelerators: unset(
    z.int().min(1).max(100_000),
    'Cost table: how many accelerators one run holds, for what it did cost; null: not told.',
  ),
  adoption: setting(
    z.boolean(),
    false,
    'Whether jobs that people have launched here by hand may be taken over, with /watch.',
  ),
  links: setting(
    z.record(word, z.string().max(500)),
    {},
    'Links for people; {jobId} and {run} are filled in.',
  ),
};
