/** Decides what to publish next: pending comments, then the check run, the card, and the outcome boxes of the PR body. */

import type { Annotation } from '../domain/effect.ts';
import type { BodyFacts, CommentFacts } from '../domain/facts.ts';
import type { Incident } from '../domain/incidents.ts';
import { findLaunchTrouble, isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import { runPhase } from '../domain/logbook/job-state.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import {
  isControlTextCurrent,
  isSameContent,
  lastEntry,
  markerIdentity,
  type VerifiedMarker,
} from '../domain/marker.ts';
import { isNotAsked, request } from '../domain/reconcile-request.ts';
import { assertNever, type Digest, fromRfc3339 } from '../domain/values.ts';
import { renderCard } from '../render/card.ts';
import { chooseConclusion, renderCheck, renderMismatch, renderUnreadableDelta } from '../render/check.ts';
import type { RenderInput } from '../render/input.ts';
import { ISSUE_CARD_KEY, renderOwnedIssueCard } from '../render/issues.ts';
import { renderPublication } from '../render/publication.ts';
import { cardLink, threadKind } from '../render/words.ts';
import { recordedApprovalVerdicts } from './approvals.ts';
import { isCardPaused, mustShowCard } from './decide-shown.ts';
import { decideWaitEdit } from './decide-waits.ts';
import { createPastReader, judgeSealedRun } from './lane.ts';
import { isOpenProposal } from './proposal-texts.ts';
import { isHeadOwn, isShared, listPublications, mayAnyonePost, mayPost, type Publication } from './publications.ts';
import { canTry, type DeciderInput, isEffectDone, memoizeOnce, perform, type Step } from './step.ts';

/** Minimum time between card edits without a phase change (docs/decisions/0115-derive-every-post-from-the-record.md). */
const CARD_PERIOD_MS = 30 * 60 * 1_000;

/** A process that only posts reads no pull request: `pull` is unknown. */
export type PublishInput = DeciderInput & {
  readonly repository: string;
  /** Posts only comments of these kinds, because there is no room for other texts. Undefined: all kinds. */
  readonly only?: readonly Publication['kind'][] | undefined;
};

/** The next comment; null if the threads contain everything that the record requires. */
export function decideComments(input: PublishInput): Step | null {
  const { comments } = input.facts;
  if (comments.kind === 'unknown') return isNotAsked(comments) ? request('comments') : null;
  return decideNextComment(input, comments.value);
}

/** The next edit of a comment about an open wait; null if none is due. */
export function decideOpenWait(input: PublishInput): Step | null {
  const { state, facts, now, memory } = input;
  if (input.only !== undefined) return null;
  if (facts.comments.kind === 'unknown') return isNotAsked(facts.comments) ? request('comments') : null;
  if (facts.pull.kind === 'unknown') return null;
  const textOf = ({ seq }: Incident): string | null => {
    const told = listPublications(state).find((one) => one.kind === 'incident' && one.seq === seq);
    return told === undefined ? null : renderPublication(told, renderInputFor(input));
  };
  return decideWaitEdit({ state, facts, ownComments: facts.comments.value, textOf, now, memory });
}

/** The next edit of a display of the run's state: the check run, the card or the boxes. */
export function decideCard(input: PublishInput): Step | null {
  const { comments } = input.facts;
  if (input.only !== undefined) return null;
  if (comments.kind === 'unknown') return isNotAsked(comments) ? request('comments') : null;
  const card = findCard(input.state, comments.value);
  return (
    decideCheckRun(input, card) ??
    decideCardWrite(input, card, comments.value) ??
    nextIssueCard(input, card, comments.value) ??
    decideTick(input)
  );
}

/** Texts depend only on the record and the config, so every process renders the same. Each reads only what it shows. */
function renderInputFor({ state, config, facts: { recordedRuns } }: PublishInput): RenderInput {
  return {
    ...{ state, config },
    get past() {
      return createPastReader(recordedRuns, config.lanes);
    },
    get verdict() {
      return recordedRuns.kind === 'known' ? judgeSealedRun(state, config, recordedRuns.value) : null;
    },
    get approvals() {
      return recordedApprovalVerdicts(state, config);
    },
  };
}

