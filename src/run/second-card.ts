/**
 * A foreign comment that imitates a card and offers the digest for approval. An approver may have read it instead of the card, so control
 * ignores later approvals and the runner rejects the order.
 */

import { permits } from '../domain/actor.ts';
import { namingOf } from '../domain/approval-binding.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Digest } from '../domain/ids.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type Needing, need } from '../domain/need.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { offeredDigestsOf } from './comment-readings.ts';

/** The approving comment; only earlier cards can mislead. */
export type AskedApproval = {
  readonly state: Pick<RunState, 'shown' | 'cardEdit'>;
  readonly digest: Digest;
  readonly approval: Pick<CommentFacts, 'surface' | 'id' | 'createdAt'>;
};

/**
 * The oldest visible second card by a bot or a person with write permission. Others never count, because otherwise anyone could block a
 * launch.
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
 * Not ferrybot's according to seal and record: any workflow can post as github-actions[bot]. A deleted account (id 0) has no permissions.
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
