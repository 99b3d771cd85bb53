/** The steps of a composite action, as its `action.yml` has them (docs: metadata syntax, `runs` for composite actions). */

import * as z from 'zod';
import { expressionProblems } from '../workflow/expression-problems.ts';
import { envSchema, scalarSchema } from '../workflow/shared-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import type { StepDefinition } from '../workflow/workflow-file.ts';

export type CompositeRuns = {
  readonly kind: 'composite';
  readonly steps: readonly StepDefinition[];
  /** Name to its text, which may hold `${{ }}`. */
  readonly outputs: Readonly<Record<string, string>>;
};

// Without a shell, with a time limit or with a key of jobs GitHub refuses the whole action.
const step = z
  .strictObject({
    id: z.string().optional(),
    name: z.string().optional(),
    if: z.union([z.string(), z.boolean(), z.number()]).transform(String).optional(),
    env: envSchema,
    'continue-on-error': z.union([z.boolean(), z.string()]).default(false),
    run: z.string().optional(),
    shell: z.string().optional(),
    'working-directory': z.string().optional(),
    uses: z.string().optional(),
    with: z.record(z.string(), scalarSchema).default({}),
  })
  .refine(({ uses, run }) => (uses === undefined) !== (run === undefined), 'a step has either uses or run')
  .refine(
    ({ run, shell }) => run === undefined || shell !== undefined,
    'Required property is missing: shell',
  );

const schema = z.object({
  outputs: z.record(z.string(), z.object({ value: scalarSchema.transform(String).default('') })).default({}),
  runs: z.object({ steps: z.array(step).default([]) }),
});

/** Throws WorkflowFault with what GitHub would not take. */
export function readComposite(text: unknown, uses: string): CompositeRuns {
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw new WorkflowFault(`${uses}: action.yml: ${z.prettifyError(parsed.error)}`);
  const { outputs, runs } = parsed.data;
  const [problem] = expressionProblems({ outputs, runs: { steps: runs.steps } });
  if (problem !== undefined) throw new WorkflowFault(`${uses}: action.yml: ${problem}`);
  const ids = runs.steps.flatMap(({ id }) => (id === undefined ? [] : [id.toLowerCase()]));
  if (new Set(ids).size < ids.length)
    throw new WorkflowFault(`${uses}: action.yml: two steps have the same id`);
  return {
    kind: 'composite',
    steps: runs.steps.map(toStep),
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value])),
  };
}

function toStep(raw: z.output<typeof step>): StepDefinition {
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
    timeoutMinutes: null,
  };
}
