/**
 * A manifest counts as shown once its card was read back from GitHub, until a person edits that card
 * (docs/decisions/0119-bind-an-approval-to-what-was-shown.md).
 */

import type { CommentFacts, ProposalText, ProposalTexts, RunFacts, ShownVersion } from '../domain/facts.ts';
import { filterIncidents, incidentDraft } from '../domain/incidents.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { VerifiedMarker } from '../domain/marker.ts';
import { isNotAsked, request } from '../domain/reconcile-request.ts';
import {
  brandAs,
  type Digest,
  fromRfc3339,
  type Instant,
  isInstant,
  known,
  type Observed,
  toRfc3339,
} from '../domain/values.ts';
import { type AttemptCache, append, type DeciderInput, type Step } from './step.ts';

/** Rewrites of a foreign-edited text per hour: tolerates mistakes and bounds GitHub writes. */
export const TEXT_RESTORES_MAX = 3;

/** The newest foreign version since an instant, or null. */
function findForeign(
  versions: readonly ShownVersion[],
  since: Instant,
  isOurs: (version: ShownVersion) => boolean,
): ShownVersion | null {
  return versions.find((version) => version.editedAt >= since && !isOurs(version)) ?? null;
}

/**
 * Since when the text showed a proposal to a comment written at `asOf`; null if it did not. After a foreign version, only a text sealed
 * later than all earlier ones counts, because anyone can restore an old one.
 */
export function findShownSince(versions: ProposalText['versions'], asOf: Instant): Instant | null {
  const until = versions.filter(({ editedAt }) => editedAt <= asOf);
  const foreign = until.findIndex(({ shows }) => shows === 'foreign');
  const before = foreign < 0 ? [] : until.slice(foreign);
  const sealedBefore = Math.max(...before.map(({ sealedAt }) => sealedAt ?? 0), 0);
  const end = until.findIndex(({ shows, sealedAt }) => shows !== 'this' || (sealedAt ?? 0) <= sealedBefore);
  const since = (end < 0 ? until : until.slice(0, end)).at(-1)?.editedAt ?? null;
  // Within one second, the order is unknown.
  return since !== null && foreign >= 0 && since >= asOf ? null : since;
}

/** `shownSince` for each open proposal. */
export function listShowings(texts: ProposalTexts, asOf: Instant): ReadonlyMap<Digest, Observed<Instant | null>> {
  return new Map(
    [...texts].map(([digest, text]) => {
      if (text.kind === 'unknown') return [digest, text];
      return [digest, known(text.value === null ? null : findShownSince(text.value.versions, asOf))];
    }),
  );
}

/** Whether ferrybot may rewrite an edited text again. `earlier`: the times of its earlier edits or rewrites. */
export function canRewrite(earlier: readonly number[], now: Instant): boolean {
  return earlier.filter((at) => at > now - limits.textRestoresPeriodMs).length <= TEXT_RESTORES_MAX;
}

type ShownInput = Omit<DeciderInput, 'config'>;

/** Records that the card shows the gated manifest, or that a person changed the card. */
export function decideShown(input: ShownInput): Step | null {
  const { state, facts } = input;
  if (facts.comments.kind === 'unknown' || !isApprovable(state)) return null;
  if (state.shown !== null) return decideTampered(state, facts);
  const card = findCardOnShow(input, facts.comments.value);
  if (card === null || state.gate?.digest == null) return null;
  const { digest, body } = state.gate;
  const { thread, comment, text, writtenAt } = card;
  const data = { digest, body, thread, comment, text, shownAt: toRfc3339(writtenAt) };
  return append({ type: 'shown', role: 'control', data });
}

/** Whether the card must be written now, because without it approvals are impossible. */
export function mustShowCard(state: RunState, { marker, minimized }: CommentFacts): boolean {
  const isWanted = isApprovable(state) && state.shown === null && state.gate?.digest != null;
  return isWanted && (minimized || marker === null || !showsCurrentGate(state, marker));
}

/**
 * The state that an approval may rely on: nothing counts as shown if the card is missing, hidden or changed, or was edited and its history
 * is unreadable.
 */
export function withConfirmedShowing(state: RunState, facts: RunFacts): RunState {
  if (state.shown === null) return state;
  const card = findCardComment(state, facts.comments);
  const isStanding = card !== null && !card.minimized && isCurrentBotText(state, card.marker);
  const isHistoryMissing = facts.cardHistory.kind === 'unknown' && isCardEdited(state, card);
  return isStanding && !isHistoryMissing ? state : { ...state, shown: null };
}

/** Whether any account edited the card and its history was not read. */
export function isCardHistoryUnread(
  state: RunState,
  { comments, cardHistory }: Pick<RunFacts, 'comments' | 'cardHistory'>,
): boolean {
  return isNotAsked(cardHistory) && isCardEdited(state, findCardComment(state, comments));
}

function isCardEdited({ shown }: RunState, card: CommentFacts | null): boolean {
  return (card?.editedAt ?? 0) > parseMs(shown?.shownAt ?? '');
}

/** Whether ferrybot waits before it rewrites a card that people edit repeatedly. */
export function isCardPaused(state: RunState, now: Instant): boolean {
  const edits = filterIncidents(state.incidents, 'card-edited').map(({ at }) => parseMs(at));
  return isApprovable(state) && !canRewrite(edits, now);
}

/** The shown card's comment, or null. */
export function findCardComment({ shown }: RunState, comments: Observed<readonly CommentFacts[]>): CommentFacts | null {
  if (shown === null || comments.kind === 'unknown') return null;
  return comments.value.find(({ surface, id }) => surface === 'comment' && id === shown.comment) ?? null;
}

/** Approvals apply only before a launch. */
function isApprovable(state: RunState): boolean {
  return !isOver(state) && isBeforeLaunch(state);
}

