/** Finds the text that shows a proposed cluster change and classifies its versions. */

import { bindingHex } from '../domain/approval-binding.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import type { CommentFacts, ProposalText, ShownVersion } from '../domain/facts.ts';
import { branded, type Instant, isInstant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { markerIdentity, type VerifiedMarker } from '../domain/marker.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** Whether consent is still possible. */
export function isOpenProposal({ begun, ended }: MutationRecord): boolean {
  return begun === null && ended === null;
}

/** With slack for clock differences. */
export function textsSince({ at }: MutationRecord): Instant {
  return branded((fromRfc3339(at) ?? 0) - limits.sweepSlackMs, isInstant);
}

/** Marker prefix of the proposal's text: its own comment, or the cluster's disk issue. */
export function proposalMarker({ proposal, seq }: MutationRecord): string {
  return proposal.record === 'journal'
    ? markerIdentity({ run: 'journal', kind: 'disk', key: proposal.cluster })
    : markerIdentity({ run: proposal.record, kind: 'mutation', key: String(seq) });
}

/**
 * The comment with the proposal's marker; otherwise edited candidates whose history may show it. Removing the marker must not hide a
 * proposal.
 */
export function proposalComments(
  one: MutationRecord,
  comments: readonly CommentFacts[],
): readonly CommentFacts[] {
  const identity = proposalMarker(one);
  const from = textsSince(one);
  const here = comments.filter(
    ({ surface, byUs, thread, createdAt }) =>
      surface === 'comment' && byUs && thread === one.proposal.thread && createdAt >= from,
  );
  const standing = here.find(({ marker }) => marker !== null && markerIdentity(marker) === identity);
  if (standing !== undefined) return [standing];
  return here.filter(({ editedAt }) => editedAt !== null).slice(-limits.spoiledTextsMax);
}

/** Whether an old version has the proposal's marker. */
export function wasProposalText(one: MutationRecord, versions: readonly ShownVersion[]): boolean {
  const identity = proposalMarker(one);
  return versions.some(({ marker }) => marker !== null && markerIdentity(marker) === identity);
}

/** Classifies each version. `words`: digest of control's text, if the watch may write it too. */
export function judgedText(
  one: MutationRecord,
  comment: number | null,
  versions: readonly ShownVersion[],
  words: string | null,
): ProposalText {
  const identity = proposalMarker(one);
  return {
    comment,
    versions: versions.map(({ editedAt, isDeleted, by, body, marker }) => ({
      editedAt,
      isDeleted,
      by,
      shows: shownIn(one, { body, marker, identity, words }),
      sealedAt: marker?.at ?? null,
    })),
  };
}

type StandingWords = {
  readonly body: string;
  readonly marker: VerifiedMarker | null;
  /** Marker prefix of this proposal's text. */
  readonly identity: string;
  /** Digest of control's text; null if only control writes it. */
  readonly words: string | null;
};

/**
 * `this`: intact, sealed for this place, and names the proposal. The watch's key may only repeat control's text, so it cannot present
 * something else for consent.
 */
export function shownIn(
  { digest }: Pick<MutationRecord, 'digest'>,
  { body, marker, identity, words }: StandingWords,
): 'this' | 'other' | 'foreign' {
  if (marker === null || !marker.isIntact || markerIdentity(marker) !== identity) return 'foreign';
  if (marker.role !== 'control' && marker.text !== words) return 'foreign';
  return body.includes(bindingHex(digest)) ? 'this' : 'other';
}
