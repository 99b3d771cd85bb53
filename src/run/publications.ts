/** The comments that the record requires. They are derived and never stored. */

import type { ActionRecord } from '../domain/actions/action.ts';
import type { Effect, Mentions } from '../domain/effect.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import { findAcceptedDri, findOwner } from '../domain/logbook/ownership.ts';
import type { Role } from '../domain/logbook/parts.ts';
import type { Ending, RunState, SeenCommand } from '../domain/logbook/run-state.ts';
import {
  groupAnswers,
  isControlTextCurrent,
  isQuietAnswer,
  isSameContent,
  markerIdentity,
  type RunCommentKind,
  type VerifiedMarker,
} from '../domain/marker.ts';
import { brandAs, fromRfc3339, type Instant, isRunId, type RunId } from '../domain/values.ts';
import type { Anchor } from '../logbook/chain.ts';
import type { AttemptCache } from './step.ts';

/** `seq`: the newest event that the comment reports; `at`: that event's time. */
export type Publication = {
  readonly kind: RunCommentKind;
  readonly key: string;
  readonly thread: number;
  readonly seq: number;
  readonly at: string;
  /** The event's author, who publishes it first. */
  readonly role: Role;
  /** The people to mention; by default none. */
  readonly mentions?: Mentions;
};

/** All comments of a run, answers and incidents first. Progress is only on the card. */
export function listPublications(state: RunState): readonly Publication[] {
  const { issue, pull } = state.proposal;
  return [
    ...listAnswers(state.commands),
    ...state.incidents.map((one) => publish('incident', one.role, issue, one)),
    ...state.drops.map((one) => publish('drop', 'control', pull, one)),
    ...state.actions.flatMap(listActionReports),
    ...listNotices(state),
    ...listMilestones(state),
  ];
}

/** The report on one entry. `people` are mentioned. */
function publish(
  kind: RunCommentKind,
  role: Role,
  thread: number,
  { seq, at, people = [] }: Pick<Publication, 'seq' | 'at'> & { readonly people?: readonly number[] },
): Publication {
  const mentions = people.length === 0 ? {} : { mentions: { people, permission: null } };
  return { kind, key: String(seq), thread, seq, at, role, ...mentions };
}

/** Whether this process publishes the newest event for another role. */
export function isHeadOwn(state: RunState, { publishesFor = [] }: Pick<AttemptCache, 'publishesFor'>): boolean {
  if (publishesFor.length === 0) return false;
  return listPublications(state).some(({ seq, role }) => seq === state.head.seq && publishesFor.includes(role));
}

/** One answer per comment once all its commands are answered, plus one if an edit added a command. */
export function listAnswers(all: RunState['commands']): readonly Publication[] {
  const found: Publication[] = [];
  for (const [key, commands] of groupAnswers(all.values())) {
    let last: NonNullable<SeenCommand['answer']> | null = null;
    const people: number[] = [];
    for (const one of commands) {
      if (one.answer !== null && !isQuietAnswer(one) && one.answer.seq > (last?.seq ?? -1)) last = one.answer;
      // The person who received the command's offer.
      const to = one.answer?.code === 'handoff-offered' ? one.answer.detail['to'] : undefined;
      if (typeof to === 'number') people.push(to);
    }
    const thread = commands[0]?.thread;
    if (last === null || thread === undefined || commands.some(({ answer }) => answer === null)) continue;
    found.push({ ...publish('answer', 'control', thread, { seq: last.seq, at: last.at, people }), key });
  }
  return found;
}

/** Reports the proposal, a consent by config, and the end. A person's consent has its own answer. */
function listActionReports({ proposal, at, seq, approvals, ended }: ActionRecord): readonly Publication[] {
  const { thread, change } = proposal;
  const byConfig = approvals.filter(({ source }) => source.kind === 'config');
  return [
    publish('action', change.kind === 'delete-checkpoint' ? 'control' : 'watch', thread, { at, seq }),
    ...byConfig.map((one) => publish('action', 'control', thread, one)),
    ...(ended === null ? [] : [publish('action', 'runner', thread, ended)]),
  ];
}

