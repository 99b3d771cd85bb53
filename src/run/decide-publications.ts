/** Decides what to publish next: pending comments, then the check run, the card, and the outcome boxes of the PR body. */

import type { Annotation } from '../domain/effect.ts';
import type { BodyFacts, CommentFacts, RunFacts } from '../domain/facts.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { launchTrouble } from '../domain/launch/relaunch.ts';
import { limits } from '../domain/limits.ts';
import { phaseOf } from '../domain/logbook/job-state.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import {
  knownEntry,
  markerIdentity,
  saysForControl,
  saysTheSame,
  type VerifiedMarker,
} from '../domain/marker.ts';
import { need } from '../domain/need.ts';
import type { RunVerdict } from '../domain/past-runs.ts';
import { assertNever, type Digest, fromRfc3339, type Instant } from '../domain/values.ts';
import { renderCard } from '../render/card.ts';
import { checkConclusion, renderCheck, renderMismatch, renderUnreadableDelta } from '../render/check.ts';
import type { RenderInput } from '../render/input.ts';
import { renderPublication } from '../render/publication.ts';
import { placeWord } from '../render/words.ts';
import { recordedApprovalVerdicts } from './approvals.ts';
import { isCardLeft, needsShowing } from './decide-shown.ts';
import { pastOf } from './lane-history.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { isOpenProposal } from './proposal-texts.ts';
import {
  isHeadOurs,
  isOpenToAll,
  isShared,
  mayPost,
  type Publication,
  publicationsOf,
} from './publications.ts';
import { type AttemptCache, isDone, mayTry, perform, type Step } from './step.ts';

/** Minimum time between card edits without a phase change (docs/decisions/0115-derive-every-post-from-the-record.md). */
const CARD_PERIOD_MS = 30 * 60 * 1_000;
/** Each run's share of 200 card edits per hour, out of GitHub's limit of 500 content writes. */
const CARD_PERIOD_PER_RUN_MS = 18_000;

/** A process that only posts reads no pull request: `pull` is unknown. */
type PublishedOn = Pick<
  RunFacts,
  'comments' | 'recordedRuns' | 'proposalTexts' | 'pull' | 'checks' | 'body' | 'workflowRuns'
>;

export type PublishInput = {
  readonly state: RunState;
  readonly facts: PublishedOn;
  readonly config: LaneScopedConfig;
  readonly repository: string;
  readonly now: Instant;
  readonly memory: AttemptCache;
  readonly verdict: RunVerdict | null;
  readonly activeRuns: number;
  readonly annotations: readonly Annotation[];
  /** Only comments of these kinds: there is no room for other texts. */
  readonly only?: readonly Publication['kind'][] | undefined;
};

/** The next comment; null when the threads tell all that the record has to be told. */
export function decideComments(input: PublishInput): Step | null {
  const ours = ownComments(input);
  return ours === null ? null : nextComment(input, ours);
}

/** The next edit of what shows the run's state: the check run, the card, the boxes. */
export function decideCard(input: PublishInput): Step | null {
  const ours = ownComments(input);
  if (ours === null) return null;
  return nextCheck(input, ours) ?? nextCard(input, ours) ?? nextTick(input);
}

function ownComments({ facts: { comments } }: PublishInput): readonly CommentFacts[] | null {
  return comments.kind === 'unknown' ? null : comments.value.filter(({ marker }) => marker !== null);
}

function keyOf({ kind, key }: Pick<Publication, 'kind' | 'key'>): string {
  return `publish:${kind}:${key}`;
}

/** Texts depend only on the record and the config, so every process renders the same. */
function viewOf({ state, config, verdict, facts }: PublishInput): RenderInput {
  const past = pastOf(facts.recordedRuns, config.lanes);
  return { state, config, verdict, approvals: recordedApprovalVerdicts(state, config), past };
}

