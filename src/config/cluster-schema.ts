/** The shape of one cluster: which engine runs its jobs, what that engine needs, and the keys that every cluster has. */

import { z } from 'zod';
import { gcpKeys } from './gcp-schema.ts';
import { rayKeys } from './ray-schema.ts';
import { amount, word } from './words.ts';

const sharedKeys = {
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
  links: z
    .record(word, z.string().max(500))
    .default({})
    .describe('Links for people; {jobId} and {run} are filled in.'),
};

const local = z.strictObject({
  engine: z.literal('local').describe("Processes of the runner's own machine."),
  jobs: z
    .string()
    .min(1)
    .max(300)
    .default('jobs')
    .describe('Folder for job records, relative to FERRYBOT_STATE_DIR.'),
  ...sharedKeys,
});

const ray = z.strictObject({ ...rayKeys, ...gcpKeys, ...sharedKeys });

/** A cluster; `engine` says which kind, and with it which keys there are. */
export const clusterSchema = z.discriminatedUnion('engine', [local, ray]);

export type RayClusterConfig = z.infer<typeof ray>;
