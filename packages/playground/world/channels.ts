/** Diagnostics channels with every answer and every webhook before it is sent, for tests of the playground. */

import { channel } from 'node:diagnostics_channel';

/** One answer of the REST API; `text` is null for an empty one or one that is not JSON. */
export type AnswerMade = {
  readonly method: string;
  /** Path without `/api/v3`. */
  readonly path: string;
  readonly status: number;
  readonly text: string | null;
};

/** One webhook as text. It is published when it is created, and again, signed, for every App that receives it. */
export type WebhookMade = { readonly event: string; readonly action: string | null; readonly text: string };

/** Names for node:diagnostics_channel, used by listeners that cannot import this folder. */
export const channelNames = { answer: 'playground.answer', webhook: 'playground.webhook' } as const;

const answers = channel(channelNames.answer);
const webhooks = channel(channelNames.webhook);

/** Does nothing without listeners. */
export function publishAnswer(make: () => AnswerMade): void {
  if (answers.hasSubscribers) answers.publish(make());
}

export function publishWebhook(event: string, action: string | null, payload: () => object): void {
  if (!webhooks.hasSubscribers) return;
  const made: WebhookMade = { event, action, text: JSON.stringify(payload()) };
  webhooks.publish(made);
}