function listNotices(state: RunState): readonly Publication[] {
  const { deliveries, notices, watch, description, proposal } = state;
  const thread = chooseApproversThread(state);
  const found = notices.map(
    ({ seq, at, role, reason, people = [], permission = null }): Publication => ({
      // Updates go to the run's followers, other notices to the approvers' thread.
      ...publish('notice', role, reason === 'update' ? proposal.issue : thread, { seq, at }),
      ...(people.length === 0 && permission === null
        ? {}
        : { mentions: { people, permission, ...(reason === 'incident' ? { isAssigned: true } : {}) } }),
    }),
  );
  for (const one of deliveries) if (one.outcome !== 'sent') found.push(publish('notice', one.role, thread, one));
  // A reached stopping point; other ends are answers to commands.
  if (watch.ended !== null && watch.ended.cause !== 'person') {
    const { seq, at } = watch.ended;
    const people = [watch.plannedEnd?.actor, findOwner(state)].flatMap((one) => (one == null ? [] : [one.id]));
    found.push(publish('notice', 'watch', thread, { seq, at, people: [...new Set(people)] }));
  }
  // The description of a job to adopt; if adoption is impossible, the closing comment reports it.
  if (description?.found === 'described' || description?.found === 'unknown') {
    const { seq, at } = description;
    const people = proposal.requestedBy === null ? [] : [proposal.requestedBy.id];
    found.push(publish('notice', 'watch', proposal.issue, { seq, at, people }));
  }
  return found;
}

/** The thread of the last approval command, or the default one. */
export function chooseApproversThread({ commands, proposal }: RunState): number {
  const spoken = [...commands.values()].findLast(({ name }) => name === 'approve-launch');
  return spoken?.thread ?? proposal.pull;
}

function listMilestones(state: RunState): readonly Publication[] {
  // rule DF-07
  const { issue } = state.proposal;
  const found: Publication[] = [];
  const add = (kind: RunCommentKind, role: Role, event: Parameters<typeof publish>[3] | null): void => {
    if (event !== null) found.push(publish(kind, role, issue, event));
  };
  // After the watch ended, report only the job's end.
  const endedAt = state.watch.ended?.seq ?? Number.POSITIVE_INFINITY;
  const onlyIfWatched = <Event extends { readonly seq: number }>(event: Event | null): Event | null =>
    event !== null && event.seq > endedAt ? null : event;
  for (const { submission, firstEval, firstTracker, end } of [...state.attempts, state]) {
    add('launch', 'runner', isAdopted({ submission }) ? null : submission);
    add('tracker', 'watch', onlyIfWatched(firstTracker));
    add('first-eval', 'watch', onlyIfWatched(firstEval));
    if (end === null) continue;
    // rules HR-22, ML-17
    add('ended', 'watch', { seq: end.seq, at: end.at, people: listMentionedPeople(state, end) });
  }
  // rule HR-18
  add('sealed', 'control', state.seal);
  add('closed', 'control', state.closed);
  return found;
}

/** The contract's DRI is mentioned for each failed attempt that was not stopped here, even if it is relaunched (policy HR-31). */
function listMentionedPeople(state: RunState, end: Ending): readonly number[] {
  // rule HR-31
  const isCrash = end.status === 'FAILED' || (end.status === 'STOPPED' && !(end === state.end && state.stop));
  const dri = isCrash ? findAcceptedDri(state) : null;
  return dri === null ? [] : [dri.id];
}

type PublishedHead = { readonly run: RunId; readonly anchor: Anchor; readonly thread: number };

/** The newest record anchor (entry and hash) of each run in verified comments, to detect a truncated record (architecture, D1). */
export function listPublishedHeads(comments: readonly CommentFacts[]): readonly PublishedHead[] {
  const newest = new Map<RunId, PublishedHead>();
  for (const { marker, thread } of comments) {
    const head = /^(\d{1,9}):([0-9a-f]{12,64})$/.exec(marker?.fields['head'] ?? '');
    if (marker === null || head === null || !isRunId(marker.run)) continue;
    const anchor = { seq: Number(head[1]), hash: head[2] ?? '' };
    const run = brandAs(marker.run, isRunId);
    if ((newest.get(run)?.anchor.seq ?? -1) < anchor.seq) newest.set(run, { run, anchor, thread });
  }
  return [...newest.values()];
}

type ReportedEntry = { readonly seq: number; readonly at: string; readonly role: Role };

/** What a process knows about its own part in the record. */
export type Poster = Pick<AttemptCache, 'appended' | 'publishesFor'>;

/** The process that appended an entry, or posts for its author, posts immediately. Other processes wait for the grace period. */
export function mayPost({ seq, at, role }: ReportedEntry, poster: Poster, now: Instant): boolean {
  return poster.appended.has(seq) || poster.publishesFor?.includes(role) === true || mayAnyonePost(at, now);
}

