/** Reads a workflow file: YAML once, checked once, with every thing that it asks for and cannot have named. */

import { parseDocument } from 'yaml';
import * as z from 'zod';
import { actions } from '../../limits/limits.ts';
import { isCron } from './due-times.ts';
import { expressionProblems } from './expression-problems.ts';
import { jobSchema, toJob } from './job-schema.ts';
import { permissionsSchema } from './permissions.ts';
import { concurrencySchema, defaultsSchema, envSchema } from './shared-schema.ts';
import { type Triggers, triggersSchema } from './triggers.ts';
import type { JobDefinition, WorkflowFile } from './workflow-file.ts';

/** The file's meaning; `problems` is empty when everything in it can be done. Never throws on what a file holds. */
export function parseWorkflow(path: string, source: string): WorkflowFile {
  const key = JSON.stringify([path, source]);
  const file = known.get(key) ?? parseAnew(path, source);
  if (known.size >= actions.filesRemembered) known.clear();
  known.set(key, file);
  return file;
}

/** Each look and each world asks for the same few files; nobody changes what a file means. */
const known = new Map<string, WorkflowFile>();

function parseAnew(path: string, source: string): WorkflowFile {
  const document = parseDocument(source, { prettyErrors: true });
  const syntax = document.errors[0];
  if (syntax !== undefined) return brokenWorkflow(path, [`${path}: ${syntax.message}`]);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const parsed = workflowSchema.safeParse(value);
  if (!parsed.success) return brokenWorkflow(path, problemsOf(path, parsed.error), salvage(value));
  const raw = parsed.data;
  const jobs = Object.entries(raw.jobs).map(([key, job]) => toJob(key, job));
  return {
    path,
    name: raw.name ?? path,
    runName: raw['run-name'] ?? null,
    triggers: raw.on,
    permissions: raw.permissions ?? null,
    env: raw.env,
    concurrency: raw.concurrency ?? null,
    shell: raw.defaults?.run?.shell ?? null,
    workingDirectory: raw.defaults?.run?.['working-directory'] ?? null,
    jobs,
    problems: [
      ...(jobs.length === 0 ? [`${path}: jobs: there must be at least one job`] : []),
      ...needsProblems(path, jobs),
      ...badSchedules(raw.on).map((line) => `${path}: on.schedule: ${line} is no cron line`),
      ...expressionProblems(value).map((problem) => `${path}: ${problem}`),
    ],
  };
}

const workflowSchema = z.strictObject({
  name: z.string().optional(),
  'run-name': z.string().optional(),
  on: triggersSchema,
  permissions: permissionsSchema.optional(),
  env: envSchema,
  defaults: defaultsSchema.optional(),
  concurrency: concurrencySchema.optional(),
  jobs: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'is not a job id'), jobSchema),
});

const salvageSchema = z.object({ name: z.string().optional().catch(undefined), on: triggersSchema });

const NO_TRIGGERS: Triggers = {
  push: null,
  schedule: [],
  dispatch: null,
  call: null,
  workflowRun: null,
  activities: {},
};

/** Name and triggers of a file that is wrong elsewhere, so that its events make a run that says what is wrong. */
function salvage(value: unknown): { name?: string | undefined; on: Triggers } {
  const read = salvageSchema.safeParse(value);
  return read.success ? read.data : { on: NO_TRIGGERS };
}

/** A file that cannot be used, with the reasons, and what is known of it all the same. */
export function brokenWorkflow(
  path: string,
  problems: readonly string[],
  known: { name?: string | undefined; on: Triggers } = { on: NO_TRIGGERS },
): WorkflowFile {
  return {
    path,
    name: known.name ?? path,
    runName: null,
    triggers: known.on,
    permissions: null,
    env: {},
    concurrency: null,
    shell: null,
    workingDirectory: null,
    jobs: [],
    problems,
  };
}

function problemsOf(path: string, error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const place = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      const names = issue.keys.map((key) => (place === '' ? key : `${place}.${key}`));
      return `${path}: the playground does not know ${names.join(', ')}`;
    }
    return `${path}: ${place === '' ? 'the file' : place}: ${issue.message}`;
  });
}

function badSchedules(triggers: Triggers): string[] {
  return triggers.schedule.filter((line) => !isCron(line));
}

/** Unknown names in `needs` and circles, which GitHub refuses when the file is used. */
function needsProblems(path: string, jobs: readonly JobDefinition[]): string[] {
  const byKey = new Map(jobs.map((job) => [job.key, job]));
  const problems = jobs.flatMap((job) =>
    job.needs
      .filter((need) => !byKey.has(need))
      .map((need) => `${path}: job ${job.key} needs ${need}, which is not there`),
  );
  if (problems.length > 0) return problems;
  const settled = new Set<string>();
  for (let round = 0; round < jobs.length; round += 1) {
    for (const job of jobs) if (job.needs.every((need) => settled.has(need))) settled.add(job.key);
  }
  return jobs
    .filter((job) => !settled.has(job.key))
    .map((job) => `${path}: job ${job.key} waits for itself through needs`);
}
