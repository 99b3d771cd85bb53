/** issue_comment: a person wrote in an issue or pull request. Only created comments may command; edits are looked at anew. */

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
  const hasSlash = action === 'created' && mayHoldCommand(comment.body ?? '');
  if (action === 'created' && !hasSlash) return null;
  return hasSlash
    ? {
        kind: 'comment',
        surface: 'comment',
        comment: comment.id,
        thread: issue.number,
        hasSlash,
        from: authorOf(comment),
      }
    : { kind: 'thread', thread: issue.number };
});
