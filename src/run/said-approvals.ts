/** What comments say of approvals and holds by their own words and times: what somebody still rests on when they revoke, or has lifted. */

import { APPROVING } from '../commands/approving.ts';
import { namingOf } from '../domain/approval-binding.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Digest } from '../domain/ids.ts';
import type { LaneDay } from '../domain/launch/hold.ts';
import type { FallenApproval } from '../domain/logbook/fallen-approvals.ts';
import { after } from '../domain/time.ts';
import { readingOfComment } from './comment-readings.ts';
import type { LiftedHold } from './lifted-holds.ts';
import type { OpenBrake } from './open-brakes.ts';

/** An answered freeze or skipped day of these threads; it may have been lifted in any other. */
export function saidHold({ name, comment, isAnswered }: OpenBrake, day: LaneDay): LiftedHold | null {
  if (!isAnswered || (name !== 'freeze' && name !== 'skip')) return null;
  const said = { surface: comment.surface, comment: comment.id, thread: comment.thread };
  return { name, run: null, lane: day.lane, login: comment.author.login, said, at: comment.createdAt };
}

/** Whether this approval of theirs had fallen when they revoked. GitHub tells whole seconds. */
export function hasFallen(
  fallen: readonly FallenApproval[],
  { author, createdAt }: CommentFacts,
  revoked: CommentFacts,
): boolean {
  return fallen.some(
    ({ user, at, isSaid }) =>
      (user === null || user === author.id) &&
      at >= createdAt &&
      at < (isSaid ? revoked.createdAt : after(revoked.createdAt, 1_000)),
  );
}

/** Who approved after they had revoked rests on the later words; whether the earlier ones took back others' is asked as of anybody's. */
export function approvedAnew(
  { comment }: OpenBrake,
  manifest: Digest | null,
  comments: readonly CommentFacts[],
  otherBots: readonly string[],
): boolean {
  return (
    manifest !== null &&
    comments.some(
      (one) =>
        one.author.id === comment.author.id && isBefore(comment, one) && approves(one, manifest, otherBots),
    )
  );
}

/** Whether it is an approval of this very manifest, as it was written. */
export function approves(comment: CommentFacts, manifest: Digest, otherBots: readonly string[]): boolean {
  return (
    comment.editedAt === null &&
    readingOfComment(comment, 'trusted', otherBots).reading.commands.some(
      ({ name, args }) => APPROVING.includes(name) && namingOf(args['digest'], manifest) === 'named',
    )
  );
}

/** Whether it was written earlier, also within one second. */
export function isBefore(a: CommentFacts, b: CommentFacts): boolean {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id);
}
