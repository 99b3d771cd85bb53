/** Decides what to publish next: comments that are owed, then the check run, the card, and the outcome boxes of the PR body. */

import type { Annotation } from '../domain/effect.ts';
import type { BodyFacts, CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { Incident } from '../domain/incidents.ts';
import { launchTrouble } from '../domain/launch/launch-trouble.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { markerIdentity, saysTheSame, type VerifiedMarker } from '../domain/marker.ts';
import { need } from '../domain/need.ts';
import type { RunVerdict } from '../domain/run-verdict.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { renderCard } from '../render/card.ts';
import { checkConclusion, renderCheck } from '../render/check.ts';
import type { RenderInput } from '../render/input.ts';
import { renderPublication } from '../render/publication.ts';
import { recordedApprovalVerdicts } from './approval-facts.ts';
import { cardLeftUntil, needsShowing } from './decide-shown.ts';
import { pastOf } from './history.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { decideWaitEdit } from './open-waits.ts';
import { owedComments, type WordsOf } from './owed-comments.ts';
import { isOpenProposal } from './proposal-texts.ts';
import { isHeadOurs, type Publication, publicationsOf } from './publications.ts';
import { type AttemptCache, isDone, mayTry, perform, type Step } from './step.ts';

/** The card is edited no oftener than this unless the state changed, for the 80 requests of a five-hour ferry (docs/decisions/0021-how-often-the-card-moves.md). */
const CARD_PERIOD_MS = 30 * 60 * 1_000;
/** The share of each active run in the installation's content budget: 500 writes an hour, of which cards get 200. */
const CARD_PERIOD_PER_RUN_MS = 18_000;

/** What is looked at to say it; a process that reads no pull request has `pull` unknown. */
export type PublishedOn = Pick<
  RunFacts,
  'comments' | 'recordedRuns' | 'proposalTexts' | 'pull' | 'body' | 'workflowRuns'
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
  /** What tells an incident and nothing else: where there is not room for everything. */
  readonly isAlertsAlone?: true;
};

/** The next publication, or null when the threads say what the record says. */
export function decidePublication(input: PublishInput): Step | null {
  if (input.facts.comments.kind === 'unknown') return null;
  const ours = input.facts.comments.value.filter(({ marker }) => marker !== null);
  if (input.isAlertsAlone === true) return nextComment(input, ours);
  return (
    nextComment(input, ours) ??
    nextWait(input, ours) ??
    nextCheck(input, ours) ??
    nextCard(input, ours) ??
    nextTick(input)
  );
}

/** Whether nobody owes these threads anything more: our own entry is the newest, and all that is told stands there. */
export function isAllSaid(state: RunState, comments: readonly CommentFacts[], memory: AttemptCache): boolean {
  return (
    memory.appended.has(state.head.seq) &&
    owedComments(state, comments, null).every((one) => isDone(memory, keyOf(one)))
  );
}

function keyOf({ kind, key }: Pick<Publication, 'kind' | 'key'>): string {
  return `publish:${kind}:${key}`;
}

/** What the words are made from: the record and the config, so that the same record says the same. */
function viewOf({ state, config, verdict, facts }: PublishInput): RenderInput {
  const past = pastOf(facts.recordedRuns, config.lanes);
  return { state, config, verdict, approvals: recordedApprovalVerdicts(state, config), past };
}

function nextComment(input: PublishInput, ours: readonly CommentFacts[]): Step | null {
  const wordsOf: WordsOf = (publication) => renderPublication(publication, viewOf(input));
  const isControl = input.facts.pull.kind === 'known';
  for (const { marker, ...publication } of owedComments(input.state, ours, isControl ? wordsOf : null)) {
    if (input.isAlertsAlone === true && publication.kind !== 'incident') continue;
    const key = tryOf(input, publication);
    if (!isMine(input, publication) || !mayTry(input.memory, key, limits.effectTriesMax)) continue;
    const proposal = proposalOf(input.state, publication);
    const text = proposal === null ? null : input.facts.proposalTexts.get(proposal);
    if (proposal !== null && text === undefined) return need({ fact: 'proposalTexts', of: proposal });
    // A proposal whose comment lost its first line is written anew in its place, and not beside it.
    if (text?.kind === 'known' && text.value !== null) continue;
    return perform(key, {
      kind: 'post-comment',
      thread: publication.thread,
      marker,
      body: wordsOf(publication),
      entry: { seq: publication.seq, role: publication.role },
      ...(publication.summons === undefined ? {} : { summons: publication.summons }),
      ...shared(input, publication),
    });
  }
  return null;
}

