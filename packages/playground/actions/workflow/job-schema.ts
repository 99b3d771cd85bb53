/** `jobs.<id>` of a workflow file: the keys that the playground supports, and their parsed form. */

import * as z from 'zod';
import { permissionsSchema } from './permissions.ts';
import { concurrencySchema, defaultsSchema, envSchema, listSchema, scalarSchema, textSchema } from './shared-schema.ts';

const minutes = z.union([z.number().positive(), z.string()]).nullable().default(null);
const flag = z.union([z.boolean(), z.string()]).default(false);

const stepSchema = z
  .strictObject({
    id: textSchema,
    name: textSchema,
    if: textSchema,
    uses: textSchema,
    run: textSchema,
    shell: textSchema,
    'working-directory': textSchema,
    with: envSchema,
    env: envSchema,
    'continue-on-error': flag,
    'timeout-minutes': minutes,
  })
  .transform(
    ({
      'working-directory': workingDirectory,
      'continue-on-error': continueOnError,
      'timeout-minutes': timeoutMinutes,
      ...step
    }) => ({ ...step, workingDirectory, continueOnError, timeoutMinutes }),
  );

export type StepDefinition = z.output<typeof stepSchema>;

/** The steps of a job or of a composite action. */
export const stepsSchema = z
  .array(stepSchema)
  .refine((steps) => new Set(listIds(steps)).size === listIds(steps).length, 'two steps have the same id')
  .default([]);

function listIds(steps: readonly StepDefinition[]): readonly string[] {
  return steps.flatMap(({ id }) => (id === null ? [] : [id.toLowerCase()]));
}

/**
 * Workflow files are directly in their folder. `$/` is the calling file's own repository and commit (GitHub,
 * 2026-07-30).
 */
const CALLED = /^(?:[.$]\/\.github\/workflows\/[^/@]+|[^/@]+\/[^/@]+\/\.github\/workflows\/[^/@]+@.+)$/;

const calledSchema = z
  .string()
  .regex(CALLED, 'expected ./.github/workflows/FILE or owner/repository/.github/workflows/FILE@ref')
  .optional();

/**
 * `runsOn`: labels, or one expression that gives a label or a list of labels. `call`: the workflow file that the job
 * calls.
 */
export const jobSchema = z
  .strictObject({
    name: textSchema,
    needs: listSchema,
    if: textSchema,
    'runs-on': z
      .union([
        listSchema.transform((labels) => ({ group: null, labels })),
        z.strictObject({ group: z.string(), labels: listSchema }),
      ])
      .optional(),
    permissions: permissionsSchema,
    environment: z
      .union([
        textSchema,
        // The playground creates no deployment for a job, with and without `deployment: false`.
        z.strictObject({ name: z.string(), url: textSchema, deployment: flag }).transform(({ name }) => name),
      ])
      .default(null),
    concurrency: concurrencySchema,
    outputs: z.record(z.string(), scalarSchema.transform(String)).default({}),
    env: envSchema,
    defaults: defaultsSchema,
    'timeout-minutes': minutes,
    'continue-on-error': flag,
    steps: stepsSchema,
    uses: calledSchema,
    with: envSchema,
    secrets: z.union([z.literal('inherit'), z.record(z.string(), z.string())]).default({}),
  })
  .refine(({ uses, steps }) => uses !== undefined || steps.length > 0, 'steps are missing')
  .transform(
    ({
      'runs-on': runsOn,
      'timeout-minutes': timeoutMinutes,
      'continue-on-error': continueOnError,
      defaults,
      uses,
      with: inputs,
      secrets,
      ...job
    }) => ({
      ...job,
      ...defaults,
      runsOn: runsOn?.labels ?? [],
      /** `runs-on.group`: the runner group that the job requires; text or an expression. */
      runnerGroup: runsOn?.group ?? null,
      timeoutMinutes,
      continueOnError,
      call: uses === undefined ? null : { uses, with: inputs, secrets },
    }),
  );
