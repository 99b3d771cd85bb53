/**
 * A token's permissions on one thread: an App's permission is for issues or for pull requests, and a number may be
 * either.
 */

import { type Answer, failed } from '../api/reply.ts';
import { holds } from '../identity/permissions.ts';
import type { AccessLevel } from '../identity/state-people.ts';
import type { Issue } from './state-threads.ts';
import { type Act, mayTalk } from './threads.ts';

/**
 * 403 for an App or workflow that only has the permission for the other kind of thread, or null. `issues` covers pull
 * requests too, because they are issues; `pull_requests` covers only pull requests (docs.github.com/rest: permissions
 * required for GitHub Apps).
 */
export function threadRefusal(
  { caller }: Pick<Act, 'caller'>,
  issue: Pick<Issue, 'pull'>,
  level: AccessLevel,
): Answer | null {
  if (caller.kind !== 'installation' && caller.kind !== 'workflow') return null;
  const isReached =
    holds(caller.permissions, `issues:${level}`) ||
    (issue.pull !== null && holds(caller.permissions, `pull_requests:${level}`));
  return isReached ? null : failed(403, 'Resource not accessible by integration');
}

/** The same for a caller who adds something to the thread, which may be locked. */
export function talkRefusal(act: Act, issue: Issue, words: string): Answer | null {
  const refusal = threadRefusal(act, issue, 'write');
  if (refusal !== null) return refusal;
  return mayTalk(act, issue) ? null : failed(403, words);
}
