/** One handler for each event that the server subscribes to and the action handles. */

import type { EmitterWebhookEventName } from '@octokit/webhooks';
import { z } from 'zod';
import type { Surface } from '../domain/actor.ts';
import { isOutsideAuthor, mayContainCommand, type ReconcileRequest } from '../domain/reconcile-request.ts';

const senderSchema = z.object({ id: z.number().int(), login: z.string(), type: z.string() });

/** A comment or a review. */
const writtenSchema = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  author_association: z.string().nullish(),
  user: senderSchema.nullish(),
});

/** The author of a comment or review, as the trigger carries it. */
export function readAuthor({ user, author_association }: z.infer<typeof writtenSchema>): {
  readonly id: number;
  readonly login: string;
  readonly isOutsider: boolean;
} {
  return { id: user?.id ?? 0, login: user?.login ?? '', isOutsider: isOutsideAuthor(author_association) };
}

/** Turns the payload of one event into a trigger; null if ferrybot ignores it. */
export type Handler = {
  readonly event: EmitterWebhookEventName;
  readonly toTrigger: (payload: unknown) => ReconcileRequest | null;
};

/** Builds a handler from a schema. It ignores payloads that do not fit the schema; the sweep finds what they were about. */
export function defineHandler<Schema extends z.ZodType>(
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

const numbered = z.object({ number: z.number().int() });
const labelsSchema = z.array(z.object({ name: z.string() })).nullish();

function threadTrigger(
  thread: number,
  labels: z.infer<typeof labelsSchema> = [],
): Extract<ReconcileRequest, { kind: 'thread' }> {
  const names = labels?.map(({ name }) => name) ?? [];
  return { kind: 'thread', thread, ...(names.length === 0 ? {} : { labels: names }) };
}

function commentTrigger(surface: Surface, thread: number, written: z.infer<typeof writtenSchema>): ReconcileRequest {
  const hasSlash = mayContainCommand(written.body ?? '');
  return { kind: 'comment', surface, comment: written.id, thread, hasSlash, from: readAuthor(written) };
}

/** Only new comments can hold commands. A gate may wait for a comment without one. */
const issueComment = defineHandler(
  'issue_comment',
  z.object({ action: z.enum(['created', 'edited', 'deleted']), issue: numbered, comment: writtenSchema }),
  ({ action, issue, comment }) => {
    if (comment.user?.type !== 'User') return null;
    if (action !== 'created') return threadTrigger(issue.number);
    return mayContainCommand(comment.body ?? '')
      ? commentTrigger('comment', issue.number, comment)
      : { kind: 'remark', thread: issue.number };
  },
);

const ISSUE_ACTIONS = /^(?:opened|edited|labeled|unlabeled|closed|reopened)$/;
const issues = defineHandler(
  'issues',
  z.object({
    action: z.string(),
    issue: numbered.extend({ state: z.string().nullish(), labels: labelsSchema }),
    sender: senderSchema.nullish(),
  }),
  ({ action, issue, sender }) => {
    if (!ISSUE_ACTIONS.test(action) || sender?.type === 'Bot') return null;
    if (issue.state === 'closed') return threadTrigger(issue.number);
    const isExperiment = issue.labels?.some(({ name }) => name === 'experiment') === true;
    return { ...threadTrigger(issue.number, issue.labels), ...(isExperiment ? { isExperiment } : {}) };
  },
);

const PULL_ACTIONS =
  /^(?:opened|edited|synchronize|reopened|closed|labeled|unlabeled|ready_for_review|converted_to_draft)$/;
const pullRequest = defineHandler(
  'pull_request',
  z.object({
    action: z.string(),
    pull_request: numbered.extend({ labels: labelsSchema }),
    sender: senderSchema.nullish(),
  }),
  ({ action, pull_request, sender }) =>
    !PULL_ACTIONS.test(action) || sender?.type === 'Bot'
      ? null
      : threadTrigger(pull_request.number, pull_request.labels),
);

const pullRequestReview = defineHandler(
  'pull_request_review',
  z.object({ action: z.string(), pull_request: numbered, review: writtenSchema }),
  ({ action, pull_request: { number }, review }) =>
    action !== 'submitted' || review.user?.type !== 'User'
      ? threadTrigger(number)
      : commentTrigger('review', number, review),
);

const pullRequestReviewComment = defineHandler(
  'pull_request_review_comment',
  z.object({ action: z.string(), pull_request: numbered, comment: writtenSchema }),
  ({ action, pull_request: { number }, comment }) =>
    action !== 'created' || comment.user?.type !== 'User'
      ? threadTrigger(number)
      : commentTrigger('review-comment', number, comment),
);

const push = defineHandler('push', z.object({ ref: z.string() }), ({ ref }) =>
  ref.startsWith('refs/heads/') ? { kind: 'push', ref } : null,
);

const workflowRun = defineHandler(
  'workflow_run',
  z.object({ action: z.string(), workflow_run: z.object({ id: z.number().int() }).nullish() }),
  ({ action, workflow_run }) => {
    if (action !== 'completed') return null;
    return { kind: 'workflow-ended', ...(workflow_run == null ? {} : { workflowRun: workflow_run.id }) };
  },
);

/** A launch may wait for a check of the lab's CI. No gate waits for ferrybot's own checks (architecture, D4). */
const checkRun = defineHandler(
  'check_run',
  z.object({
    action: z.string(),
    check_run: z.object({ name: z.string(), pull_requests: z.array(numbered).nullish() }),
  }),
  ({ action, check_run }) => {
    const pull = check_run.pull_requests?.[0];
    if (action !== 'completed' || pull === undefined || check_run.name.startsWith('ferrybot /')) return null;
    return threadTrigger(pull.number);
  },
);

export const HANDLERS: readonly Handler[] = [
  issueComment,
  issues,
  pullRequest,
  pullRequestReview,
  pullRequestReviewComment,
  push,
  workflowRun,
  checkRun,
];

/** The trigger for an event; null if ferrybot ignores it. */
export function toTrigger(event: string, payload: unknown): ReconcileRequest | null {
  return HANDLERS.find((handler) => handler.event === event)?.toTrigger(payload) ?? null;
}
