/** What each type of event carries, as read from a line: known fields strict, further ones kept (docs/logbook.md, An event). */

import * as z from 'zod';
import { SURFACES } from '../domain/command.ts';
import { DISPATCHED_WORKFLOWS } from '../domain/dispatch.ts';
import type { GatedFacts } from '../domain/launch/change-facts.ts';
import { HOLD_SCOPES } from '../domain/launch/hold.ts';
import { DEFINITIONS, type OtherType } from '../domain/logbook/definitions.ts';
import type { EventDataByType, EventType } from '../domain/logbook/event.ts';
import { sealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import {
  actorSchema,
  digest,
  manifestSchema,
  objectiveSchema,
  orderSchema,
  publicKeySchema,
  runId,
  scalars,
  sha,
  texts,
  verdictSchema,
} from '../domain/logbook/parts.ts';
import { DROP_REASONS } from '../domain/reasons.ts';
import { endedSchema, observedSchema } from './job-schemas.ts';

const text = z.string();
const integer = z.int();
const integerOrNull = z.int().nullable();
const scope = z.enum(HOLD_SCOPES);
const surface = z.enum(SURFACES);

const proposed = z.looseObject({
  lane: text,
  kind: text.exactOptional(),
  date: text,
  runName: text,
  repository: text,
  issue: integer,
  pull: integer,
  baseBranch: text,
  headBranch: text,
  head: sha.exactOptional(),
  texts: z.looseObject({ pull: digest.exactOptional(), issue: digest.exactOptional() }).exactOptional(),
  own: z.looseObject({ label: text.nullable() }).exactOptional(),
  adopts: z.looseObject({ jobId: text, cluster: text }).exactOptional(),
  continues: z.looseObject({ run: text, reason: text }).exactOptional(),
  experiment: text,
  objective: objectiveSchema,
  interval: z.looseObject({
    sinceCommit: sha.nullable(),
    sinceDate: text,
    fallback: z.boolean(),
    lastRun: runId.nullable(),
  }),
  candidate: text.nullable(),
  base: z.looseObject({ run: runId, commit: sha }).exactOptional(),
  author: actorSchema,
  requestedBy: actorSchema.nullable(),
  request: z
    .looseObject({
      surface: z.enum(SURFACES),
      comment: integer,
      index: integer,
      thread: integer,
      knobs: z.array(z.looseObject({ path: text, after: text })),
    })
    .exactOptional(),
  keys: z.array(publicKeySchema),
});

const contracted = z.looseObject({
  contract: z.record(
    text,
    z.looseObject({ value: text, source: z.enum(['given', 'inferred', 'unclear']), from: text }),
  ),
});

/** Only `backtest` reads them, and control has signed them: they are not checked field by field. */
const gatedFacts = z.custom<GatedFacts>((value) => typeof value === 'object' && value !== null);

const fixedAttempt = z.looseObject({
  attempt: integer,
  commit: sha,
  files: z.array(text).nullable(),
  more: integer,
});

const submitted = z.looseObject({
  orderDigest: digest,
  attempt: integer,
  engine: text,
  jobId: text,
  cluster: text,
  command: z.array(text),
  commit: sha,
  adopted: z.boolean(),
  urls: texts,
  details: scalars,
});

/** The schema of the data of each type. */
export function dataSchema(type: EventType): z.ZodType {
  const defined: { readonly [type: string]: { readonly data: z.ZodType } } = DEFINITIONS;
  const others: { readonly [type: string]: z.ZodType } = dataSchemas;
  const schema = defined[type]?.data ?? others[type];
  if (schema === undefined) throw new Error(`no schema for ${type}`);
  return schema;
}

/** One schema a type; the compiler holds each against the domain's type of the same name. */
const dataSchemas = {
  proposed,
  contracted,
  gated: z.looseObject({
    digest: digest.nullable(),
    manifest: manifestSchema.nullable(),
    commit: sha,
    body: digest,
    verdicts: z.array(verdictSchema),
    facts: gatedFacts.exactOptional(),
    fix: fixedAttempt.exactOptional(),
  }),
  shown: z.looseObject({
    digest,
    body: digest,
    thread: integer,
    comment: integer,
    text,
    shownAt: text,
  }),
  approved: z.looseObject({
    digest,
    comment: integer,
    surface: z.enum(['comment', 'review']),
    bodyDigest: digest,
    body: digest,
  }),
  'approval-dropped': z.looseObject({ reason: z.enum(DROP_REASONS), digest, users: z.array(integer) }),
  ordered: z.looseObject({ order: orderSchema, orderDigest: digest }),
  dispatched: z.looseObject({
    workflow: z.enum(DISPATCHED_WORKFLOWS),
    subject: text,
    workflowRun: integer,
  }),
  claimed: z.looseObject({
    orderDigest: digest,
    attempt: integer,
    workflowRun: integer,
    engineSession: text,
  }),
  submitted,
  observed: observedSchema,
  'stop-requested': z.looseObject({ comment: integer, surface }),
  ended: endedSchema,
  sealed: z.looseObject({
    tag: text,
    commit: sha,
    verdict: z.enum(['pass', 'accepted']),
    accept: text.nullable(),
    closurePull: integerOrNull,
    metrics: texts,
    attests: z
      .looseObject({ body: digest, manifest: digest, order: digest, submitted: integer, ended: integer })
      .exactOptional(),
    checkpoint: sealedCheckpoint.exactOptional(),
  }),
  closed: z.looseObject({
    outcome: z.enum(['failed', 'stopped', 'rejected', 'withdrawn', 'lost', 'unsealed']),
    reason: text,
    closurePull: integerOrNull,
  }),
  incident: z.looseObject({ code: text, detail: scalars }),
  held: z.looseObject({ scope, lane: text.optional(), reason: text, date: text.nullable() }),
  released: z.looseObject({ scope, lane: text.optional(), date: text.nullable() }),
  'command-seen': z.looseObject({
    comment: integer,
    surface,
    index: integer,
    name: text,
    args: texts,
    thread: integer,
    bodyDigest: digest,
  }),
  'command-answered': z.looseObject({
    comment: integer,
    surface,
    index: integer,
    thread: integer,
    code: text,
    detail: scalars,
  }),
} as const satisfies { readonly [Type in OtherType]: z.ZodType<EventDataByType[Type]> };
