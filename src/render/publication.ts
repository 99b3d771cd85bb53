/** Every pending comment of a run's threads, by kind. */

import { stateAtIncident } from '../domain/launch/next-attempt.ts';
import { findFixMade } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { DropReason } from '../domain/logbook/events/launch-events.ts';
import { awaitsAdoption, isAdopted } from '../domain/logbook/holdings.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { RunCommentKind } from '../domain/marker.ts';
import { compareIdentity } from '../domain/tracker.ts';
import { assertNever } from '../domain/values.ts';
import { renderActionByKey } from './action.ts';
import { renderAnswer } from './answer.ts';
import { renderEnded } from './card.ts';
import { APPROVAL_FAULT_WORDS } from './gate-words.ts';
import type { RenderInput } from './input.ts';
import { commandText, describeOtherJobs, jobTable, progressText, trackerName } from './job-table.ts';
import { renderNextStep } from './next-step.ts';
import { renderIncident, renderNotice } from './notice.ts';
import { renderRentalReport } from './rental-words.ts';
import {
  code,
  comment,
  fenced,
  formatHead,
  isFerry,
  jobWords,
  joinAnd,
  link,
  measured,
  nonEmpty,
  paragraphs,
  person,
  shortDigest,
  table,
  text,
  utc,
} from './words.ts';

/** What to post: `key` names the comment that is answered (`<surface>-<id>`) or the event's sequence number. */
export type PublicationView = { readonly kind: RunCommentKind; readonly key: string };

/** The comment's source. Throws if the record has no such event: the outbox reads the same record. */
export function renderPublication(publication: PublicationView, input: RenderInput): string {
  const { kind, key } = publication;
  const fields = { head: formatHead(input.state, 12) };
  return comment({ run: input.state.run, kind, key, fields }, CONTENT_RENDERERS[kind](key, input));
}

/** The comment for this entry about a change of the cluster. */
export function actionCommentText(key: string, state: RunState): string {
  const fields = { head: formatHead(state, 12) };
  return comment({ run: state.run, kind: 'action', key, fields }, renderActionByKey(key, state));
}

function stateOfPublication(key: string, { state }: RenderInput): RunState {
  return stateAtIncident(state, Number(key));
}

const CONTENT_RENDERERS: Readonly<Record<RunCommentKind, (key: string, input: RenderInput) => string>> = {
  answer: renderAnswer,
  launch: (key, input) => renderLaunch(stateOfPublication(key, input)),
  'first-eval': (key, input) => renderFirstEval(stateOfPublication(key, input)),
  tracker: (key, input) => renderFirstTracker(stateOfPublication(key, input)),
  incident: (key, { state }) => renderIncident(key, state),
  action: (key, { state }) => renderActionByKey(key, state),
  drop: renderDrop,
  ended: (key, input) => renderEnded({ ...input, state: stateOfPublication(key, input) }),
  notice: renderNotice,
  sealed: (_, input) => renderSealed(input),
  closed: (_, input) => renderClosed(input),
};

function renderClosed({ state, past }: RenderInput): string {
  const { closed } = state;
  if (closed === null) throw new Error('a closing comment without a close');
  return paragraphs(
    `**Closed** at ${utc(closed.at)}: ${describeOutcome(closed.outcome, state)}`,
    nonEmpty(
      closed.reason !== '' && `- Reason: ${text(closed.reason)}`,
      ...renderRecordLines(state, closed.closurePull),
      isFerry(state) && TOMORROW,
    ).join('\n'),
    renderRentalReport(state, past),
  );
}

const TOMORROW =
  '- Tomorrow: the next ferry can be proposed. It starts from the configuration of the last sealed pass, and its interval from the last ferry that was launched.';

function renderRecordLines(state: RunState, closurePull: number | null): readonly string[] {
  return nonEmpty(
    closurePull !== null && `- Log-only pull request: #${closurePull}, to be merged`,
    `- Record: ${code(formatHead(state, 64))}`,
  );
}

