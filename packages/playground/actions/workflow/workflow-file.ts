/** A parsed workflow file: the shape that the queue and the runner use. */

import * as z from 'zod';
import { jobSchema } from './job-schema.ts';
import { permissionsSchema } from './permissions.ts';
import { concurrencySchema, defaultsSchema, envSchema, textSchema } from './shared-schema.ts';
import { triggersSchema } from './triggers.ts';

export const workflowSchema = z
  .strictObject({
    name: textSchema,
    'run-name': textSchema,
    on: triggersSchema,
    permissions: permissionsSchema,
    env: envSchema,
    defaults: defaultsSchema,
    concurrency: concurrencySchema,
    jobs: z.record(z.string(), jobSchema),
  })
  .transform(({ 'run-name': runName, on: triggers, defaults, jobs, ...file }) => ({
    ...file,
    ...defaults,
    runName,
    triggers,
    jobs: Object.entries(jobs).map(([key, job]) => ({ key, ...job })),
  }));

type Read = z.output<typeof workflowSchema>;

export type WorkflowFile = Readonly<Omit<Read, 'name'>> & {
  readonly path: string;
  readonly name: string;
  /** Requests in the file that GitHub or the playground does not support; a run of the file fails with these lines. */
  readonly problems: readonly string[];
};

export type JobDefinition = Read['jobs'][number];
