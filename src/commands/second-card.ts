/** Checks approvals against imitated cards. */

import { commentName } from '../domain/answer-key.ts';
import type { Digest } from '../domain/ids.ts';
import { answerCommon, type CommandContext, type CommandDecision } from './decision.ts';

/** Refuses an approval if a second card may have misled its author; null otherwise. */
export function secondCardRefusal(
  { secondCard }: Pick<CommandContext, 'secondCard'>,
  digest: Digest,
): CommandDecision | null {
  const second = secondCard(digest);
  if (second.kind === 'need') return second;
  if (second.kind === 'unknown') return answerCommon('permission-unknown', { why: second.why });
  if (second.value === null) return null;
  const { thread, author } = second.value;
  return answerCommon('second-card', { name: commentName(second.value), thread, by: author.login });
}
