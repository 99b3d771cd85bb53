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
  'converted_to_draft',
]);
const repository = z.object({ full_name: z.string() }).nullish();
const schema = z.object({
  action: z.string(),
  pull_request: z.object({
    number: z.number().int(),
    head: z.object({ repo: repository }).nullish(),
    base: z.object({ repo: repository }).nullish(),
    labels: z.array(z.object({ name: z.string() })).nullish(),
  }),
  sender: senderSchema.nullish(),
});

export const pullRequest = handler('pull_request', schema, ({ action, pull_request, sender }) => {
  if (!ACTIONS.has(action) || sender?.type === 'Bot') return null;
  const { number, head, base } = pull_request;
  const isFork = head?.repo?.full_name !== base?.repo?.full_name;
  const labels = pull_request.labels?.map(({ name }) => name) ?? [];
  return {
    kind: 'thread',
    thread: number,
    ...(isFork ? { isFork } : {}),
    ...(labels.length === 0 ? {} : { labels }),
  };
});
