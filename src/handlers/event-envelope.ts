/** The part of every webhook payload and workflow event that says where it happened; the rest is each handler's own. */

import type { EmitterWebhookEventName } from '@octokit/webhooks';
import { z } from 'zod';
import { isOutsider, type ReconcileRequest } from '../domain/reconcile-request.ts';

export const senderSchema = z.object({ id: z.number().int(), login: z.string(), type: z.string() });

/** A comment or review as every payload has it. */
export const writtenSchema = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  author_association: z.string().nullish(),
  user: senderSchema.nullish(),
});

/** Who wrote it, for the trigger. */
export function authorOf(written: z.infer<typeof writtenSchema>): {
  readonly id: number;
  readonly isOutsider: boolean;
} {
  return { id: written.user?.id ?? 0, isOutsider: isOutsider(written.author_association) };
}

/** A handler turns one event's payload into a trigger, or into null where it means nothing to ferrybot. */
export type Handler = {
  readonly event: EmitterWebhookEventName;
  readonly toTrigger: (payload: unknown) => ReconcileRequest | null;
};

/** Builds a handler from a schema: a payload of another shape is nothing to act on, the sweep will find what it meant. */
export function handler<Schema extends z.ZodType>(
  event: EmitterWebhookEventName,
  schema: Schema,
  toTrigger: (payload: z.infer<Schema>) => ReconcileRequest | null,
): Handler {
  return {
    event,
    toTrigger: (payload) => {
      const parsed = schema.safeParse(payload);
      return parsed.success ? toTrigger(parsed.data) : null;
    },
  };
}
