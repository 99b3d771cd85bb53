/** issues: the ferry issue was edited, labelled, closed or reopened: a gate reads it. */

import { z } from 'zod';
import { handler, senderSchema } from './event-envelope.ts';

const ACTIONS = new Set(['opened', 'edited', 'labeled', 'unlabeled', 'closed', 'reopened']);
const schema = z.object({
  action: z.string(),
  issue: z.object({
    number: z.number().int(),
    state: z.string().nullish(),
    labels: z.array(z.object({ name: z.string() })).nullish(),
  }),
  sender: senderSchema.nullish(),
});

export const issues = handler('issues', schema, ({ action, issue, sender }) => {
  if (!ACTIONS.has(action) || sender?.type === 'Bot') return null;
  const isExperiment =
    issue.state !== 'closed' && (issue.labels ?? []).some((label) => label.name === 'experiment');
  const labels = issue.state === 'closed' ? [] : (issue.labels ?? []).map(({ name }) => name);
  return {
    kind: 'thread',
    thread: issue.number,
    ...(isExperiment ? { isExperiment } : {}),
    ...(labels.length === 0 ? {} : { labels }),
  };
});