/** Control keeps the one comment of an incident that stays open up to date. */
function nextWait(input: PublishInput, ours: readonly CommentFacts[]): Step | null {
  const { state, facts, now, memory } = input;
  if (facts.pull.kind === 'unknown') return null;
  const textOf = ({ seq }: Incident): string | null => {
    const told = publicationsOf(state).find((one) => one.kind === 'incident' && one.seq === seq);
    return told === undefined ? null : renderPublication(told, viewOf(input));
  };
  return decideWaitEdit({ state, facts, ours, textOf, now, memory });
}

/** What people may consent to by this comment. */
function proposalOf({ mutations }: RunState, { kind, seq }: Publication): Digest | null {
  const one = kind === 'mutation' ? mutations.find((mutation) => mutation.seq === seq) : undefined;
  return one !== undefined && isOpenProposal(one) ? one.digest : null;
}

/** What people may consent to is posted again where somebody took it away, once an hour; the rest is said once. */
function tryOf({ now, state }: PublishInput, publication: Publication): string {
  const key = keyOf(publication);
  const periods = Math.floor((now - (fromRfc3339(publication.at) ?? now)) / limits.textRestoresPeriodMs);
  return proposalOf(state, publication) !== null && periods > 0 ? `${key}:${periods}` : key;
}

/** Who appended the event is the only one for a while: the push decided that. Everybody else, and later, may not be alone. */
function shared(
  input: PublishInput,
  { seq, at }: Pick<Publication, 'seq' | 'at'>,
): { readonly isShared?: true } {
  const isFresh = input.now - (fromRfc3339(at) ?? 0) < limits.publishGraceMs;
  return input.memory.appended.has(seq) && isFresh ? {} : { isShared: true };
}

/** Who appended the event publishes it; others wait, so that two processes do not say the same thing at once. */
function isMine(input: PublishInput, publication: Publication): boolean {
  if (input.memory.appended.has(publication.seq)) return true;
  if (input.memory.speaksFor?.includes(publication.role) === true) return true;
  return input.now - (fromRfc3339(publication.at) ?? input.now) >= limits.publishGraceMs;
}

/** What the check run should say now: its own key, which the card remembers, so that it is not read every time. */
function checkKeyOf(state: RunState): string {
  return `${phaseOf(state)}.${state.gate?.commit.slice(0, 12) ?? 'none'}.${state.gate?.seq ?? 0}`;
}

/** The watch reads no pull request: it says the end alone, in the check run that its own App made, as it made the card. */
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
    existing: lastCheckRun(memory, state.gate.commit),
    ...(isWatch ? { onlyOwn: true } : {}),
  });
}

function isCheckTold({ state, memory }: PublishInput, ours: readonly CommentFacts[]): boolean {
  const wanted = checkKeyOf(state);
  return cardOf(state, ours)?.marker.fields['check'] === wanted || isDone(memory, `check:${wanted}`);
}

/** What the card remembers of the check run: what stands there, which may be what it said before. */
function rememberedCheck(input: PublishInput, ours: readonly CommentFacts[]): string {
  if (isCheckTold(input, ours)) return checkKeyOf(input.state);
  return cardOf(input.state, ours)?.marker.fields['check'] ?? 'none';
}

/** The check run on this commit that this process made or found. */
function lastCheckRun(memory: AttemptCache, commit: string): number | null {
  const done = [...memory.outcomes].filter(
    ([key, outcome]) =>
      key.startsWith('check:') && key.includes(commit.slice(0, 12)) && outcome.kind === 'done',
  );
  const last = done.at(-1)?.[1];
  return last?.kind === 'done' ? last.number : null;
}

type StandingCard = { readonly comment: CommentFacts; readonly marker: VerifiedMarker };

function cardOf(state: RunState, ours: readonly CommentFacts[]): StandingCard | null {
  for (const comment of ours) {
    const { marker } = comment;
    if (marker !== null && marker.kind === 'card' && marker.run === state.run) return { comment, marker };
  }
  return null;
}

/** The newest event is ours or has aged: another process that wrote it is still publishing. */
function isSettled(input: PublishInput): boolean {
  const { head } = input.state;
  return (
    isHeadOurs(input.state, input.memory) ||
    input.memory.appended.has(head.seq) ||
    input.now - (fromRfc3339(head.at) ?? 0) >= limits.publishGraceMs
  );
}

