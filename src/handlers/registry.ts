/** All handlers by event name: what the server subscribes to and what the action looks at. */

import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import { checkRun } from './check-run.ts';
import type { Handler } from './event-envelope.ts';
import { issueComment } from './issue-comment.ts';
import { issues } from './issues.ts';
import { pullRequest } from './pull-request.ts';
import { pullRequestReview, pullRequestReviewComment } from './pull-request-review.ts';
import { push } from './push.ts';
import { workflowRun } from './workflow-run.ts';

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

/** The trigger that an event means, or null for one that is not ours. */
export function triggerOf(event: string, payload: unknown): ReconcileRequest | null {
  return HANDLERS.find((handler) => handler.event === event)?.toTrigger(payload) ?? null;
}