function nextComment(input: PublishInput, ours: readonly CommentFacts[]): Step | null {
  const wordsOf: WordsOf = (publication) => renderPublication(publication, viewOf(input));
  const isControl = input.facts.pull.kind === 'known';
  for (const { marker, ...publication } of owedComments(input.state, ours, isControl ? wordsOf : null)) {
    if (input.only?.includes(publication.kind) === false) continue;
    const key = tryOf(input, publication);
    if (!mayPost(publication, input.memory, input.now) || !mayTry(input.memory, key, limits.effectTriesMax))
      continue;
    const proposal = proposalOf(input.state, publication);
    const text = proposal === null ? null : input.facts.proposalTexts.get(proposal);
    if (proposal !== null && text === undefined) return need({ fact: 'proposalTexts', of: proposal });
    // A proposal comment that lost its marker is rewritten in place.
    if (text?.kind === 'known' && text.value !== null) continue;
    return perform(key, {
      kind: 'post-comment',
      thread: publication.thread,
      marker,
      body: wordsOf(publication),
      entry: { seq: publication.seq, role: publication.role },
      ...(publication.summons === undefined ? {} : { summons: publication.summons }),
      isShared: isShared(publication, input.memory, input.now),
    });
  }
  return null;
}

/** The open proposal that this comment shows, or null. */
function proposalOf({ actions }: RunState, { kind, seq }: Publication): Digest | null {
  const one = kind === 'action' ? actions.find((action) => action.seq === seq) : undefined;
  return one !== undefined && isOpenProposal(one) ? one.digest : null;
}

/** A deleted proposal comment is reposted hourly; other comments are posted once. */
function tryOf({ now, state }: PublishInput, publication: Publication): string {
  const key = keyOf(publication);
  const periods = Math.floor((now - (fromRfc3339(publication.at) ?? now)) / limits.textRestoresPeriodMs);
  return proposalOf(state, publication) !== null && periods > 0 ? `${key}:${periods}` : key;
}

/** Identifies the check run's content; the card stores it to avoid a lookup. */
function checkKeyOf(state: RunState): string {
  return `${phaseOf(state)}.${state.gate?.commit.slice(0, 12) ?? 'none'}.${state.gate?.seq ?? 0}`;
}

/** The watch reads no pull request: it only reports the end, in a check run that its own App created. */
function nextCheck(input: PublishInput, ours: readonly CommentFacts[]): Step | null {
  const { state, facts, memory } = input;
  const isWatch = facts.pull.kind === 'unknown';
  if (state.gate === null) return null;
  if (isWatch && (state.end === null || cardOf(state, ours)?.comment.byOwnApp !== true)) return null;
  const key = `check:${checkKeyOf(state)}`;
  if (isCheckTold(input, ours)) return null;
  if (!mayTry(memory, key, limits.effectTriesMax) || !(isSettled(input) || state.end !== null)) return null;
  const { title, summary } = renderCheck(viewOf(input));
  return perform(key, {
    kind: 'put-check-run',
    head: state.gate.commit,
    title,
    summary,
    conclusion: checkConclusion(state),
    annotations: input.annotations,
    externalId: state.run,
    existing: existingCheckRun(input, state.gate.commit),
    ...(isWatch ? { onlyOwn: true } : {}),
  });
}

function isCheckTold({ state, memory }: PublishInput, ours: readonly CommentFacts[]): boolean {
  const wanted = checkKeyOf(state);
  return cardOf(state, ours)?.marker.fields['check'] === wanted || isDone(memory, `check:${wanted}`);
}

/** The check run's content according to the card, which may be outdated. */
function rememberedCheck(input: PublishInput, ours: readonly CommentFacts[]): string {
  if (isCheckTold(input, ours)) return checkKeyOf(input.state);
  return cardOf(input.state, ours)?.marker.fields['check'] ?? 'none';
}

/** The id of the check run on this commit, as far as the threads show it. */
function existingCheckRun({ facts: { pull, checks } }: PublishInput, commit: string): number | null {
  if (checks.kind === 'unknown' || pull.kind === 'unknown' || pull.value.headSha !== commit) return null;
  return checks.value.find(({ id }) => id !== undefined)?.id ?? null;
}

