/** issue_comment: a person wrote in an issue or pull request. Only created comments may command; edits are looked at anew, and plain words may be what a gate waits for. */

import { z } from 'zod';
import { authorOf, handler, writtenSchema } from './event-envelope.ts';
import { mayHoldCommand } from './slash-word.ts';

const schema = z.object({
  action: z.enum(['created', 'edited', 'deleted']),
  issue: z.object({ number: z.number().int() }),
  comment: writtenSchema,
});

export const issueComment = handler('issue_comment', schema, ({ action, issue, comment }) => {
  if (comment.user?.type !== 'User') return null;
  if (action !== 'created') return { kind: 'thread', thread: issue.number };
  const hasSlash = mayHoldCommand(comment.body ?? '');
  return hasSlash
    ? {
        kind: 'comment',
        surface: 'comment',
        comment: comment.id,
        thread: issue.number,
        hasSlash,
        from: authorOf(comment),
      }
    : { kind: 'remark', thread: issue.number };
});
