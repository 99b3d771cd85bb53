/** What the events about changes of a cluster carry, as read from a line. */

import * as z from 'zod';
import { MUTATIONS } from '../domain/care/mutation.ts';
import { actorSchema, digest, scalars, sha } from '../domain/logbook/parts.ts';

const text = z.string();
export const vmSchema = z.looseObject({ name: text, zone: text, createdAt: text, address: text });

const mutation = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('delete-tpu-vm'), vm: vmSchema }),
  z.looseObject({ kind: z.literal('init-worker'), vm: vmSchema }),
  z.looseObject({ kind: z.literal('clean-disk'), vm: vmSchema, mountPoint: text }),
  z.looseObject({ kind: z.literal('start-cleanup-cron'), head: text }),
  z.looseObject({
    kind: z.literal('delete-checkpoint'),
    run: text,
    roots: z.array(text),
    keep: z.int(),
    askedBy: actorSchema,
  }),
]);

export const proposalSchema = z.looseObject({
  v: z.literal(1),
  record: text,
  repository: text,
  cluster: text,
  mutation,
  steps: z.array(
    z.looseObject({
      does: z.enum(MUTATIONS),
      command: z.array(text),
      instead: z.array(text).exactOptional(),
    }),
  ),
  evidence: digest,
  thread: z.int(),
  round: z.int(),
});

export const evidenceSchema = z.looseObject({ facts: scalars, lines: z.array(text) });

export const consentSourceSchema = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('comment'),
    comment: z.int(),
    surface: z.enum(['comment', 'review']),
    thread: z.int(),
    bodyDigest: digest,
    writtenAt: text,
  }),
  z.looseObject({ kind: z.literal('config'), commit: sha }),
]);
