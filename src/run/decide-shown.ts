/**
 * Decides what people have been shown: a manifest counts as shown only once the card that shows it was read back from
 * GitHub, and no longer when somebody else edits that card (docs/decisions/0032-what-was-shown.md).
 */

import type { CommentFacts, RunFacts, ShownVersion } from '../domain/facts.ts';
import { branded, type Instant, isInstant } from '../domain/ids.ts';
import { type IncidentOf, incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { VerifiedMarker } from '../domain/marker.ts';
import { isNotAsked, need } from '../domain/need.ts';
import type { Observed } from '../domain/observed.ts';
import { fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { changeBy, editsOf, foreignSince, leftUntil, type TextChange } from './shown-text.ts';
import { type AttemptCache, append, type Step } from './step.ts';

export type ShownInput = {
  readonly state: RunState;
  readonly facts: RunFacts;
  readonly memory: AttemptCache;
  readonly now: Instant;
};

/** Records that the card shows what the gates know, or that somebody else changed the card that did. */
export function decideShown(input: ShownInput): Step | null {
  const { state, facts } = input;
  if (facts.comments.kind === 'unknown' || !isApprovable(state)) return null;
  if (state.shown !== null) return tampered(state, facts, input.now);
  const card = cardOnShow(input, facts.comments.value);
  if (card === null || state.gate?.digest == null) return null;
  const { digest, body } = state.gate;
  const { thread, comment, text, writtenAt } = card;
  const data = { digest, body, thread, comment, text, shownAt: toRfc3339(writtenAt) };
  return append({ type: 'shown', role: 'control', data });
}

/** Whether a card has to be written, however short ago the last one was, since nobody could approve otherwise. */
export function needsShowing(state: RunState, { marker, minimized }: CommentFacts): boolean {
  const isWanted = isApprovable(state) && state.shown === null && state.gate?.digest != null;
  return isWanted && (minimized || marker === null || !showsGate(state, marker));
}

/**
 * The record as an approval may rely on it: nothing is on show where the threads in which it stands do not have the card
 * as it was shown and visible, or where the card was edited since and its history could not be read.
 */
export function confirmedShowing(state: RunState, facts: RunFacts): RunState {
  if (state.shown === null) return state;
  const card = cardComment(state, facts.comments);
  const isStanding = card !== null && !card.minimized && isOursNow(state, card.marker);
  const isHistoryMissing = wasEditedSince(state, facts.comments) && facts.cardHistory.kind === 'unknown';
  return isStanding && !isHistoryMissing ? state : { ...state, shown: null };
}

/** Whether the card on show was edited after it was shown, perhaps by ourselves: only its history tells. */
function wasEditedSince(state: RunState, comments: Observed<readonly CommentFacts[]>): boolean {
  const editedAt = cardComment(state, comments)?.editedAt ?? null;
  return editedAt !== null && editedAt > msOf(state.shown?.shownAt ?? '');
}

/** Whether nobody has read yet what became of the card since it was shown. */
export function isCardUnread(
  state: RunState,
  { comments, cardHistory }: Pick<RunFacts, 'comments' | 'cardHistory'>,
): boolean {
  return wasEditedSince(state, comments) && isNotAsked(cardHistory);
}

/** Until when the card is left as it is, because somebody changes it again and again; null where it may be written. */
export function cardLeftUntil(state: RunState, now: Instant): string | null {
  return isApprovable(state) ? leftUntil(cardEdits(state), now) : null;
}

function cardEdits({ incidents }: RunState): readonly IncidentOf<'card-edited'>[] {
  return incidentsWith(incidents, 'card-edited');
}

/** Whether the card that is on show is not what was shown, as the threads have it: its history says who changed it. */
function isCardForeign(state: RunState, comments: Observed<readonly CommentFacts[]>): boolean {
  const card = cardComment(state, comments);
  return card !== null && isApprovable(state) && !isOursNow(state, card.marker);
}

/** The card that is on show, as the threads have it; null where they do not. */
export function cardComment(
  { shown }: RunState,
  comments: Observed<readonly CommentFacts[]>,
): CommentFacts | null {
  if (shown === null || comments.kind === 'unknown') return null;
  return comments.value.find(({ surface, id }) => surface === 'comment' && id === shown.comment) ?? null;
}

/** Approvals are for what was not launched yet. */
function isApprovable(state: RunState): boolean {
  return !isOver(state) && isBeforeLaunch(state);
}

type CardOnShow = {
  readonly thread: number;
  readonly comment: number;
  readonly text: string;
  readonly writtenAt: Instant;
};

/** The card with what the gates know on it, as the threads or GitHub's answer to our own writing have it. */
function cardOnShow({ state, memory }: ShownInput, comments: readonly CommentFacts[]): CardOnShow | null {
  const standing = comments.find(({ marker }) => isCardOf(state, marker));
  const readAs =
    standing === undefined || standing.minimized
      ? null
      : { comment: standing.id, marker: standing.marker, at: timeOf(standing) };
  const written = lastWritten(memory);
  // The threads are read once: what this process wrote since, and made visible, stands in GitHub's answer alone.
  const newest = written !== null && (readAs === null || isLater(written, readAs)) ? written : readAs;
  if (newest === null || newest.marker === null || !showsGate(state, newest.marker)) return null;
  const { comment, marker, at } = newest;
  return { thread: state.proposal.pull, comment, text: marker.text, writtenAt: at };
}

type Seen = { readonly comment: number; readonly marker: VerifiedMarker | null; readonly at: Instant };

/** GitHub tells whole seconds; within one the times of the seals say which of our own texts is the newer. */
function isLater(one: Seen, other: Seen): boolean {
  if (one.at !== other.at) return one.at > other.at;
  return (one.marker?.at ?? 0) > (other.marker?.at ?? 0);
}

function lastWritten({ outcomes }: AttemptCache): Seen | null {
  const cards = [...outcomes].filter(([key]) => key.startsWith('card:')).map(([, outcome]) => outcome);
  const last = cards.findLast((outcome) => outcome.kind === 'done' && outcome.written !== undefined);
  if (last?.kind !== 'done' || last.written === undefined || last.number === null) return null;
  return { comment: last.number, marker: last.written.marker, at: last.written.updatedAt };
}

function timeOf({ editedAt, createdAt }: CommentFacts): Instant {
  return editedAt ?? createdAt;
}

function isCardOf({ run }: RunState, marker: VerifiedMarker | null): boolean {
  return marker?.kind === 'card' && marker.run === run;
}

/**
 * Control's own words, as written, about this very manifest and text, and written by somebody who knew of the last edit
 * by others. A key that only watches shows nobody what to approve.
 */
function showsGate(state: RunState, marker: VerifiedMarker): boolean {
  const head = Number(marker.fields['head']?.split(':')[0]);
  const knowsOfEdit = state.cardEdit === null || head >= state.cardEdit.seq;
  return knowsOfEdit && marker.role === 'control' && isOnGate(state, marker);
}

function isOnGate(state: RunState, marker: VerifiedMarker | null): boolean {
  return (
    marker !== null &&
    isCardOf(state, marker) &&
    marker.isIntact &&
    marker.fields['manifest'] === state.gate?.digest &&
    marker.fields['body'] === state.gate?.body
  );
}

/** Null while the card stands as it was shown, where the threads are too old to tell, or while its history is not known. */
function tampered(state: RunState, facts: RunFacts, now: Instant): Step | null {
  const { shown } = state;
  const { comments, readAt, cardHistory } = facts;
  if (shown === null || comments.kind === 'unknown' || readAt <= msOf(shown.at)) return null;
  const card = cardComment(state, comments);
  if (isCardForeign(state, comments) && isCardUnread(state, facts)) return need('cardHistory');
  // A list of GitHub's that lags behind does not have the newest comments.
  if (card === null && readAt < msOf(shown.at) + limits.publishGraceMs) return null;
  const change = howChanged(state, card, cardHistory);
  if (change === null) return null;
  const { how, by } = change;
  const detail = {
    how,
    thread: shown.thread,
    comment: shown.comment,
    ...(by === null ? {} : { by }),
    ...editsOf(cardEdits(state), now),
  };
  return append(incidentDraft('control', 'card-edited', detail));
}

function howChanged(
  state: RunState,
  card: CommentFacts | null,
  history: RunFacts['cardHistory'],
): TextChange | null {
  if (card === null) return { how: 'deleted', by: null };
  const shownAt = branded(msOf(state.shown?.shownAt ?? ''), isInstant);
  // In the second of the showing there may be an older text of our own.
  const isOurs = ({ editedAt, marker }: ShownVersion): boolean =>
    editedAt > shownAt ? isOursNow(state, marker) : isCardOf(state, marker) && marker?.isIntact === true;
  const foreign =
    history.kind === 'known' ? foreignSince(sinceShown(state, history.value), shownAt, isOurs) : null;
  if (!isOursNow(state, card.marker)) return { how: 'edited', by: foreign?.by ?? null };
  // GitHub does not tell who hid a comment.
  if (card.minimized) return { how: 'hidden', by: null };
  return foreign === null ? null : changeBy(foreign, false);
}

/** The list tells what came first within the second of the showing: what stood there before the very text that was shown is over. */
function sinceShown({ shown }: RunState, newestFirst: readonly ShownVersion[]): readonly ShownVersion[] {
  const at = newestFirst.findLastIndex(
    ({ editedAt, marker }) => editedAt === msOf(shown?.shownAt ?? '') && marker?.text === shown?.text,
  );
  return at < 0 ? newestFirst : newestFirst.slice(0, at + 1);
}

/** The watch writes the card too, once a first attempt runs. */
function isOursNow(state: RunState, marker: VerifiedMarker | null): boolean {
  const isWriter = marker?.role === 'control' || state.submission !== null || state.attempts.length > 0;
  return isWriter && isOnGate(state, marker);
}

function msOf(text: string): number {
  return fromRfc3339(text) ?? Number.NaN;
}
