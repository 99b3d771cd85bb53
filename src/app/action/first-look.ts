/** Whether an event is worth loading the program for: most comments in a repository are not commands. */

import { mayHoldCommand } from '../../handlers/slash-word.ts';

/** Only created comments can be told to be none of ours by a glance; everything else is looked at properly. */
export function isOurs(mode: string, eventName: string, payload: unknown): boolean {
  if (mode !== 'chat' || eventName !== 'issue_comment') return true;
  if (typeof payload !== 'object' || payload === null) return true;
  const { action, comment } = payload as {
    readonly action?: unknown;
    readonly comment?: { readonly body?: unknown; readonly user?: { readonly type?: unknown } };
  };
  if (action !== 'created') return true;
  if (comment?.user?.type === 'Bot') return false;
  return typeof comment?.body !== 'string' || mayHoldCommand(comment.body);
}
