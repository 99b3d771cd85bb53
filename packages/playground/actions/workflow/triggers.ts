/** The events that start a workflow: `on:` parsed into one shape per event. */

import * as z from 'zod';
import { listSchema, scalarSchema, textSchema } from './shared-schema.ts';

/** Activity types that start a workflow when `types:` is absent; null = every type (docs: events that trigger workflows). */
export const DEFAULT_TYPES = {
  check_run: null,
  issue_comment: null,
  issues: null,
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_review: null,
  pull_request_review_comment: null,
  pull_request_target: ['opened', 'synchronize', 'reopened'],
  repository_dispatch: null,
} as const satisfies Record<string, readonly string[] | null>;

/** The activity types, branches, tags and paths that count; an empty list means that the key is absent. */
const filterSchema = z.object({
  types: listSchema,
  branches: listSchema,
  'branches-ignore': listSchema,
  tags: listSchema,
  'tags-ignore': listSchema,
  paths: listSchema,
  'paths-ignore': listSchema,
});
const activity = orNull(filterSchema);

export type RefFilter = z.output<typeof filterSchema>;

const dispatchInput = z.preprocess(
  (given) => given ?? {},
  z.object({
    required: z.boolean().default(false),
    type: z.enum(['string', 'boolean', 'choice', 'number', 'environment']).default('string'),
    default: textSchema,
    options: z.array(z.string()).default([]),
  }),
);

const callInput = z.object({
  type: z.enum(['string', 'boolean', 'number']),
  required: z.boolean().default(false),
  default: scalarSchema.default(null),
});

export type CallInput = z.output<typeof callInput>;

/** Whether the secret is required. */
const callSecret = z
  .object({ required: z.boolean().default(false) })
  .nullable()
  .transform((given) => given?.required ?? false);

const onSchema = z.strictObject({
  push: activity,
  schedule: z.array(z.strictObject({ cron: z.string() }).transform(({ cron }) => cron)).default([]),
  workflow_dispatch: orNull(z.object({ inputs: z.record(z.string(), dispatchInput).nullish() })),
  workflow_call: orNull(
    z.object({
      inputs: namedSchema(callInput),
      secrets: namedSchema(callSecret),
      outputs: namedSchema(z.object({ value: z.string() }).transform(({ value }) => value)),
    }),
  ),
  workflow_run: orNull(filterSchema.extend({ workflows: listSchema })),
  check_run: activity,
  issue_comment: activity,
  issues: activity,
  pull_request: activity,
  pull_request_review: activity,
  pull_request_review_comment: activity,
  pull_request_target: activity,
  repository_dispatch: activity,
});

/**
 * `on:` as text, list or map, in its normalized form. An event that is not listed here is reported as a problem with
 * its name.
 */
export const triggersSchema = z
  .preprocess(asEventMap, onSchema)
  .transform(({ push, schedule, workflow_dispatch, workflow_call, workflow_run, ...activities }) => ({
    push,
    schedule,
    dispatch: workflow_dispatch === null ? null : (workflow_dispatch.inputs ?? {}),
    call: workflow_call,
    workflowRun: workflow_run,
    activities,
  }));

export type Triggers = z.output<typeof triggersSchema>;
export type ActivityEvent = keyof Triggers['activities'];

/** Gives an event without a value an empty filter. */
function asEventMap(on: unknown): unknown {
  if (typeof on === 'string') return { [on]: {} };
  if (Array.isArray(on)) return Object.fromEntries(on.map((event) => [String(event), {}]));
  if (typeof on !== 'object' || on === null) return on;
  return Object.fromEntries(Object.entries(on).map(([event, given]) => [event, given ?? {}]));
}

function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().default(null);
}

function namedSchema<Schema extends z.ZodType>(schema: Schema) {
  return z
    .record(z.string(), schema)
    .nullish()
    .transform((given) => given ?? {});
}
