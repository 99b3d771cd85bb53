/** Caches parsed comments, because a long thread is read many times. */

import { firstNamed } from '../commands/grammar/named-command.ts';
import { offeredDigests } from '../commands/grammar/offered-digests.ts';
import { type BoundedReading, readCommentOf, type Speaker } from '../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';

/** Enough for a full thread, at a few hundred bytes each. */
const COMMENT_READINGS_KEPT = 20_000;

type CommentText = Pick<CommentFacts, 'bodyDigest' | 'body'>;

const kept = new Map<string, BoundedReading>();
const named = new Map<string, boolean>();
const offered = new Map<string, readonly string[]>();

/** `bodyDigest` is part of the key, so an edit takes effect immediately. */
export function readingOfComment(
  comment: CommentText,
  speaker: Speaker,
  otherBots: readonly string[],
): BoundedReading {
  const key = [speaker, keyOf(comment), ...otherBots].join(' ');
  return once(kept, key, () => readCommentOf(speaker, comment.body, COMMAND_DEFINITIONS, { otherBots }));
}

/** Whether a comment that is not parsed names a command. */
export function namesCommand(comment: CommentText): boolean {
  return once(named, keyOf(comment), () => firstNamed(comment.body, COMMAND_DEFINITIONS) !== null);
}

/** Digests that a comment offers for approval like a card does. */
export function offeredDigestsOf(comment: CommentText): readonly string[] {
  return once(offered, keyOf(comment), () => offeredDigests(comment.body));
}

/** The length too: ferrybot's own text is stored in full, other text without tokens. */
function keyOf({ bodyDigest, body }: CommentText): string {
  return `${bodyDigest} ${body.length}`;
}

function once<Answer>(answers: Map<string, Answer>, key: string, read: () => Answer): Answer {
  const answer = answers.get(key) ?? read();
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > COMMENT_READINGS_KEPT && oldest !== undefined) answers.delete(oldest);
  return answer;
}
