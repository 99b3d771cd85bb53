/**
 * A comment that offers the digest for approval in the shape of a card and that ferrybot did not write. An approver may
 * have read it in place of the card, so control counts no approval that follows it, and the runner carries out no order.
 */

import { permits } from '../domain/actor.ts';
import { namingOf } from '../domain/approval-binding.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Digest } from '../domain/ids.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type Needing, need } from '../domain/need.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { offeredDigestsOf } from './comment-readings.ts';

/** What is approved, and by which comment: what was written after it misled nobody. */
export type AskedApproval = {
  readonly state: Pick<RunState, 'shown' | 'cardEdit'>;
  readonly digest: Digest;
  readonly approval: Pick<CommentFacts, 'surface' | 'id' | 'createdAt'>;
};

/**
 * The oldest visible second card by a bot or by somebody with write permission. Comments of other people never count, or
 * anybody could hold a launch back. Needs the permissions of those who wrote what looks like a card, and of nobody else.
 */
export function secondCard(
  asked: AskedApproval,
  comments: readonly CommentFacts[],
  permissions: RunFacts['permissions'],
): Observed<CommentFacts | null> | Needing {
  const likeCards = comments
    .filter((comment) => isForeign(asked, comment) && offers(comment, asked.digest))
    .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  const people = likeCards.filter(({ authorIsBot }) => !authorIsBot).map(({ author }) => author);
  const unread = [...new Map(people.map((person) => [person.id, person])).values()].filter(
    ({ id }) => !permissions.has(id),
  );
  if (unread.length > 0) return need(...unread.map((of) => ({ fact: 'permissions' as const, of })));
  for (const comment of likeCards) {
    const held = comment.authorIsBot ? known('write' as const) : permissions.get(comment.author.id);
    if (held?.kind === 'known' && permits(held.value, 'write')) return known(comment);
    if (held?.kind === 'unknown') return unknown(`the permission of ${comment.author.login}: ${held.why}`);
  }
  return known(null);
}

/**
 * Visible, there when the approval was written, and not ferrybot's: the seal or the record says what is, since every
 * workflow of a repository may post as github-actions[bot]. A deleted account (id 0) may nothing.
 */
function isForeign({ state, approval }: AskedApproval, comment: CommentFacts): boolean {
  const { surface, id, marker, minimized, createdAt, author } = comment;
  const isCard = surface === 'comment' && (id === state.shown?.comment || id === state.cardEdit?.comment);
  const isApproval = surface === approval.surface && id === approval.id;
  if (minimized || isCard || isApproval || marker?.isIntact === true) return false;
  return createdAt <= approval.createdAt && author.id !== 0;
}

function offers(comment: CommentFacts, digest: Digest): boolean {
  return offeredDigestsOf(comment).some((offered) => namingOf(offered, digest) === 'named');
}
