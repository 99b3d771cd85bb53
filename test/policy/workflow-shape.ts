/** The parts of a workflow file that the rules check, read from its YAML. */

import { parse } from 'yaml';
import { z } from 'zod';

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  env: z.record(z.string(), z.unknown()).default({}),
});
const job = z.looseObject({
  if: z.string().optional(),
  'runs-on': z.union([z.string(), z.array(z.string())]).optional(),
  permissions: z.unknown().optional(),
  environment: z.unknown().optional(),
  'timeout-minutes': z.number().optional(),
  steps: z.array(step).default([]),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  secrets: z.union([z.string(), z.record(z.string(), z.string())]).default({}),
});
const inputs = z.record(z.string(), z.looseObject({ type: z.string().optional() })).default({});
const workflow = z.looseObject({
  name: z.string().default(''),
  on: z.unknown(),
  permissions: z.unknown().optional(),
  env: z.unknown().optional(),
  jobs: z.record(z.string(), job),
});

export type Workflow = z.infer<typeof workflow>;
export type Job = z.infer<typeof job>;

/** Parses the file; throws if it is not a workflow. */
export function readWorkflow(source: string): Workflow {
  return workflow.parse(parse(source));
}

/** Names of the events that start it. */
export function listEvents({ on }: Workflow): readonly string[] {
  if (typeof on !== 'object' || on === null) return [String(on)];
  return Array.isArray(on) ? on.map(String) : Object.keys(on);
}

/** The inputs from a person or another workflow, with their types. */
export function listInputs({ on }: Workflow): readonly (readonly [string, string | undefined])[] {
  const asked = z.looseObject({ inputs: inputs }).nullable();
  const shape = z.looseObject({ workflow_dispatch: asked.optional(), workflow_call: asked.optional() });
  const read = shape.safeParse(on);
  if (!read.success) return [];
  const { workflow_dispatch: dispatch, workflow_call: call } = read.data;
  return Object.entries({ ...dispatch?.inputs, ...call?.inputs }).map(([name, { type }]) => [name, type]);
}

/** Names of the secrets that a job mentions, sorted; `secrets` itself if it inherits all. */
export function listSecrets(one: Job): readonly string[] {
  const { secrets, ...rest } = one;
  const inside = [...JSON.stringify(rest).matchAll(EXPRESSION)].flatMap((found) => listNamedSecrets(found[0]));
  const handed = typeof secrets === 'string' ? [secrets] : Object.values(secrets).flatMap(listNamedSecrets);
  return [...new Set([...inside, ...handed])].filter((name) => name !== 'GITHUB_TOKEN').sort();
}

const EXPRESSION = /\$\{\{.*?\}\}/gs;

function listNamedSecrets(expression: string): readonly string[] {
  return [...expression.matchAll(/\bsecrets\b\s*(?:\.\s*(\w+))?/g)].map((found) => found[1] ?? found[0]);
}

export function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
