/** Reads a workflow file: YAML once, checked once, with every thing that it asks for and cannot have named. */

import * as z from 'zod';
import { actions } from '../../limits/limits.ts';
import { isCron } from './due-times.ts';
import { readBySchema } from './github-schema.ts';
import { type Triggers, triggersSchema } from './triggers.ts';
import { type WorkflowFile, workflowSchema } from './workflow-file.ts';

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
  const read = readBySchema('workflow', path, source);
  if (!read.ok) return brokenWorkflow(path, read.problems);
  if (read.problems.length > 0) return brokenWorkflow(path, read.problems, salvage(read.value));
  const parsed = workflowSchema.safeParse(read.value);
  if (!parsed.success) return brokenWorkflow(path, problemsOf(path, parsed.error), salvage(read.value));
  const file = parsed.data;
  const strange = file.triggers.schedule.filter((line) => !isCron(line));
  return {
    ...file,
    path,
    name: file.name ?? path,
    problems: strange.map((line) => `${path}: on.schedule: ${line} is no cron line`),
  };
}

const salvageSchema = z.object({ name: z.string().optional().catch(undefined), on: triggersSchema });

const NO_TRIGGERS = triggersSchema.parse({});

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
