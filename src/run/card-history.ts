/**
 * Whether the card showed what would run when somebody approved it, by what GitHub tells of the card alone: the launcher
 * takes no record's word for it, since who has stolen the control key writes that something was shown as well.
 */

import type { CommentFacts, ProposalText, ShownVersion } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { markerIdentity, type VerifiedMarker } from '../domain/marker.ts';
import { shownSince } from './shown-text.ts';

/** A comment that is, or may have been, the card of a run, with its texts since the run was proposed, newest first. */
export type CardHistory = {
  readonly createdAt: Instant;
  readonly versions: readonly ShownVersion[];
};

/** What has to be on show: a manifest, together with the description that it was read from. */
export type OnShow = { readonly digest: Digest; readonly body: Digest };

type Run = Pick<RunState, 'run' | 'proposal' | 'attempts'>;

/**
 * The visible comments that may have been the card that somebody read: those that are it, and of our others each that was edited,
 * since who edits may have taken the first line out of it, or have put another text of ours into its place.
 */
export function cardCandidates(
  run: Run,
  comments: readonly CommentFacts[],
): { readonly standing: readonly CommentFacts[]; readonly edited: readonly CommentFacts[] } {
  const ours = comments.filter(
    ({ surface, byUs, thread, minimized }) =>
      surface === 'comment' && byUs && !minimized && thread === run.proposal.pull,
  );
  const standing = ours.filter(({ marker }) => isCardOf(run, marker));
  return {
    standing,
    edited: ours.filter((one) => one.editedAt !== null && !standing.includes(one)),
  };
}

/**
 * Since when the card showed it to whoever wrote at that moment; null where it did not. Of several cards every one has to:
 * nobody can tell which of them was read.
 */
export function cardShownSince(
  run: Run,
  what: OnShow,
  histories: readonly CardHistory[],
  asOf: Instant,
): Instant | null {
  const cards = histories.filter(
    ({ createdAt, versions }) => createdAt <= asOf && versions.some(({ marker }) => isCardOf(run, marker)),
  );
  const since = cards.map(({ versions }) => shownSince(judgedCard(run, what, versions), asOf));
  const known = since.filter((one) => one !== null);
  return known.length < since.length ? null : (known.toSorted((a, b) => b - a)[0] ?? null);
}

function judgedCard(run: Run, what: OnShow, versions: readonly ShownVersion[]): ProposalText {
  return {
    comment: null,
    versions: versions.map(({ editedAt, isDeleted, by, marker }) => ({
      editedAt,
      isDeleted,
      by,
      shows: shownIn(run, what, marker),
      sealedAt: marker?.at ?? null,
    })),
  };
}

/** A key that only watches shows nobody what to approve before a first attempt has run: later the watch writes the card too. */
function shownIn(run: Run, { digest, body }: OnShow, marker: VerifiedMarker | null) {
  if (marker === null || !marker.isIntact || !isCardOf(run, marker)) return 'foreign';
  if (marker.role !== 'control' && run.attempts.length === 0) return 'foreign';
  return marker.fields['manifest'] === digest && marker.fields['body'] === body ? 'this' : 'other';
}

function isCardOf({ run }: Run, marker: VerifiedMarker | null): boolean {
  return marker !== null && markerIdentity(marker) === markerIdentity({ run, kind: 'card', key: 'card' });
}
