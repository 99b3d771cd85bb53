/** Which text of a thread shows a proposed change of a cluster, and which of its versions are ours. */

import { bindingHex } from '../domain/approval-binding.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import type { CommentFacts, ProposalText, ShownVersion } from '../domain/facts.ts';
import { branded, type Instant, isInstant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { markerIdentity, type VerifiedMarker } from '../domain/marker.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** Whether somebody may still consent to it. */
export function isOpenProposal({ begun, ended }: MutationRecord): boolean {
  return begun === null && ended === null;
}

/** From when on texts may show it: the clocks of control and of GitHub differ. */
export function textsSince({ at }: MutationRecord): Instant {
  return branded((fromRfc3339(at) ?? 0) - limits.sweepSlackMs, isInstant);
}

/** First part of the line by which a proposal's text is found: a comment of its own, or the description that tells of a cluster's disks. */
export function proposalMarker({ proposal, seq }: MutationRecord): string {
  return proposal.record === 'journal'
    ? markerIdentity({ run: 'journal', kind: 'disk', key: proposal.cluster })
    : markerIdentity({ run: proposal.record, kind: 'mutation', key: String(seq) });
}

/**
 * The comment that shows it where its marker stands, else those that may be it with their first line spoiled: only their
 * history tells. Nothing is deleted for good by taking a line out of it.
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

/** Whether a text's history shows that it was this proposal's once. */
export function wasProposalText(one: MutationRecord, versions: readonly ShownVersion[]): boolean {
  const identity = proposalMarker(one);
  return versions.some(({ marker }) => marker !== null && markerIdentity(marker) === identity);
}

/** The text with each version judged. `words`: the digest of what we would write, where others than control may write it. */
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
  /** First part of the marker that the text of this proposal has. */
  readonly identity: string;
  /** Digest of the words that control would write; null where nobody else writes them. */
  readonly words: string | null;
};

/**
 * `this`: sealed for its place, as it was written, and it names the proposal. The key that only watches may say what control
 * would say, and nothing else: it shows nobody what to consent to.
 */
export function shownIn(
  { digest }: Pick<MutationRecord, 'digest'>,
  { body, marker, identity, words }: StandingWords,
): 'this' | 'other' | 'foreign' {
  if (marker === null || !marker.isIntact || markerIdentity(marker) !== identity) return 'foreign';
  if (marker.role !== 'control' && marker.text !== words) return 'foreign';
  return body.includes(bindingHex(digest)) ? 'this' : 'other';
}