type StandingCard = { readonly comment: CommentFacts; readonly marker: VerifiedMarker };

function cardOf(state: RunState, ours: readonly CommentFacts[]): StandingCard | null {
  for (const comment of ours) {
    const { marker } = comment;
    if (marker !== null && marker.kind === 'card' && marker.run === state.run) return { comment, marker };
  }
  return null;
}

/** Otherwise the process that wrote the newest event is still publishing. */
function isSettled(input: PublishInput): boolean {
  const { head } = input.state;
  return (
    input.memory.appended.has(head.seq) ||
    isOpenToAll(head.at, input.now) ||
    isHeadOurs(input.state, input.memory)
  );
}

function nextCard(input: PublishInput, ours: readonly CommentFacts[]): Step | null {
  const { state, memory } = input;
  const key = `card:${state.head.seq}`;
  if (!isSettled(input) || isCardLeft(state, input.now) || !mayTry(memory, key, limits.effectTriesMax))
    return null;
  const check = rememberedCheck(input, ours);
  const body = renderCard({ ...viewOf(input), check });
  const card = cardOf(state, ours);
  if (card === null) {
    const lost = spoiledCard(input);
    if (lost !== null)
      return perform(key, { kind: 'edit-comment', thread: lost.thread, comment: lost.id, body });
    const marker = markerIdentity({ run: state.run, kind: 'card', key: 'card' });
    // Ignore a remembered card that a person deleted.
    const first = [...memory.outcomes].some(
      ([k, o]) => k.startsWith('card:') && o.kind === 'done' && o.number !== state.cardEdit?.comment,
    );
    return first
      ? null
      : perform(key, {
          kind: 'post-comment',
          thread: state.proposal.pull,
          marker,
          body,
          isShared: isShared(state.head, memory, input.now),
        });
  }
  if (!needsShowing(state, card.comment)) {
    const isSaid = card.marker.isIntact && saysTheSame(card.comment.body, body);
    if (isSaid || isOnlyShown(state, card.marker) || !mayEditCard(input, card)) return null;
  }
  const { id, thread, nodeId, minimized } = card.comment;
  const hidden = minimized && isBeforeLaunch(state) ? { hidden: nodeId } : {};
  return perform(key, { kind: 'edit-comment', thread, comment: id, body, ...hidden });
}

/** The card whose marker a person damaged; it is rewritten in place. */
function spoiledCard({ state, facts }: PublishInput): CommentFacts | null {
  if (state.cardEdit === null || facts.comments.kind === 'unknown') return null;
  const { comment } = state.cardEdit;
  return (
    facts.comments.value.find(({ surface, id, byUs }) => byUs && surface === 'comment' && id === comment) ??
    null
  );
}

/** Recording that the card was shown must not edit the card, which would have to be shown again. */
function isOnlyShown({ head, shown }: RunState, { fields, isIntact }: VerifiedMarker): boolean {
  return isIntact && head.seq === shown?.seq && Number(fields['head']?.split(':')[0]) === head.seq - 1;
}

/** Phase changes edit the card immediately, progress only periodically (docs/decisions/0115-derive-every-post-from-the-record.md). */
function mayEditCard(input: PublishInput, card: StandingCard): boolean {
  if (!card.marker.isIntact || card.marker.fields['phase'] !== phaseOf(input.state)) return true;
  if (isOver(input.state)) return true;
  // These changes make the card wrong, not only old.
  const { description, watch, rental } = input.state;
  const goneAt = rental.machines.map(({ tearDown }) => tearDown?.endedAt);
  const changedAt = [description?.at, launchTrouble(input.state)?.at, watch.ended?.at, ...goneAt].map(
    (at) => fromRfc3339(at ?? '') ?? 0,
  );
  // GitHub's times are whole seconds: a card of the same second may be older.
  if (card.comment.updatedAt <= Math.max(...changedAt)) return true;
  const periodMs = Math.max(CARD_PERIOD_MS, input.activeRuns * CARD_PERIOD_PER_RUN_MS);
  // A recent comment already showed the run's progress.
  const { firstEval, firstTracker } = input.state;
  const toldAt = [firstEval, firstTracker].map((one) => fromRfc3339(one?.at ?? '') ?? 0);
  return input.now - Math.max(card.comment.updatedAt, ...toldAt) >= periodMs;
}

