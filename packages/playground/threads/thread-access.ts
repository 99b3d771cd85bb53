/**
 * A token's permissions on one thread: an App's permission is for issues or for pull requests, and a number may be
 * either.
 */

import { type Answer, failedAnswer } from '../api/reply.ts';
import { hasPermissionNeed } from '../identity/permissions.ts';
import type { AccessLevel } from '../identity/state-people.ts';
import type { Issue } from './state-threads.ts';
import { type Act, canComment } from './threads.ts';

/**
 * 403 for an App or workflow that only has the permission for the other kind of thread, or null. `issues` covers pull
 * requests too, because they are issues; `pull_requests` covers only pull requests (docs.github.com/rest: permissions
 * required for GitHub Apps).
 */
export function refuseThreadAccess(
  { caller }: Pick<Act, 'caller'>,
  issue: Pick<Issue, 'pull'>,
  level: AccessLevel,
): Answer | null {
  if (caller.kind !== 'installation' && caller.kind !== 'workflow') return null;
  const isReached =
    hasPermissionNeed(caller.permissions, `issues:${level}`) ||
    (issue.pull !== null && hasPermissionNeed(caller.permissions, `pull_requests:${level}`));
  return isReached ? null : failedAnswer(403, 'Resource not accessible by integration');
}

/** The same for a caller who adds something to the thread, which may be locked. */
export function refuseComment(act: Act, issue: Issue, words: string): Answer | null {
  const refusal = refuseThreadAccess(act, issue, 'write');
  if (refusal !== null) return refusal;
  return canComment(act, issue) ? null : failedAnswer(403, words);
}
