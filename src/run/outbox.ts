/** Comments and issues outside a run's own threads. Each has a marker, exists once, and follows the record. */

import type { Effect } from '../domain/effect.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { markerIdentity, saysForControl, saysTheSame, type VerifiedMarker } from '../domain/marker.ts';

export type OwedComment = {
  readonly thread: number;
  readonly marker: string;
  readonly body: string;
  /** The text follows the record; otherwise the posted text stays. */
  readonly isKept?: true;
  /** No other process posts it; otherwise the later of two duplicates is deleted. */
  readonly isOursAlone?: true;
};

export type OwedIssue = {
  /** A label of its own keeps the issue findable. */
  readonly label: string;
  readonly marker: string;
  readonly title: string;
  readonly body: string;
  /** Wanted state; null: unchanged. */
  readonly state: 'open' | 'closed' | null;
  /** False: update only, never open one. */
  readonly isOpened: boolean;
};

/** `marker` null: no verified marker. */
export type StandingIssue = {
  readonly number: number;
  readonly body: string;
  readonly isOpen: boolean;
  readonly marker: VerifiedMarker | null;
};

/** ferrybot's posted comment, or null. */
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

/** The write that posts or updates the comment; null if it is current. */
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

/** The write that opens or updates the issue; null if it is current. */
export function decideIssue(owed: OwedIssue, standing: StandingIssue | null): Effect | null {
  const { label, marker, title, body } = owed;
  if (standing === null)
    return owed.isOpened ? { kind: 'open-issue', marker, title, body, labels: [label] } : null;
  const isOpen = owed.state === null ? standing.isOpen : owed.state === 'open';
  const state = isOpen === standing.isOpen ? null : owed.state;
  if (state === null && standing.marker?.isIntact === true && saysTheSame(standing.body, body)) return null;
  return { kind: 'edit-issue', issue: standing.number, expected: null, body, state };
}