function decideNextComment(input: PublishInput, comments: readonly CommentFacts[]): Step | null {
  const { state, facts, memory, now, only } = input;
  const standing = Map.groupBy(comments, ({ marker }) => (marker === null ? null : markerIdentity(marker)));
  for (const publication of listPublications(state)) {
    const { kind, seq, role, thread, mentions } = publication;
    if (only?.includes(kind) === false) continue;
    const marker = markerIdentity({ run: state.run, kind, key: publication.key });
    const text = memoizeOnce(() => renderPublication(publication, renderInputFor(input)));
    // Control's own events need control's seal or exactly its text; other processes accept any verified text.
    const own = facts.pull.kind === 'known' && role === 'control' ? text : null;
    if (standing.get(marker)?.some((comment) => reportsEntry(comment, seq, own)) === true) continue;
    const key = attemptKey(input, publication);
    if (!mayPost(publication, memory, now) || !canTry(memory, key, limits.effectTriesMax)) continue;
    const proposal = findProposalDigest(state, publication);
    const shown = proposal === null ? null : facts.proposalTexts.get(proposal);
    if (proposal !== null && shown === undefined) return request({ fact: 'proposalTexts', of: proposal });
    // A proposal comment that lost its marker is rewritten in place.
    if (shown?.kind === 'known' && shown.value !== null) continue;
    const card = LINKS_CARD.includes(kind) ? findCard(state, comments) : null;
    const body = card === null ? text() : `${text()}\n${cardLink(card.comment)}\n`;
    return perform(key, {
      ...{ kind: 'post-comment', thread, marker, body, entry: { seq, role } },
      ...(mentions === undefined ? {} : { mentions }),
      isShared: isShared(publication, memory, now),
    });
  }
  return null;
}

/** Other comments are edited later, or are read beside the card. */
const LINKS_CARD: readonly Publication['kind'][] = ['answer', 'launch', 'drop', 'ended', 'sealed', 'closed'];

/** Entry numbers are predictable, contents are not: a text that is older than its entry cannot report it. */
function reportsEntry({ marker, body }: CommentFacts, seq: number, own: (() => string) | null): boolean {
  if (marker === null || lastEntry(marker) < seq) return false;
  return own === null || marker.role === 'control' || isControlTextCurrent(marker, body, own());
}

/** The open proposal that this comment shows, or null. */
function findProposalDigest({ actions }: RunState, { kind, seq }: Publication): Digest | null {
  const one = kind === 'action' ? actions.find((action) => action.seq === seq) : undefined;
  return one !== undefined && isOpenProposal(one) ? one.digest : null;
}

/** A deleted proposal comment is reposted hourly; other comments are posted once. */
function attemptKey({ now, state }: PublishInput, publication: Publication): string {
  const key = `publish:${publication.kind}:${publication.key}`;
  if (findProposalDigest(state, publication) === null) return key;
  const periods = Math.floor((now - (fromRfc3339(publication.at) ?? now)) / limits.textRestoresPeriodMs);
  return periods > 0 ? `${key}:${periods}` : key;
}

/** Identifies the check run's content; the card stores it to avoid a lookup. */
function checkRunKey(state: RunState): string {
  return `${runPhase(state)}.${state.gate?.commit.slice(0, 12) ?? 'none'}.${state.gate?.seq ?? 0}`;
}

/** The watch reads no pull request: it updates only a check run that its own App created. */
function decideCheckRun(input: PublishInput, card: PostedCard | null): Step | null {
  const { state, facts, memory } = input;
  const { pull, checks } = facts;
  const { gate, end, run } = state;
  const key = `check:${checkRunKey(state)}`;
  if (gate === null || isCheckCurrent(input, card) || !canTry(memory, key, limits.effectTriesMax)) return null;
  const isWatch = pull.kind === 'unknown';
  if (isWatch && card?.comment.byOwnApp !== true) return null;
  if (end === null && !mayPublish(input)) return null;
  // The id of the check run on this commit, as far as the threads show it.
  const isRead = checks.kind === 'known' && pull.kind === 'known' && pull.value.headSha === gate.commit;
  const existing = isRead ? (checks.value.find(({ id }) => id !== undefined)?.id ?? null) : null;
  // Annotations need the lines of the changed file. A check run that already exists on this commit has them.
  if (!isWatch && existing === null && isBeforeLaunch(state) && isNotAsked(facts.change)) return request('change');
  return perform(key, {
    ...{ kind: 'put-check-run', head: gate.commit, externalId: run, existing, ...renderCheck(renderInputFor(input)) },
    conclusion: chooseConclusion(state),
    annotations: listAnnotations(input),
    ...(isWatch ? { ownAppOnly: true } : {}),
  });
}

