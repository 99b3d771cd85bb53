/**
 * What is said outside of a run's own threads: comments and issues that the record owes. Each is known by its marker,
 * stands once, and says what the record says; what is to be written for that is decided here.
 */

import type { Effect } from '../domain/effect.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { markerIdentity, saysForControl, saysTheSame, type VerifiedMarker } from '../domain/marker.ts';

export type OwedComment = {
  readonly thread: number;
  /** Its marker's identity. */
  readonly marker: string;
  readonly body: string;
  /** Its words follow the record; left out: they stand as they were posted. */
  readonly isKept?: true;
  /** Nobody else is about to say it; left out: another process may, and of two the later one is taken back. */
  readonly isOursAlone?: true;
};

export type OwedIssue = {
  /** Nothing else has it, so that the issue never stands behind a hundred others. */
  readonly label: string;
  readonly marker: string;
  readonly title: string;
  readonly body: string;
  /** What it should be; null: as it is. */
  readonly state: 'open' | 'closed' | null;
  /** False: nothing is opened where there is none. */
  readonly isOpened: boolean;
};

/** An issue as it stands. `marker` null: it has none that verifies. */
export type StandingIssue = {
  readonly number: number;
  readonly body: string;
  readonly isOpen: boolean;
  readonly marker: VerifiedMarker | null;
};

/** The comment of ours among these; null where it does not stand. */
export function standingComment(
  comments: readonly CommentFacts[],
  { marker, body }: Pick<OwedComment, 'marker' | 'body'>,
): CommentFacts | null {
  const isIt = (one: CommentFacts): boolean =>
    one.marker !== null &&
    markerIdentity(one.marker) === marker &&
    saysForControl(one.marker, one.body, body);
  return comments.find(isIt) ?? null;
}

/** What is to be written so that the comment stands; null where it does. */
export function decideComment(owed: OwedComment, comments: readonly CommentFacts[]): Effect | null {
  const { thread, marker, body } = owed;
  const standing = standingComment(comments, owed);
  if (standing === null)
    return {
      kind: 'post-comment',
      thread,
      marker,
      body,
      ...(owed.isOursAlone === true ? {} : { isShared: true as const }),
    };
  if (owed.isKept !== true || (standing.marker?.isIntact === true && saysTheSame(standing.body, body)))
    return null;
  return { kind: 'edit-comment', thread, comment: standing.id, body };
}

/** What is to be written so that the issue stands, says this, and is open or closed as it should be; null where it does. */
export function decideIssue(owed: OwedIssue, standing: StandingIssue | null): Effect | null {
  const { label, marker, title, body } = owed;
  if (standing === null)
    return owed.isOpened ? { kind: 'open-issue', marker, title, body, labels: [label] } : null;
  const isOpen = owed.state === null ? standing.isOpen : owed.state === 'open';
  const state = isOpen === standing.isOpen ? null : owed.state;
  if (state === null && standing.marker?.isIntact === true && saysTheSame(standing.body, body)) return null;
  return { kind: 'edit-issue', issue: standing.number, expected: null, body, state };
}
