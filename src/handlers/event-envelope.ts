/** The part of every webhook payload and workflow event that says where it happened; the rest is each handler's own. */

import type { EmitterWebhookEventName } from '@octokit/webhooks';
import { z } from 'zod';
import type { Wake } from '../domain/wake.ts';

export const senderSchema = z.object({ id: z.number().int(), login: z.string(), type: z.string() });

/** A handler turns one event's payload into a wake, or into null where it means nothing to ferrybot. */
export type Handler = {
  readonly event: EmitterWebhookEventName;
  readonly toWake: (payload: unknown) => Wake | null;
};

/** Builds a handler from a schema: a payload of another shape is nothing to act on, the sweep will find what it meant. */
export function handler<Schema extends z.ZodType>(
  event: EmitterWebhookEventName,
  schema: Schema,
  toWake: (payload: z.infer<Schema>) => Wake | null,
): Handler {
  return {
    event,
    toWake: (payload) => {
      const parsed = schema.safeParse(payload);
      return parsed.success ? toWake(parsed.data) : null;
    },
  };
}
