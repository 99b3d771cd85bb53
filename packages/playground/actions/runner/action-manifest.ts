/** Reads an action's `action.yml`: its inputs, and what to run: Node programs or composite steps. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { actions } from '../../limits/limits.ts';
import { ifThereSync } from '../../world/if-there.ts';
import { readBySchema } from '../workflow/github-schema.ts';
import { type Scalar, scalarSchema } from '../workflow/shared-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { type CompositeRuns, compositeSchema } from './composite-manifest.ts';

export type NodeRuns = {
  readonly kind: 'node';
  readonly main: string;
  readonly pre: string | null;
  readonly preIf: string;
  readonly post: string | null;
  readonly postIf: string;
};

export type ActionManifest = {
  readonly name: string;
  readonly inputs: Readonly<Record<string, { readonly required: boolean; readonly default: Scalar | undefined }>>;
  readonly runs: NodeRuns | CompositeRuns;
};

const schema = z.object({
  name: z.string(),
  inputs: z
    .record(z.string(), z.object({ required: z.boolean().default(false), default: scalarSchema.optional() }))
    .default({}),
  runs: z.object({
    using: z.string(),
    main: z.string().optional(),
    pre: z.string().optional(),
    'pre-if': z.string().default('always()'),
    post: z.string().optional(),
    'post-if': z.string().default('always()'),
  }),
});

/**
 * The manifest in a directory. Throws WorkflowFault when there is none, or when it is neither a JavaScript nor a
 * composite action.
 */
export function readActionManifest(directory: string, uses: string): ActionManifest {
  const read = (name: string): string | null => ifThereSync(() => readFileSync(path.join(directory, name), 'utf8'));
  const source = read('action.yml') ?? read('action.yaml');
  if (source === null) {
    throw new WorkflowFault(
      `Can't find 'action.yml' or 'action.yaml' for '${uses}'. Did you forget to run actions/checkout before running your local action?`,
    );
  }
  const manifest = known.get(source) ?? parseManifest(source, uses);
  if (known.size >= actions.filesRemembered) known.clear();
  known.set(source, manifest);
  return manifest;
}

/** A cache: every job reads the manifests of its actions, which are always the same few texts. */
const known = new Map<string, ActionManifest>();

function parseManifest(source: string, uses: string): ActionManifest {
  const read = readBySchema('action', `${uses}: action.yml`, source);
  const [problem] = read.problems;
  if (!read.ok || problem !== undefined) throw new WorkflowFault(problem);
  const { runs, name, inputs } = parseWithSchema(schema, read.value, uses);
  return {
    name,
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([key, input]) => [key, { required: input.required, default: input.default }]),
    ),
    runs: runs.using === 'composite' ? parseWithSchema(compositeSchema, read.value, uses) : nodeRuns(runs, uses),
  };
}

function parseWithSchema<Schema extends z.ZodType>(schema: Schema, value: unknown, uses: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new WorkflowFault(`${uses}: action.yml: ${z.prettifyError(parsed.error)}`);
}

function nodeRuns(runs: z.output<typeof schema>['runs'], uses: string): NodeRuns {
  // GitHub now runs actions made for Node 20 on Node 24 (changelog 2025-09-19, deprecation of Node 20).
  if (!['node20', 'node24'].includes(runs.using) || runs.main === undefined) {
    throw new WorkflowFault(`${uses}: the playground runs actions with using: node24 or composite, not ${runs.using}`);
  }
  return {
    kind: 'node',
    main: runs.main,
    pre: runs.pre ?? null,
    preIf: runs['pre-if'],
    post: runs.post ?? null,
    postIf: runs['post-if'],
  };
}

/** `INPUT_*` names as the runner makes them: upper case, spaces become underscores, dashes stay. */
export function inputEnvironment(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  );
}
