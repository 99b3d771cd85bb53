/** What was read of comments, kept: a thread of thousands is looked at again and again, and each of its texts is read once. */

import { type BoundedReading, readCommentOf, type Speaker } from '../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';

const kept = new Map<string, BoundedReading>();

/**
 * The reading of a comment as one of that speaker's. `bodyDigest` stands for the text, so that an edit is seen at once; of
 * all readings of this process the longest unasked goes first.
 */
export function readingOfComment(
  comment: Pick<CommentFacts, 'bodyDigest' | 'body'>,
  speaker: Speaker,
  otherBots: readonly string[],
): BoundedReading {
  // The length too: what is kept of our own text is whole, of another's is without tokens.
  const key = [speaker, comment.bodyDigest, comment.body.length, ...otherBots].join(' ');
  const reading = kept.get(key) ?? readCommentOf(speaker, comment.body, COMMAND_DEFINITIONS, { otherBots });
  kept.delete(key);
  kept.set(key, reading);
  const [oldest] = kept.keys();
  if (kept.size > limits.commentReadingsKept && oldest !== undefined) kept.delete(oldest);
  return reading;
}
