/** The rules of the outbox: who posts a text, and which write a text needs. Each text has a marker and exists once. */

import type { Effect } from '../domain/effect.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { Role } from '../domain/logbook/role.ts';
import { markerIdentity, saysForControl, saysTheSame, type VerifiedMarker } from '../domain/marker.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { AttemptCache } from './step.ts';

/** The record entry that a text reports. */
export type ReportedEntry = { readonly seq: number; readonly at: string; readonly role: Role };

/** What a process knows about its own part in the record. */
export type Poster = Pick<AttemptCache, 'appended' | 'speaksFor'>;

/** The process that appended an entry, or speaks for its author, posts at once. Any other process waits for the grace period. */
export function mayPost({ seq, at, role }: ReportedEntry, poster: Poster, now: Instant): boolean {
  return poster.appended.has(seq) || poster.speaksFor?.includes(role) === true || isOpenToAll(at, now);
}

/** Whether another process may post the same text now: the later of two duplicates must be deleted. */
export function isShared(
  { seq, at }: Pick<ReportedEntry, 'seq' | 'at'>,
  poster: Poster,
  now: Instant,
): boolean {
  return !poster.appended.has(seq) || isOpenToAll(at, now);
}

/** Whether the author of an entry of this time had its time to post. */
export function isOpenToAll(at: string, now: Instant): boolean {
  return now - (fromRfc3339(at) ?? 0) >= limits.publishGraceMs;
}

export type OwedComment = {
  readonly thread: number;
  readonly marker: string;
  readonly body: string;
  /** The text follows the record; otherwise the posted text stays. */
  readonly isKept?: true;
  /** No other process posts it; otherwise the later of two duplicates is deleted. */
  readonly isOursAlone?: boolean;
  /** After this time its thread is read again, because a person may have deleted the comment. */
  readonly recheckMs?: number;
};

export type OwedIssue = {
  /** A label of its own keeps the issue findable. */
  readonly label: string;
  readonly marker: string;
  readonly title: string;
  readonly body: string;
  /** Wanted state; null: unchanged. */
  readonly state: 'open' | 'closed' | null;
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
      isShared: owed.isOursAlone !== true,
    };
  if (owed.isKept !== true || (standing.marker?.isIntact === true && saysTheSame(standing.body, body)))
    return null;
  return { kind: 'edit-comment', thread, comment: standing.id, body };
}

/** The write that opens or updates the issue; null if it is current. */
export function decideIssue(owed: OwedIssue, standing: StandingIssue | null): Effect | null {
  const { label, marker, title, body } = owed;
  if (standing === null) return { kind: 'open-issue', marker, title, body, labels: [label] };
  const isOpen = owed.state === null ? standing.isOpen : owed.state === 'open';
  const state = isOpen === standing.isOpen ? null : owed.state;
  if (state === null && standing.marker?.isIntact === true && saysTheSame(standing.body, body)) return null;
  return { kind: 'edit-issue', issue: standing.number, expected: null, body, state };
}
