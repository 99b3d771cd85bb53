/** issues: the ferry issue was edited, labelled, closed or reopened: a gate reads it. */

import { z } from 'zod';
import { handler, senderSchema } from './event-envelope.ts';

const ACTIONS = new Set(['opened', 'edited', 'labeled', 'unlabeled', 'closed', 'reopened']);
const schema = z.object({
  action: z.string(),
  issue: z.object({ number: z.number().int() }),
  sender: senderSchema.nullish(),
});

export const issues = handler('issues', schema, ({ action, issue, sender }) =>
  ACTIONS.has(action) && sender?.type !== 'Bot' ? { kind: 'thread', thread: issue.number } : null,
);
