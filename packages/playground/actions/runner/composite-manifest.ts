/**
 * The steps of a composite action, as its `action.yml` defines them (docs: metadata syntax, `runs` for composite
 * actions).
 */

import * as z from 'zod';
import { stepsSchema } from '../workflow/job-schema.ts';
import { scalarSchema } from '../workflow/shared-schema.ts';

/** `outputs` maps a name to its text, which may contain `${{ }}`. */
export const compositeSchema = z
  .object({
    outputs: z.record(z.string(), z.object({ value: scalarSchema.transform(String).default('') })).default({}),
    runs: z.object({ steps: stepsSchema }),
  })
  .transform(({ outputs, runs }) => ({
    kind: 'composite' as const,
    steps: runs.steps,
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value])),
  }));

export type CompositeRuns = z.output<typeof compositeSchema>;
