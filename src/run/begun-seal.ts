/**
 * A seal whose tag was pushed, but whose process died before recording it. The tag is public, so the recorded command counts even if its
 * comment changed.
 */

import { commentName } from '../domain/answer-key.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { RunState, SeenCommand } from '../domain/logbook/run-state.ts';
import { compactDate, fromRfc3339 } from '../domain/time.ts';
import type { PendingItem } from './pending-commands.ts';

/** `ferry/daily/YYYYMMDD/<slug>` on the launch commit (marin .agents/skills/ferries/SKILL.md). */
export function sealTagOf(state: RunState): string {
  return `ferry/${state.proposal.lane}/${compactDate(state.proposal.date)}/${state.run}`;
}

/** The oldest unanswered `/seal` whose comment was edited or deleted. A command is recorded only if its author may seal. */
export function withdrawnSeal(state: RunState, comments: readonly CommentFacts[]): SeenCommand | null {
  const standing = new Set(
    comments.filter(({ editedAt }) => editedAt === null).map((one) => commentName(one)),
  );
  const isWithdrawn = ({ name, answer, surface, comment }: SeenCommand): boolean =>
    name === 'seal' && answer === null && !standing.has(commentName({ surface, id: comment }));
  return [...state.commands.values()].find(isWithdrawn) ?? null;
}

/** Whether the seal tag must be read. */
export function mayHaveBegunSeal(state: RunState, comments: readonly CommentFacts[]): boolean {
  return state.submission !== null && withdrawnSeal(state, comments) !== null;
}

/** The withdrawn `/seal` as a command; `unknown` if the tag cannot be read. */
export function begunSeal(
  state: RunState,
  { sealTag }: Pick<RunFacts, 'sealTag'>,
  comments: readonly CommentFacts[],
): PendingItem | 'unknown' | null {
  const seen = withdrawnSeal(state, comments);
  if (seen === null || state.submission === null) return null;
  if (sealTag.kind === 'unknown') return 'unknown';
  if (sealTag.value !== state.submission.commit) return null;
  const { name, args, index } = seen;
  return { comment: commentOf(seen), index, said: { kind: 'command', name, args } };
}

function commentOf({ surface, comment, thread, actor, bodyDigest, at }: SeenCommand): CommentFacts {
  const seenAt = fromRfc3339(at);
  if (seenAt === null) throw new Error('a folded command carries a valid time');
  return {
    surface,
    id: comment,
    nodeId: '',
    thread,
    author: actor,
    authorIsBot: false,
    byUs: false,
    byOwnApp: false,
    marker: null,
    body: '',
    bodyDigest,
    createdAt: seenAt,
    updatedAt: seenAt,
    editedAt: null,
    minimized: false,
    commit: null,
  };
}
