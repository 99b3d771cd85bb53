/** Parses the parts of a workflow file that the doctor checks. */

import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';

const labels = z.union([z.string(), z.array(z.string())]);
const job = z.looseObject({
  'runs-on': z.union([labels, z.looseObject({ labels: labels.optional() })]).optional(),
  environment: z.union([z.string(), z.looseObject({ name: z.string() })]).optional(),
  uses: z.string().optional(),
  steps: z
    .array(
      z.looseObject({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).default({}) }),
    )
    .default([]),
});
const workflow = z.looseObject({
  on: z.unknown(),
  permissions: z.unknown().optional(),
  jobs: z.record(z.string(), job),
});
export type Workflow = z.infer<typeof workflow>;
export type Job = z.infer<typeof job>;

export const WORKFLOWS = '.github/workflows';
/** Every workflow file of the default branch by path; null if it cannot be parsed. */
export type WorkflowFiles = ReadonlyMap<string, Workflow | null>;

/** Null if the text is not a workflow. */
export function readWorkflow(text: string): Workflow | null {
  try {
    return workflow.safeParse(parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof YAMLParseError) return null;
    throw error;
  }
}

/** Each job with the path of its file and its name. */
export function jobsOf(files: WorkflowFiles): readonly (readonly [path: string, name: string, job: Job])[] {
  return [...files].flatMap(([path, file]) =>
    Object.entries(file?.jobs ?? {}).map(([name, one]) => [path, name, one] as const),
  );
}

/** What `runs-on` asks of a runner, as a list however it is written. */
export function labelsOf({ 'runs-on': runsOn = [] }: Job): readonly string[] {
  const asked = typeof runsOn === 'string' || Array.isArray(runsOn) ? runsOn : runsOn.labels;
  return [asked ?? []].flat();
}

/** Names of the events that start it. */
export function eventsOf({ on }: Workflow): readonly string[] {
  if (typeof on === 'string') return [on];
  if (Array.isArray(on)) return on.map(String);
  return typeof on === 'object' && on !== null ? Object.keys(on) : [];
}

/** Name of the environment that a job runs in. */
export function environmentOf({ environment }: Job): string {
  return (typeof environment === 'object' ? environment.name : environment) ?? '';
}
