/** Parses a workflow file once: reads the YAML, validates it, and names everything that is not supported. */

import * as z from 'zod';
import { actions } from '../../limits/limits.ts';
import { isCron } from './due-times.ts';
import { readBySchema } from './github-schema.ts';
import { type Triggers, triggersSchema } from './triggers.ts';
import { type WorkflowFile, workflowSchema } from './workflow-file.ts';

/** The parsed file; `problems` is empty when everything in it is supported. Never throws on a file's content. */
export function parseWorkflow(path: string, source: string): WorkflowFile {
  const key = JSON.stringify([path, source]);
  const file = known.get(key) ?? parseUncached(path, source);
  if (known.size >= actions.filesRemembered) known.clear();
  known.set(key, file);
  return file;
}

/** A cache: every pass and every world reads the same few files, and parsed files are never modified. */
const known = new Map<string, WorkflowFile>();

function parseUncached(path: string, source: string): WorkflowFile {
  const read = readBySchema('workflow', path, source);
  if (!read.ok) return brokenWorkflow(path, read.problems);
  if (read.problems.length > 0) return brokenWorkflow(path, read.problems, salvageTriggers(read.value));
  const parsed = workflowSchema.safeParse(read.value);
  if (!parsed.success) return brokenWorkflow(path, listProblems(path, parsed.error), salvageTriggers(read.value));
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

/** Name and triggers of an otherwise invalid file, so that its events create a run that shows the errors. */
function salvageTriggers(value: unknown): { name?: string | undefined; on: Triggers } {
  const read = salvageSchema.safeParse(value);
  return read.success ? read.data : { on: NO_TRIGGERS };
}

/** A file that cannot be used: the reasons, and the parts that could be read. */
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

function listProblems(path: string, error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const place = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      const names = issue.keys.map((key) => (place === '' ? key : `${place}.${key}`));
      return `${path}: the playground does not know ${names.join(', ')}`;
    }
    return `${path}: ${place === '' ? 'the file' : place}: ${issue.message}`;
  });
}
