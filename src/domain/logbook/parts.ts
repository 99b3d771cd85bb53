/** Schemas shared by events: people, keys, orders, manifests, verdicts. */

import * as z from 'zod';
import { type Digest, isDigest, isRunId, isSha, type RunId, type Sha } from '../ids.ts';
import type { Manifest } from '../launch/manifest.ts';
import type { Order } from '../launch/order.ts';
import { GATES, REMEDY_ACTORS, type Verdict } from '../launch/verdict.ts';
import { ROLES } from './role.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
export const text = z.string();
export const integer = z.int();
export const integerOrNull = z.int().nullable();
/** Whole millionths of a dollar, or a count. */
export const amount = z.int().min(0);

export const digest = z.custom<Digest>((value) => isText(value) && isDigest(value), 'not sha256:<64 hex>');
export const sha = z.custom<Sha>((value) => isText(value) && isSha(value), 'not a commit id');
export const runId = z.custom<RunId>((value) => isText(value) && isRunId(value), 'not a run id');

export const texts = z.record(z.string(), text);
export const scalars = z.record(z.string(), z.union([text, z.int()]));

export const actorSchema = z.object({ id: z.int(), login: text });

export const publicKeySchema = z.object({
  id: text,
  role: z.enum(ROLES),
  public: text,
  from: text,
  until: text,
});

export const verdictSchema: z.ZodType<Verdict> = z.object({
  gate: z.enum(GATES),
  outcome: z.enum(['pass', 'warn', 'fail', 'unknown']),
  code: text,
  found: scalars,
  remedyBy: z.enum(REMEDY_ACTORS),
});

export const orderSchema: z.ZodType<Order> = z.object({
  v: z.literal(1),
  run: runId,
  repository: text,
  attempt: z.int(),
  digest,
  commit: sha,
  pull: z.int(),
  approvals: z.array(
    z.object({
      comment: z.int(),
      surface: z.enum(['comment', 'review']),
      user: z.int(),
      bodyDigest: digest,
    }),
  ),
  preApprovedBy: digest.exactOptional(),
  parent: z.object({ run: runId, attempt: z.int() }).exactOptional(),
  checkpoint: z.object({ path: text, step: z.int() }).exactOptional(),
  submissionId: text,
  issuedAt: text,
  expiresAt: text,
});

const manifestChange = z.object({
  knob: text,
  path: text,
  before: text.nullable(),
  after: text.nullable(),
  bucket: text.nullable(),
});

const manifestBase = z.object({
  run: text,
  commit: text,
  changes: z.array(manifestChange),
  notTaken: z.array(z.object({ path: text, ran: text.nullable(), target: text.nullable(), why: text })),
});

export const manifestSchema: z.ZodType<Manifest> = z.object({
  v: z.literal(1),
  lane: text,
  runName: text,
  repository: text,
  trees: texts,
  delta: z.array(manifestChange),
  base: manifestBase.exactOptional(),
  preconditions: z.array(z.object({ text, checked: z.boolean() })),
  cluster: text,
  command: z.array(text),
  outputRoot: text,
  tracker: z.object({ kind: text, entity: text, project: text, runId: text }),
  resume: z.object({
    policy: text,
    initializeFrom: text.nullable(),
    initializeStep: z.int().exactOptional(),
    backAfter: z.int().exactOptional(),
    roots: z.array(text).exactOptional(),
  }),
  retention: z.object({
    permanentEverySteps: integerOrNull,
    temporaryEveryMinutes: integerOrNull,
    keepTemporary: integerOrNull,
  }),
  cost: z.object({ acceleratorHours: text, source: text }),
  envelope: z.object({
    restarts: z.int(),
    restartAfter: z.array(text).exactOptional(),
    fixes: z.array(text),
    reductions: z.array(text),
    repairs: z.array(text).exactOptional(),
    rental: z
      .looseObject({
        dollarsPerHourMax: text,
        dollarsMax: text,
        dollarsPerDayMax: text.nullable(),
        dollarsPerMonthMax: text.nullable(),
        hoursMax: z.int(),
        startMinutesMax: z.int(),
        idleMinutesMax: z.int(),
        endMinutesMax: z.int(),
        keepHoursMax: z.int(),
      })
      .exactOptional(),
  }),
  policy: texts,
});
