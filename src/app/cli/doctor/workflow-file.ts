/** The parts of a lab's workflow file that the doctor looks at. */

import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';

const job = z.looseObject({
  'runs-on': z.union([z.string(), z.array(z.string())]).optional(),
  environment: z.union([z.string(), z.looseObject({ name: z.string() })]).optional(),
  permissions: z.unknown().optional(),
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

export const COPY = 'Copy the example workflows of the release again; differences belong into the config.';

/** Null where it is no workflow at all. */
export function readWorkflow(text: string): Workflow | null {
  try {
    const parsed = workflow.safeParse(parse(text));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (error instanceof YAMLParseError) return null;
    throw error;
  }
}

/** What `runs-on` asks of a runner, as a list however it is written. */
export function labelsOf(one: Job): readonly string[] {
  return [one['runs-on'] ?? []].flat();
}

/** Names of the events that start it. */
export function eventsOf({ on }: Workflow): readonly string[] {
  if (typeof on === 'string') return [on];
  if (Array.isArray(on)) return on.map(String);
  return typeof on === 'object' && on !== null ? Object.keys(on) : [];
}

/** Name of the environment that a job runs in. */
export function environmentOf({ environment }: Job): string | undefined {
  return typeof environment === 'object' ? environment.name : environment;
}