function describeOutcome(outcome: EventDataByType['closed']['outcome'], state: RunState): string {
  const { end } = state;
  switch (outcome) {
    case 'failed':
      return 'the job FAILED. There is no tag.';
    case 'rejected':
      return end === null
        ? 'the proposal was rejected. Nothing was launched.'
        : `the job ${end.status} and its result was not accepted. There is no tag.`;
    case 'withdrawn':
      if (awaitsAdoption(state)) return 'the job was not adopted. It continues, and its log was not read.';
      return end === null
        ? 'the proposal was withdrawn. Nothing was launched.'
        : `the next attempt was withdrawn before it was launched; attempt ${end.attempt} ${end.status}. There is no tag.`;
    case 'lost':
      return 'the result of the job is unknown, and a person gave it up. There is no tag.';
    case 'unsealed':
      if (isAdopted(state)) return `the adopted job has ended ${end?.status ?? 'somehow'}. There is no tag.`;
      return 'there was no decision within the time limit of the lane, so it closed itself as not sealed. There is no tag.';
    default:
      return assertNever(outcome);
  }
}

/** Reports the drop with the sequence number `key`: why the approval no longer counts, and how to approve the current manifest. */
function renderDrop(key: string, input: RenderInput): string {
  const { state } = input;
  const drop = state.drops.find(({ seq }) => String(seq) === key);
  if (drop === undefined) throw new Error(`no dropped approval ${key} in ${state.run}`);
  const why = DROP_REASON_TEXTS[drop.data.reason];
  const who = drop.data.users.map((id) => approverName(id, input));
  const whose = who.length === 1 ? 'The approval' : 'The approvals';
  return `**${whose} by ${joinAnd(who)} no longer count${who.length === 1 ? 's' : ''}:** ${why}. It was given to manifest \`${shortDigest(drop.data.digest)}\`.

**Wanted now: ${renderNextStep(input)}**`;
}

/** The person's name from a recorded command; otherwise the numeric id, which is what counts. */
function approverName(id: number, { state }: RenderInput): string {
  const known = [...state.commands.values()].find((command) => command.actor.id === id);
  return known === undefined ? text(`user ${id}`) : person(known.actor);
}

const DROP_REASON_TEXTS: Readonly<Record<DropReason, string>> = {
  ...APPROVAL_FAULT_WORDS,
  'manifest-changed': 'what would run, or the text around it, is not what was approved any more',
  'gate-fails': 'a launch gate does not pass any more',
  'runner-refused': 'the runner refused the order that rested on it',
  revoked: 'it was taken back',
  held: 'the run was put on hold',
};

function attemptSuffix({ run, submission }: RunState): string {
  return `${code(run)}${submission === null ? '' : `, attempt ${submission.attempt}`}`;
}

function renderFirstEval(state: RunState): string {
  const { firstEval } = state;
  if (firstEval === null) throw new Error('a first-eval comment without an eval');
  const rows = Object.entries(firstEval.evals).map(([key, value]) => [code(key), measured(value)]);
  return paragraphs(
    `**First eval** of ${attemptSuffix(state)}, seen ${utc(firstEval.at)} at ${progressText(firstEval.step, firstEval.totalSteps)}.`,
    table(['Eval', 'Value'], rows),
  );
}

/** The trackers of the attempt, from the first check that found any; each is compared with the approved identity. */
function renderFirstTracker(state: RunState): string {
  const { firstTracker, order } = state;
  if (firstTracker === null) throw new Error('a link to the tracker without one');
  const intended = order?.manifest?.tracker.runId ?? '';
  const links = firstTracker.trackers
    .slice(0, limits.shownNamesMax)
    .map(({ id, url }) => `${link(`${trackerName(url)} run ${id}`, url)}${describeIdentity(intended, id)}`);
  return `**Training of ${attemptSuffix(state)}** can be followed in ${joinAnd(links)}.`;
}

/** Metrics can be plausible although they belong to another run. */
function describeIdentity(intended: string, id: string): string {
  if (intended === '') return '';
  switch (compareIdentity(intended, id)) {
    case 'same':
      return ', the run that was approved';
    case 'other':
      return `, which is **not** ${code(intended)}, the run that was approved`;
    case 'made-up':
      return ', an id that the tracker made up';
  }
}

