/** The rules of the outbox: who posts a text, and which write a text needs. Each text has a marker and exists once. */

import type { Effect } from '../domain/effect.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import type { Role } from '../domain/logbook/parts.ts';
import { markerIdentity, saysForControl, saysTheSame, type VerifiedMarker } from '../domain/marker.ts';
import { fromRfc3339, type Instant } from '../domain/values.ts';
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

/** GitHub allows 80 writes per minute and 500 per hour for all processes together. Other texts leave room for alerts. */
export const CONTENT_WRITES = {
  alerts: { minute: 60, hour: 450 },
  others: { minute: 40, hour: 200 },
} as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Whether this process may write now. `writtenAt`: its earlier writes (epoch ms). */
export function hasRoom(
  { writtenAt }: { readonly writtenAt: readonly number[] },
  now: number,
  isAlert: boolean,
): boolean {
  const { minute, hour } = CONTENT_WRITES[isAlert ? 'alerts' : 'others'];
  const since = (moment: number): number => writtenAt.filter((at) => at > moment).length;
  return since(now - MINUTE_MS) < minute && since(now - HOUR_MS) < hour;
}

/** Comments for people who wait. */
const URGENT = ['answer', 'incident'] as const;

/** The kinds of comments that GitHub's limits leave room for now; undefined: every text. */
export function writableKinds(
  client: { readonly writtenAt: readonly number[] },
  now: number,
): readonly (typeof URGENT)[number][] | undefined {
  if (hasRoom(client, now, false)) return undefined;
  return hasRoom(client, now, true) ? URGENT : [];
}
