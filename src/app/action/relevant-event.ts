/** Filters out events that need no work, with as little code as possible. */

import { mayContainCommand } from '../../domain/reconcile-request.ts';

/** Whether the event may need work. Only new comments can be skipped. */
export function isRelevantEvent(mode: string, eventName: string, payload: unknown): boolean {
  if (mode !== 'chat' || eventName !== 'issue_comment') return true;
  if (typeof payload !== 'object' || payload === null) return true;
  const { action, comment } = payload as {
    readonly action?: unknown;
    readonly comment?: { readonly body?: unknown; readonly user?: { readonly type?: unknown } };
  };
  if (action !== 'created') return true;
  if (comment?.user?.type === 'Bot') return false;
  return typeof comment?.body !== 'string' || mayContainCommand(comment.body);
}
