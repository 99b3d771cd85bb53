/** Keys of a cluster of TPU VMs on Google Cloud: their location, and the handling of bad ones. */

import { z } from 'zod';
import { setting, unset } from './words.ts';

const gcp = z.strictObject({
  project: z
    .string()
    .regex(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'the id of a project')
    .describe('Project that the TPU VMs are in.'),
  zones: z
    .array(z.string().regex(/^[a-z]+-[a-z]+\d+-[a-z]$/, 'a zone such as us-central1-a'))
    .min(1)
    .max(20)
    .describe('Zones in which workers of this cluster are looked for.'),
});

const badNodes = z
  .strictObject({
    approval: setting(
      z.enum(['ask', 'pre-approved']),
      'ask',
      'ask: a bad TPU VM is deleted when a person consents in the thread; pre-approved: also by this entry, once the job has failed.',
    ),
    deletesPerDayMax: setting(
      z.int().min(1).max(20),
      2,
      'pre-approved: more deletions on this cluster within 24 hours take a person.',
    ),
    replacementWaitMinutes: setting(
      z.int().min(1).max(240),
      30,
      'How long a replacement is waited for before the job is started again.',
    ),
  })
  .prefault({})
  .describe('What becomes of a TPU VM that the log shows to be bad.');

export const gcpKeys = {
  gcp: unset(gcp, 'Where the TPU VMs of this cluster are; null: nothing is proposed for them.'),
  badNodes,
};

export type GcpConfig = z.infer<typeof gcp>;
export type BadNodesConfig = z.infer<typeof badNodes>;