function isCheckCurrent({ state, memory }: PublishInput, card: PostedCard | null): boolean {
  const wanted = checkRunKey(state);
  return card?.marker.fields['check'] === wanted || isEffectDone(memory, `check:${wanted}`);
}

type PostedCard = { readonly comment: CommentFacts; readonly marker: VerifiedMarker };

function findCard({ run }: RunState, comments: readonly CommentFacts[]): PostedCard | null {
  for (const comment of comments) {
    const { marker } = comment;
    if (marker?.kind === 'card' && marker.run === run) return { comment, marker };
  }
  return null;
}

/** Whether publishing may start. If not, the process that wrote the newest event is still publishing. */
function mayPublish(input: PublishInput): boolean {
  const { head } = input.state;
  return (
    input.memory.appended.has(head.seq) || mayAnyonePost(head.at, input.now) || isHeadOwn(input.state, input.memory)
  );
}

function decideCardWrite(input: PublishInput, card: PostedCard | null, comments: readonly CommentFacts[]): Step | null {
  const { state, memory, now } = input;
  const key = `card:${state.head.seq}`;
  if (!mayPublish(input) || isCardPaused(state, now) || !canTry(memory, key, limits.effectTriesMax)) return null;
  // The check run's content according to the card, which may be outdated.
  const check = isCheckCurrent(input, card) ? checkRunKey(state) : (card?.marker.fields['check'] ?? 'none');
  const body = renderCard({ ...renderInputFor(input), check });
  if (card === null) {
    const { cardEdit } = state;
    // A person damaged its marker: rewrite it in place.
    const lost = comments.find(
      ({ surface, id, isByOwnLogin }) => isByOwnLogin && surface === 'comment' && id === cardEdit?.comment,
    );
    if (lost !== undefined) return perform(key, { kind: 'edit-comment', thread: lost.thread, comment: lost.id, body });
    const marker = markerIdentity({ run: state.run, kind: 'card', key: 'card' });
    // Ignore a remembered card that a person deleted.
    const isPosted = [...memory.outcomes].some(
      ([k, o]) => k.startsWith('card:') && o.kind === 'done' && o.number !== cardEdit?.comment,
    );
    const { pull: thread } = state.proposal;
    const isDouble = isShared(state.head, memory, now);
    return isPosted ? null : perform(key, { kind: 'post-comment', thread, marker, body, isShared: isDouble });
  }
  if (!mustShowCard(state, card.comment)) {
    const isSaid = card.marker.isIntact && isSameContent(card.comment.body, body);
    if (isSaid || isOnlyShowing(state, card.marker) || !mayEditCard(input, card)) return null;
  }
  const { id, thread, nodeId, minimized } = card.comment;
  const hidden = minimized && isBeforeLaunch(state) ? { hidden: nodeId } : {};
  return perform(key, { kind: 'edit-comment', thread, comment: id, body, ...hidden });
}

/** The issue had a card before it had a run, with commands that no longer apply. Only control rewrites it. */
function nextIssueCard(
  { state, facts, memory }: PublishInput,
  card: PostedCard | null,
  comments: readonly CommentFacts[],
): Step | null {
  const old = comments.find(
    ({ marker }) => marker?.run === 'journal' && marker.kind === 'card' && marker.key === ISSUE_CARD_KEY,
  );
  if (old === undefined || card === null || facts.pull.kind === 'unknown' || isOver(state)) return null;
  const body = renderOwnedIssueCard(state.run, card.comment);
  if (isSameContent(old.body, body) || !canTry(memory, 'issue-card', 1)) return null;
  return perform('issue-card', { kind: 'edit-comment', thread: old.thread, comment: old.id, body });
}