/** All that the policy requires (policy DF-24): job id, cluster, links, time, commit, manifest, approvers and the scrubbed command. */
function renderLaunch(state: RunState): string {
  const { submission } = state;
  if (submission === null) throw new Error('a launch comment without a submission');
  return paragraphs(
    `**Launched:** ${jobWords(submission)} on ${code(submission.cluster)}. \`/stop\` ends the job; if this thread is gone, \`/stop run=${state.run}\` in any thread of this repository does.`,
    // rule DF-24
    jobTable(state, submission),
    renderApprovedBy(state),
    `Exact command (scrubbed):\n\n${fenced(commandText(submission.command), limits.shownBlockCharsMax)}`,
  );
}

function renderApprovedBy(state: RunState): string {
  const { order, approvals } = state;
  const ids = new Set(order?.order.approvals.map((approval) => approval.user) ?? []);
  const named = new Map(approvals.filter((a) => ids.has(a.actor.id)).map((a) => [a.actor.id, a.actor]));
  const who = joinAnd([...named.values()].map(person)) || 'no recorded person';
  const by = order?.order.preApprovedBy;
  if (by === undefined) return `Approved by ${who}.`;
  return paragraphs(
    `Approved by ${who} with manifest ${code(shortDigest(by))}, which permits one automatic fix. ferrybot asked for no approval of this diff:`,
    fenced(findFixMade(state)?.detail.diff ?? '', limits.shownBlockCharsMax),
  );
}

function renderSealed({ state, past }: Pick<RenderInput, 'state' | 'past'>): string {
  const { seal, submission } = state;
  if (seal === null) throw new Error('a seal comment without a seal');
  const { checkpoint, verdict } = seal;
  const how = verdict === 'pass' ? 'as a pass' : `accepted with the reason: ${text(seal.accept ?? '')}`;
  return paragraphs(
    `**Sealed** by ${person(seal.actor)} at ${utc(seal.at)}, ${how}.`,
    nonEmpty(
      `- Tag: ${code(seal.tag)} on launch commit ${seal.commit}`,
      checkpoint !== undefined &&
        `- Final checkpoint: ${code(checkpoint.path)}, step ${checkpoint.step}; not checked: ${text(checkpoint.unseen.join(', '))}`,
      ...renderRecordLines(state, seal.closurePull),
      ...(isFerry(state) ? [renderTomorrow(state, verdict)] : finishedLines(state)),
    ).join('\n'),
    isFerry(state)
      ? null
      : `Launch command (scrubbed):\n\n${fenced(commandText(submission?.command ?? []), limits.shownBlockCharsMax)}`,
    describeOtherJobs(state),
    renderRentalReport(state, past),
  );
}

function renderTomorrow({ proposal }: RunState, verdict: 'pass' | 'accepted'): string {
  return verdict === 'pass'
    ? `- Tomorrow: the next ferry starts from this configuration. A knob that ${code(proposal.baseBranch)} sets in the meantime is taken from there, and the proposal shows both.`
    : '- Tomorrow: the next ferry starts from the last sealed pass, and not from this accepted configuration. `/propose` can use its values by name.';
}

/** What the policy requires of a finished run: its end, its locations, and its command (policy HR-67). */
function finishedLines({ end, order }: RunState): readonly string[] {
  const manifest = order?.manifest ?? null;
  const metrics = Object.entries(end?.metrics ?? {}).map(([key, value]) => `${code(key)} ${measured(value)}`);
  return [
    `- Ended: ${end?.status ?? 'not known'} at step ${end?.lastStep ?? 'not known'} of ${end?.totalSteps ?? 'not known'}`,
    // rule HR-67
    `- Final metrics: ${metrics.length === 0 ? 'none were seen' : metrics.join(', ')}`,
    `- Tracker: ${trackerLine(end?.trackers.at(-1), manifest?.tracker.runId ?? '')}`,
    `- Output root: ${code(manifest?.outputRoot ?? '')}`,
  ];
}

/** The run that received the metrics; the planned one if none was seen. */
function trackerLine(seen: { readonly id: string; readonly url: string } | undefined, planned: string): string {
  if (seen === undefined) return planned === '' ? 'none' : `${code(planned)}, as planned; none was seen`;
  const found = link(`${trackerName(seen.url)} run ${seen.id}`, seen.url);
  return compareIdentity(planned, seen.id) === 'same' || planned === ''
    ? found
    : `${found}; planned was ${code(planned)}`;
}
