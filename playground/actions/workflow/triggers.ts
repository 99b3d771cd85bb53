/** The events that start a workflow: `on:` read into one shape per event. */

import * as z from 'zod';
import type { DispatchInput } from '../state-actions.ts';

/** Which branches, tags and paths count; an empty list means that the key is not there. */
export type RefFilter = {
  readonly branches: readonly string[];
  readonly branchesIgnore: readonly string[];
  readonly tags: readonly string[];
  readonly tagsIgnore: readonly string[];
  readonly paths: readonly string[];
  readonly pathsIgnore: readonly string[];
};

/** An event that has activity types and may have branch and path filters. */
type ActivityTrigger = RefFilter & { readonly types: readonly string[] };

export type CallInput = {
  readonly type: 'string' | 'boolean' | 'number';
  readonly required: boolean;
  readonly default: string | number | boolean | null;
};

type CallTrigger = {
  readonly inputs: Readonly<Record<string, CallInput>>;
  /** Secret name to required. */
  readonly secrets: Readonly<Record<string, boolean>>;
  readonly outputs: Readonly<Record<string, string>>;
};

export type ActivityEvent = keyof typeof DEFAULT_TYPES;

export type Triggers = {
  readonly push: RefFilter | null;
  readonly schedule: readonly string[];
  readonly dispatch: Readonly<Record<string, DispatchInput>> | null;
  readonly call: CallTrigger | null;
  readonly workflowRun: (ActivityTrigger & { readonly workflows: readonly string[] }) | null;
  readonly activities: Readonly<Partial<Record<ActivityEvent, ActivityTrigger>>>;
};

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

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const filterKeys = {
  branches: list.default([]),
  'branches-ignore': list.default([]),
  tags: list.default([]),
  'tags-ignore': list.default([]),
  paths: list.default([]),
  'paths-ignore': list.default([]),
};
const activity = z.strictObject({ types: list.default([]), ...filterKeys }).nullable();
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const dispatchInput = z
  .strictObject({
    description: z.string().optional(),
    required: z.boolean().default(false),
    type: z.enum(['string', 'boolean', 'choice', 'number', 'environment']).default('string'),
    default: scalar.optional(),
    options: z.array(z.string()).default([]),
    deprecationMessage: z.string().optional(),
  })
  .nullable();

const onSchema = z.strictObject({
  push: z.strictObject(filterKeys).nullable().optional(),
  schedule: z.array(z.strictObject({ cron: z.string() })).default([]),
  workflow_dispatch: z
    .strictObject({ inputs: z.record(z.string(), dispatchInput).nullable().default({}) })
    .nullable()
    .optional(),
  workflow_call: z
    .strictObject({
      inputs: z
        .record(
          z.string(),
          z.strictObject({
            description: z.string().optional(),
            type: z.enum(['string', 'boolean', 'number']),
            required: z.boolean().default(false),
            default: scalar.optional(),
          }),
        )
        .nullable()
        .default({}),
      secrets: z
        .record(
          z.string(),
          z
            .strictObject({ description: z.string().optional(), required: z.boolean().default(false) })
            .nullable(),
        )
        .nullable()
        .default({}),
      outputs: z
        .record(z.string(), z.strictObject({ description: z.string().optional(), value: z.string() }))
        .nullable()
        .default({}),
    })
    .nullable()
    .optional(),
  workflow_run: z.strictObject({ workflows: list, types: list.default([]), ...filterKeys }).optional(),
  check_run: activity.optional(),
  issue_comment: activity.optional(),
  issues: activity.optional(),
  pull_request: activity.optional(),
  pull_request_review: activity.optional(),
  pull_request_review_comment: activity.optional(),
  pull_request_target: activity.optional(),
  repository_dispatch: activity.optional(),
});

/** `on:` as text, list or map, in its one normal form; an event that is not listed here is a problem with its name. */
export const triggersSchema = z.preprocess(asEventMap, onSchema).transform(toTriggers);

function asEventMap(on: unknown): unknown {
  if (typeof on === 'string') return { [on]: null };
  if (Array.isArray(on)) return Object.fromEntries(on.map((event) => [String(event), null]));
  return on;
}

function toTriggers(on: z.output<typeof onSchema>): Triggers {
  const activities: Partial<Record<ActivityEvent, ActivityTrigger>> = {};
  for (const event of Object.keys(DEFAULT_TYPES) as ActivityEvent[]) {
    const given = on[event];
    if (given !== undefined) activities[event] = { types: given?.types ?? [], ...toFilter(given ?? {}) };
  }
  return {
    push: on.push === undefined ? null : toFilter(on.push ?? {}),
    schedule: on.schedule.map(({ cron }) => cron),
    dispatch: on.workflow_dispatch === undefined ? null : toDispatch(on.workflow_dispatch?.inputs ?? {}),
    call: on.workflow_call === undefined ? null : toCall(on.workflow_call),
    workflowRun:
      on.workflow_run === undefined
        ? null
        : {
            ...toFilter(on.workflow_run),
            types: on.workflow_run.types,
            workflows: on.workflow_run.workflows,
          },
    activities,
  };
}

type RawFilter = Partial<z.output<z.ZodObject<typeof filterKeys>>>;

function toFilter(raw: RawFilter): RefFilter {
  return {
    branches: raw.branches ?? [],
    branchesIgnore: raw['branches-ignore'] ?? [],
    tags: raw.tags ?? [],
    tagsIgnore: raw['tags-ignore'] ?? [],
    paths: raw.paths ?? [],
    pathsIgnore: raw['paths-ignore'] ?? [],
  };
}

function toDispatch(
  inputs: Readonly<Record<string, z.output<typeof dispatchInput>>>,
): Record<string, DispatchInput> {
  return mapValues(inputs, (input) => ({
    required: input?.required ?? false,
    type: input?.type ?? 'string',
    default: input?.default === undefined ? null : String(input.default),
    options: input?.options ?? [],
  }));
}

function toCall(raw: NonNullable<z.output<typeof onSchema>['workflow_call']> | null): CallTrigger {
  return {
    inputs: mapValues(raw?.inputs ?? {}, (input) => ({
      type: input.type,
      required: input.required,
      default: input.default ?? null,
    })),
    secrets: mapValues(raw?.secrets ?? {}, (secret) => secret?.required ?? false),
    outputs: mapValues(raw?.outputs ?? {}, (output) => output.value),
  };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
