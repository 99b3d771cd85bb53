/** pull_request: a ferry PR was opened, pushed to, edited, labelled, closed or reopened: the gates look again. */

import { z } from 'zod';
import { handler, senderSchema } from './event-envelope.ts';

const ACTIONS = new Set([
  'opened',
  'edited',
  'synchronize',
  'reopened',
  'closed',
  'labeled',
  'unlabeled',
  'ready_for_review',
]);
const schema = z.object({
  action: z.string(),
  pull_request: z.object({ number: z.number().int() }),
  sender: senderSchema.nullish(),
});

export const pullRequest = handler('pull_request', schema, ({ action, pull_request, sender }) =>
  ACTIONS.has(action) && sender?.type !== 'Bot' ? { kind: 'thread', thread: pull_request.number } : null,
);