/** Whether another process may post the same text now: the later of two duplicates must be deleted. */
export function isShared({ seq, at }: Pick<ReportedEntry, 'seq' | 'at'>, poster: Poster, now: Instant): boolean {
  return !poster.appended.has(seq) || mayAnyonePost(at, now);
}

/** Whether the grace period of an entry of this time is over, so that any process may post it. */
export function mayAnyonePost(at: string, now: Instant): boolean {
  return now - (fromRfc3339(at) ?? 0) >= limits.publishGraceMs;
}

export type PendingComment = {
  readonly thread: number;
  readonly marker: string;
  readonly body: string;
  /** Set if the posted text must be updated with the record; otherwise it stays as posted. */
  readonly isUpdated?: true;
  /** Set if no other process posts the comment; otherwise the later of two duplicates is deleted. */
  readonly isOnlyPoster?: boolean;
  /** After this time its thread is read again, because a person may have deleted the comment. */
  readonly recheckMs?: number;
};

export type PendingIssue = {
  /** The issue's own label, by which ferrybot finds it. */
  readonly label: string;
  readonly marker: string;
  readonly title: string;
  readonly body: string;
  /** Wanted state; null: unchanged. */
  readonly state: 'open' | 'closed' | null;
};

/** `marker` is null if the issue has no verified marker. */
export type PostedIssue = {
  readonly number: number;
  readonly body: string;
  readonly isOpen: boolean;
  readonly marker: VerifiedMarker | null;
};

/** ferrybot's posted comment, or null. */
export function findPostedComment(
  comments: readonly CommentFacts[],
  { marker, body }: Pick<PendingComment, 'marker' | 'body'>,
): CommentFacts | null {
  const isPosted = (one: CommentFacts): boolean =>
    one.marker !== null && markerIdentity(one.marker) === marker && isControlTextCurrent(one.marker, one.body, body);
  return comments.find(isPosted) ?? null;
}

/** The write that posts or updates the comment; null if it is current. */
export function decideComment(owed: PendingComment, comments: readonly CommentFacts[]): Effect | null {
  const { thread, marker, body } = owed;
  const standing = findPostedComment(comments, owed);
  if (standing === null) return { kind: 'post-comment', thread, marker, body, isShared: owed.isOnlyPoster !== true };
  if (owed.isUpdated !== true || (standing.marker?.isIntact === true && isSameContent(standing.body, body)))
    return null;
  return { kind: 'edit-comment', thread, comment: standing.id, body };
}

/** The write that opens or updates the issue; null if it is current. */
export function decideIssue(owed: PendingIssue, standing: PostedIssue | null): Effect | null {
  const { label, marker, title, body } = owed;
  if (standing === null) return { kind: 'open-issue', marker, title, body, labels: [label] };
  const isOpen = owed.state === null ? standing.isOpen : owed.state === 'open';
  const state = isOpen === standing.isOpen ? null : owed.state;
  if (state === null && standing.marker?.isIntact === true && isSameContent(standing.body, body)) return null;
  return { kind: 'edit-issue', issue: standing.number, expected: null, body, state };
}

/** GitHub allows 80 writes per minute and 500 per hour for all processes together. Other texts leave room for alerts. */
export const CONTENT_WRITES = { alerts: { minute: 60, hour: 450 }, others: { minute: 40, hour: 200 } } as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Whether this process may write now. `writtenAt`: its earlier writes (epoch ms). */
export function hasWriteBudget(
  { writtenAt }: { readonly writtenAt: readonly number[] },
  now: number,
  isAlert: boolean,
): boolean {
  const { minute, hour } = CONTENT_WRITES[isAlert ? 'alerts' : 'others'];
  let [inMinute, inHour] = [0, 0];
  for (const at of writtenAt) {
    if (at > now - MINUTE_MS) inMinute += 1;
    if (at > now - HOUR_MS) inHour += 1;
  }
  return inMinute < minute && inHour < hour;
}

/** The kinds of comments that people wait for. */
const URGENT = ['answer', 'incident'] as const;

/** The kinds of comments that GitHub's limits leave room for now; undefined: every text. */
export function listWritableKinds(
  client: { readonly writtenAt: readonly number[] },
  now: number,
): readonly (typeof URGENT)[number][] | undefined {
  if (hasWriteBudget(client, now, false)) return undefined;
  return hasWriteBudget(client, now, true) ? URGENT : [];
}
