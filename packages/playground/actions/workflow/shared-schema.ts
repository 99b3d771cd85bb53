/**
 * Parts of the workflow syntax that occur at several levels. GitHub's schema has validated the file before; these
 * schemas add types.
 */

import * as z from 'zod';

/** A value that a workflow file may use where text is expected. */
export const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A YAML scalar, or a text that may contain `${{ }}`. */
export type Scalar = z.output<typeof scalarSchema>;

/** Text, even if YAML parsed another type; null when absent. */
export const textSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String).nullable().default(null);

/** One text or a list of them. */
export const listSchema = z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]);

export const envSchema = z.record(z.string(), scalarSchema).default({});

export const defaultsSchema = z
  .strictObject({ run: z.strictObject({ shell: textSchema, 'working-directory': textSchema }).optional() })
  .optional()
  .transform((given) => ({
    shell: given?.run?.shell ?? null,
    workingDirectory: given?.run?.['working-directory'] ?? null,
  }));

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
  .transform(({ group, queue, ...given }) => ({ group, cancelInProgress: given['cancel-in-progress'], queue }))
  .nullable()
  .default(null);

export type Concurrency = NonNullable<z.output<typeof concurrencySchema>>;