function nextCard(input: PublishInput, ours: readonly CommentFacts[]): Step | null {
  const { state, memory } = input;
  if (!isSettled(input)) return null;
  const check = rememberedCheck(input, ours);
  const body = renderCard({ ...viewOf(input), check });
  const card = cardOf(state, ours);
  const key = `card:${state.head.seq}`;
  if (cardLeftUntil(state, input.now) !== null) return null;
  if (!mayTry(memory, key, limits.effectTriesMax)) return null;
  if (card === null) {
    const lost = spoiledCard(input);
    if (lost !== null)
      return perform(key, { kind: 'edit-comment', thread: lost.thread, comment: lost.id, body });
    const marker = markerIdentity({ run: state.run, kind: 'card', key: 'card' });
    // One that somebody else took away is not the one that this process remembers.
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
          ...shared(input, state.head),
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

/** The card whose first line somebody else changed, so that it does not prove itself any more: it is ours to write anew. */
function spoiledCard({ state, facts }: PublishInput): CommentFacts | null {
  if (state.cardEdit === null || facts.comments.kind === 'unknown') return null;
  const { comment } = state.cardEdit;
  return (
    facts.comments.value.find(({ surface, id, byUs }) => byUs && surface === 'comment' && id === comment) ??
    null
  );
}

/** That the card was shown is nothing that it has to tell: editing it would be one more text to be shown. */
function isOnlyShown({ head, shown }: RunState, { fields, isIntact }: VerifiedMarker): boolean {
  return isIntact && head.seq === shown?.seq && Number(fields['head']?.split(':')[0]) === head.seq - 1;
}

/**
 * Progress is edited in place now and then; a change of phase at once (docs/decisions/0021-how-often-the-card-moves.md). What the card remembers of
 * the check run is in no hurry: who forgets it writes the check run once more.
 */
function mayEditCard(input: PublishInput, card: StandingCard): boolean {
  if (!card.marker.isIntact || card.marker.fields['phase'] !== phaseOf(input.state)) return true;
  if (isOver(input.state)) return true;
  // These make a card wrong and not only old: the cluster described the job, the launch failed, the watch ended, a
  // machine is gone.
  const { description, watch, rental } = input.state;
  const goneAt = rental.machines.map(({ tearDown }) => tearDown?.endedAt);
  const changedAt = [description?.at, launchTrouble(input.state)?.at, watch.ended?.at, ...goneAt].map(
    (at) => fromRfc3339(at ?? '') ?? 0,
  );
  // GitHub's times are whole seconds: a card of the same second may be the older one.
  if (card.comment.updatedAt <= Math.max(...changedAt)) return true;
  const periodMs = Math.max(CARD_PERIOD_MS, input.activeRuns * CARD_PERIOD_PER_RUN_MS);
  // Where a comment has just told of the run, people have seen how it is.
  const { firstEval, firstTracker } = input.state;
  const toldAt = [firstEval, firstTracker].map((one) => fromRfc3339(one?.at ?? '') ?? 0);
  return input.now - Math.max(card.comment.updatedAt, ...toldAt) >= periodMs;
}

/** Outcome boxes are ferrybot's own to tick; a box that a person ticked or unticked by hand is not fought over more than once a phase. */
function nextTick(input: PublishInput): Step | null {
  const { state, facts, memory } = input;
  if (facts.pull.kind === 'unknown' || facts.pull.value.state !== 'open' || facts.body.kind === 'unknown')
    return null;
  // Somebody's own text is theirs, its boxes too.
  if (state.proposal.own !== undefined) return null;
  const wanted = {
    // rule DF-20
    'human approval': state.order !== null && state.order.status !== 'void',
    'monitoring loop started': state.observation !== null,
  };
  const body = tickedBody(facts.pull.value.body, facts.body.value.boxes, wanted);
  const key = `ticks:${phaseOf(state)}`;
  // Both boxes in one edit, once the watch has looked: each edit of the body is a content write.
  if (body === null || state.observation === null || !isSettled(input)) return null;
  if (!mayTry(memory, key, 1)) return null;
  const { number, bodyDigest: expected } = facts.pull.value;
  return perform(key, { kind: 'edit-pull-body', pull: number, expected, body });
}

/** The body with the wanted outcomes ticked, or null where nothing is to change. A tick is never taken away. */
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