/** Recording that the card was shown must not edit the card, which would have to be shown again. */
function isOnlyShowing({ head, shown }: RunState, { fields, isIntact }: VerifiedMarker): boolean {
  return isIntact && head.seq === shown?.seq && Number(fields['head']?.split(':')[0]) === head.seq - 1;
}

/** Phase changes edit the card immediately, progress only periodically (docs/decisions/0115-derive-every-post-from-the-record.md). */
function mayEditCard(input: PublishInput, card: PostedCard): boolean {
  if (!card.marker.isIntact || card.marker.fields['phase'] !== runPhase(input.state)) return true;
  if (isOver(input.state)) return true;
  // These changes make the card wrong, not only old.
  const { description, watch, rental } = input.state;
  const goneAt = rental.machines.map(({ tearDown }) => tearDown?.endedAt);
  const changedAt = [description?.at, findLaunchTrouble(input.state)?.at, watch.ended?.at, ...goneAt].map(
    (at) => fromRfc3339(at ?? '') ?? 0,
  );
  // GitHub's times are whole seconds: a card with the same second may be older.
  if (card.comment.updatedAt <= Math.max(...changedAt)) return true;
  // A recent comment already showed the run's progress.
  const { firstEval, firstTracker } = input.state;
  const toldAt = [firstEval, firstTracker].map((one) => fromRfc3339(one?.at ?? '') ?? 0);
  return input.now - Math.max(card.comment.updatedAt, ...toldAt) >= CARD_PERIOD_MS;
}

/** Ticks ferrybot's outcome boxes. A person's manual change is overwritten at most once per phase. */
function decideTick(input: PublishInput): Step | null {
  const { state, facts, memory } = input;
  // Both boxes in one edit after the first observation, to save content writes. Never edit a person's own description.
  if (state.observation === null || state.proposal.own !== undefined || !mayPublish(input)) return null;
  if (facts.pull.kind === 'unknown' || facts.pull.value.state !== 'open' || facts.body.kind === 'unknown') return null;
  const wanted = {
    // rule DF-20
    'human approval': state.order !== null && state.order.status !== 'void',
    'monitoring loop started': true,
  };
  const body = tickBoxes(facts.pull.value.body, facts.body.value.boxes, wanted);
  const key = `ticks:${runPhase(state)}`;
  if (body === null || !canTry(memory, key, 1)) return null;
  const { number, bodyDigest: expected } = facts.pull.value;
  return perform(key, { kind: 'edit-issue', issue: number, expected, body, state: null });
}

/** The body with the wanted boxes ticked; null if nothing changes. A tick is never removed. */
function tickBoxes(body: string, boxes: BodyFacts['boxes'], wanted: Readonly<Record<string, boolean>>): string | null {
  const lines = body.split('\n');
  const open = boxes.filter((box) => !box.checked && wanted[box.text] === true);
  for (const box of open) {
    const line = lines[box.line - 1];
    if (line !== undefined) lines[box.line - 1] = line.replace(/\[ \]/, '[x]');
  }
  const next = lines.join('\n');
  return next === body ? null : next;
}

/** Annotations on the changed file at the PR's head; none after the launch. */
function listAnnotations({ state, facts, config }: PublishInput): readonly Annotation[] {
  if (!isBeforeLaunch(state) || facts.change.kind === 'unknown' || facts.body.kind === 'unknown') return [];
  const path = config.kind.proposals?.change?.file(config.lane);
  if (path === undefined) return [];
  const { delta } = facts.change.value;
  switch (delta.kind) {
    case 'none':
    case 'knobs':
      return facts.body.value.mismatches.map((mismatch) => ({
        path,
        line: mismatch.fileLine ?? 1,
        level: 'failure',
        ...renderMismatch(mismatch, threadKind(state)),
      }));
    case 'structural':
    case 'unparsable':
      return delta.side === 'head'
        ? [{ path, line: delta.line, level: 'failure', ...renderUnreadableDelta(delta) }]
        : [];
    default:
      return assertNever(delta);
  }
}
