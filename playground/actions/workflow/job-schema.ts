/** `jobs.<id>` of a workflow file: its keys, and what they come to. */

import * as z from 'zod';
import { permissionsSchema } from './permissions.ts';
import { concurrencySchema, defaultsSchema, envSchema, scalarSchema } from './shared-schema.ts';
import type { JobDefinition, StepDefinition } from './workflow-file.ts';

const condition = z.union([z.string(), z.boolean(), z.number()]).transform(String);
const minutes = z.union([z.number().positive(), z.string()]);
const flag = z.union([z.boolean(), z.string()]);
const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const stepSchema = z
  .strictObject({
    id: z.string().optional(),
    name: z.string().optional(),
    if: condition.optional(),
    uses: z.string().optional(),
    run: z.string().optional(),
    shell: z.string().optional(),
    'working-directory': z.string().optional(),
    with: z.record(z.string(), scalarSchema).default({}),
    env: envSchema,
    'continue-on-error': flag.default(false),
    'timeout-minutes': minutes.optional(),
  })
  .refine((step) => (step.uses === undefined) !== (step.run === undefined), {
    message: 'a step has either uses or run',
  });

/** Workflows lie directly in their folder; `$/` is the calling file's own repository and commit (GitHub, 2026-07-30). */
const CALLED = /^(?:[.$]\/\.github\/workflows\/[^/@]+|[^/@]+\/[^/@]+\/\.github\/workflows\/[^/@]+@.+)$/;

export const jobSchema = z
  .strictObject({
    name: z.string().optional(),
    needs: list.default([]),
    if: condition.optional(),
    'runs-on': z
      .union([
        list.transform((labels) => ({ group: null, labels })),
        z.strictObject({ group: z.string(), labels: list.default([]) }),
      ])
      .optional(),
    permissions: permissionsSchema.optional(),
    environment: z
      .union([
        z.string(),
        z.strictObject({ name: z.string(), url: z.string().optional() }).transform(({ name }) => name),
      ])
      .optional(),
    concurrency: concurrencySchema.optional(),
    outputs: z.record(z.string(), scalarSchema.transform(String)).default({}),
    env: envSchema,
    defaults: defaultsSchema.optional(),
    'timeout-minutes': minutes.optional(),
    'continue-on-error': flag.default(false),
    steps: z.array(stepSchema).default([]),
    uses: z.string().optional(),
    with: z.record(z.string(), scalarSchema).optional(),
    secrets: z.union([z.literal('inherit'), z.record(z.string(), z.string())]).optional(),
  })
  .superRefine((job, context) => {
    const complain = (message: string): void => {
      context.addIssue({ code: 'custom', message });
    };
    if (job.uses !== undefined) {
      if (!CALLED.test(job.uses))
        complain(
          `uses: ${job.uses}: expected ./.github/workflows/FILE or owner/repository/.github/workflows/FILE@ref`,
        );
      if (
        job['runs-on'] !== undefined ||
        job.environment !== undefined ||
        job['timeout-minutes'] !== undefined
      )
        complain('a job that calls a workflow has no runs-on, environment or timeout-minutes');
      if (job.steps.length > 0) complain('a job that calls a workflow has no steps');
      return;
    }
    if (job['runs-on'] === undefined) complain('runs-on is missing');
    if (job.steps.length === 0) complain('steps are missing');
    const ids = job.steps.flatMap((step) => (step.id === undefined ? [] : [step.id.toLowerCase()]));
    if (new Set(ids).size < ids.length) complain('two steps have the same id');
  });

/** One job's definition from its checked YAML. */
export function toJob(key: string, raw: z.output<typeof jobSchema>): JobDefinition {
  return {
    key,
    name: raw.name ?? null,
    needs: raw.needs,
    if: raw.if ?? null,
    runsOn: raw['runs-on']?.labels ?? [],
    runnerGroup: raw['runs-on']?.group ?? null,
    permissions: raw.permissions ?? null,
    environment: raw.environment ?? null,
    concurrency: raw.concurrency ?? null,
    outputs: raw.outputs,
    env: raw.env,
    shell: raw.defaults?.run?.shell ?? null,
    workingDirectory: raw.defaults?.run?.['working-directory'] ?? null,
    timeoutMinutes: raw['timeout-minutes'] ?? null,
    continueOnError: raw['continue-on-error'],
    steps: raw.steps.map(toStep),
    call:
      raw.uses === undefined ? null : { uses: raw.uses, with: raw.with ?? {}, secrets: raw.secrets ?? {} },
  };
}

function toStep(raw: z.output<typeof stepSchema>): StepDefinition {
  return {
    id: raw.id ?? null,
    name: raw.name ?? null,
    if: raw.if ?? null,
    uses: raw.uses ?? null,
    run: raw.run ?? null,
    shell: raw.shell ?? null,
    workingDirectory: raw['working-directory'] ?? null,
    with: raw.with,
    env: raw.env,
    continueOnError: raw['continue-on-error'],
    timeoutMinutes: raw['timeout-minutes'] ?? null,
  };
}