type CardOnShow = {
  readonly thread: number;
  readonly comment: number;
  readonly text: string;
  readonly writtenAt: Instant;
};

/** The card with the gated manifest, from the threads or from GitHub's answer to ferrybot's own write. */
function findCardOnShow({ state, memory }: ShownInput, comments: readonly CommentFacts[]): CardOnShow | null {
  const standing = comments.find(({ marker }) => isRunCard(state, marker));
  const readAs =
    standing === undefined || standing.minimized
      ? null
      : { comment: standing.id, marker: standing.marker, at: versionTime(standing) };
  const written = findLastWritten(memory);
  // The threads were read before this process wrote, so prefer GitHub's answer to the write.
  const newest = written !== null && (readAs === null || isLaterVersion(written, readAs)) ? written : readAs;
  if (newest === null || newest.marker === null || !showsCurrentGate(state, newest.marker)) return null;
  const { comment, marker, at } = newest;
  return { thread: state.proposal.pull, comment, text: marker.text, writtenAt: at };
}

type WrittenCard = { readonly comment: number; readonly marker: VerifiedMarker | null; readonly at: Instant };

/** Within one second, the seal's time decides which text is newer. */
function isLaterVersion(one: WrittenCard, other: WrittenCard): boolean {
  if (one.at !== other.at) return one.at > other.at;
  return (one.marker?.at ?? 0) > (other.marker?.at ?? 0);
}

function findLastWritten({ outcomes }: AttemptCache): WrittenCard | null {
  const cards = [...outcomes].filter(([key]) => key.startsWith('card:')).map(([, outcome]) => outcome);
  const last = cards.findLast((outcome) => outcome.kind === 'done' && outcome.written !== undefined);
  if (last?.kind !== 'done' || last.written === undefined || last.number === null) return null;
  return { comment: last.number, marker: last.written.marker, at: last.written.updatedAt };
}

function versionTime({ editedAt, createdAt }: CommentFacts): Instant {
  return editedAt ?? createdAt;
}

function isRunCard({ run }: RunState, marker: VerifiedMarker | null): marker is VerifiedMarker {
  return marker?.kind === 'card' && marker.run === run;
}

/**
 * Whether control wrote this text for this manifest and description after the last foreign edit, and it is unchanged. The watch's key
 * cannot show a manifest for approval.
 */
function showsCurrentGate(state: RunState, marker: VerifiedMarker): boolean {
  const head = Number(marker.fields['head']?.split(':')[0]);
  const knowsOfEdit = state.cardEdit === null || head >= state.cardEdit.seq;
  return knowsOfEdit && marker.role === 'control' && matchesGate(state, marker);
}

function matchesGate(state: RunState, marker: VerifiedMarker | null): boolean {
  if (!isRunCard(state, marker) || !marker.isIntact) return false;
  const { manifest, body } = marker.fields;
  return manifest === state.gate?.digest && body === state.gate?.body;
}

/** Null while the card is intact, the threads are outdated, or the history is unknown. */
function decideTampered(state: RunState, facts: RunFacts): Step | null {
  const { shown } = state;
  const { comments, readAt, cardHistory } = facts;
  if (shown === null || comments.kind === 'unknown' || readAt <= parseMs(shown.at)) return null;
  const card = findCardComment(state, comments);
  const isForeign = card !== null && !isCurrentBotText(state, card.marker);
  if (isForeign && isCardHistoryUnread(state, facts)) return request('cardHistory');
  // GitHub's lists can lag behind.
  if (card === null && readAt < parseMs(shown.at) + limits.publishGraceMs) return null;
  const change = describeTampering(state, card, cardHistory);
  if (change === null) return null;
  const { how, by } = change;
  const detail = { how, thread: shown.thread, comment: shown.comment, ...(by === null ? {} : { by }) };
  return append(incidentDraft('control', 'card-edited', detail));
}

function describeTampering(
  state: RunState,
  card: CommentFacts | null,
  history: RunFacts['cardHistory'],
): { readonly how: string; readonly by: string | null } | null {
  if (card === null) return { how: 'deleted', by: null };
  const shownAt = brandAs(parseMs(state.shown?.shownAt ?? ''), isInstant);
  // In the same second as the showing, an older text by ferrybot may appear.
  const isOurs = ({ editedAt, marker }: ShownVersion): boolean =>
    editedAt > shownAt ? isCurrentBotText(state, marker) : isRunCard(state, marker) && marker?.isIntact === true;
  const foreign = history.kind === 'known' ? findForeign(afterShown(state, history.value), shownAt, isOurs) : null;
  if (!isCurrentBotText(state, card.marker)) return { how: 'edited', by: foreign?.by ?? null };
  // GitHub does not report who hid a comment.
  if (card.minimized) return { how: 'hidden', by: null };
  return foreign === null ? null : { how: 'edited', by: foreign.by };
}

/** Drops versions before the shown one. Within the same second, only the list gives the order. */
function afterShown({ shown }: RunState, newestFirst: readonly ShownVersion[]): readonly ShownVersion[] {
  const at = newestFirst.findLastIndex(
    ({ editedAt, marker }) => editedAt === parseMs(shown?.shownAt ?? '') && marker?.text === shown?.text,
  );
  return at < 0 ? newestFirst : newestFirst.slice(0, at + 1);
}

/** The watch also writes the card once a job runs. */
function isCurrentBotText(state: RunState, marker: VerifiedMarker | null): boolean {
  const isWriter = marker?.role === 'control' || state.submission !== null || state.attempts.length > 0;
  return isWriter && matchesGate(state, marker);
}

function parseMs(text: string): number {
  return fromRfc3339(text) ?? Number.NaN;
}