/** Ticks ferrybot's outcome boxes. A person's manual change is overwritten at most once per phase. */
function nextTick(input: PublishInput): Step | null {
  const { state, facts, memory } = input;
  // Both boxes in one edit after the first observation, to save content writes. Never edit a person's own description.
  if (state.observation === null || state.proposal.own !== undefined || !isSettled(input)) return null;
  if (facts.pull.kind === 'unknown' || facts.pull.value.state !== 'open' || facts.body.kind === 'unknown')
    return null;
  const wanted = {
    // rule DF-20
    'human approval': state.order !== null && state.order.status !== 'void',
    'monitoring loop started': true,
  };
  const body = tickedBody(facts.pull.value.body, facts.body.value.boxes, wanted);
  const key = `ticks:${phaseOf(state)}`;
  if (body === null || !mayTry(memory, key, 1)) return null;
  const { number, bodyDigest: expected } = facts.pull.value;
  return perform(key, { kind: 'edit-pull-body', pull: number, expected, body });
}

/** Null if nothing changes. A tick is never removed. */
function tickedBody(
  body: string,
  boxes: BodyFacts['boxes'],
  wanted: Readonly<Record<string, boolean>>,
): string | null {
  const lines = body.split('\n');
  const open = boxes.filter((box) => !box.checked && wanted[box.text] === true);
  for (const box of open) {
    const line = lines[box.line - 1];
    if (line !== undefined) lines[box.line - 1] = line.replace(/\[ \]/, '[x]');
  }
  const next = lines.join('\n');
  return next === body ? null : next;
}

type OwedPublication = Publication & { readonly marker: string };

type WordsOf = (publication: Publication) => string;

/**
 * `wordsOf` is set if control asks: its own events need control's seal or exactly its text. Null for other processes, which accept any
 * verified text.
 */
function owedComments(
  state: RunState,
  comments: readonly CommentFacts[],
  wordsOf: WordsOf | null,
): readonly OwedPublication[] {
  const standing = Map.groupBy(comments, ({ marker }) => (marker === null ? null : markerIdentity(marker)));
  return publicationsOf(state)
    .map((one) => ({ ...one, marker: markerIdentity({ run: state.run, kind: one.kind, key: one.key }) }))
    .filter((one) => !(standing.get(one.marker) ?? []).some((comment) => tells(comment, one, wordsOf)));
}

/** Entry numbers are predictable, contents are not: a text older than its entry cannot report it. */
function tells({ marker, body }: CommentFacts, publication: Publication, wordsOf: WordsOf | null): boolean {
  if (marker === null || knownEntry(marker) < publication.seq) return false;
  if (wordsOf === null || publication.role !== 'control') return true;
  return marker.role === 'control' || saysForControl(marker, body, wordsOf(publication));
}

/** Annotations on the changed file at the PR's head; none after the launch. */
export function annotationsOf(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
): readonly Annotation[] {
  if (!isBeforeLaunch(state) || facts.change.kind === 'unknown' || facts.body.kind === 'unknown') return [];
  const path = config.kind.proposes?.change?.file(config.lane);
  if (path === undefined) return [];
  const { delta } = facts.change.value;
  switch (delta.kind) {
    case 'none':
    case 'knobs':
      return facts.body.value.mismatches.map((mismatch) => ({
        path,
        line: mismatch.fileLine ?? 1,
        level: 'failure',
        ...renderMismatch(mismatch, placeWord(state)),
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
