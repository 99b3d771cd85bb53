/** Parts of the workflow syntax that stand at several levels: env, defaults, concurrency. */

import * as z from 'zod';
import type { Concurrency } from './workflow-file.ts';

/** A value that a workflow file may give where text is expected. */
export const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const envSchema = z.record(z.string(), scalarSchema).default({});

export const defaultsSchema = z.strictObject({
  run: z
    .strictObject({ shell: z.string().optional(), 'working-directory': z.string().optional() })
    .optional(),
});

/** `concurrency: group` or the map; `queue: max` together with `cancel-in-progress: true` is refused, as GitHub does. */
export const concurrencySchema = z
  .union([
    z.string().transform((group) => ({ group, 'cancel-in-progress': false, queue: 'single' as const })),
    z.strictObject({
      group: z.string(),
      'cancel-in-progress': z.union([z.boolean(), z.string()]).default(false),
      queue: z.enum(['single', 'max']).default('single'),
    }),
  ])
  .refine((given) => given.queue === 'single' || given['cancel-in-progress'] !== true, {
    message: 'queue: max cannot be combined with cancel-in-progress: true',
  })
  .transform(
    (given): Concurrency => ({
      group: given.group,
      cancelInProgress: given['cancel-in-progress'],
      queue: given.queue,
    }),
  );
