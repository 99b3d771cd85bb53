/** issues: the ferry issue was edited, labelled, closed or reopened: a gate reads it. */

import { z } from 'zod';
import { handler } from './event-envelope.ts';

const ACTIONS = new Set(['opened', 'edited', 'labeled', 'unlabeled', 'closed', 'reopened']);
const schema = z.object({ action: z.string(), issue: z.object({ number: z.number().int() }) });

export const issues = handler('issues', schema, ({ action, issue }) =>
  ACTIONS.has(action) ? { kind: 'thread', thread: issue.number } : null,
);
