/** Every comment that a run's threads are owed, by kind. */

import type { Actor } from '../domain/actor.ts';
import { assertNever } from '../domain/assert.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import { stateAtEntry } from '../domain/launch/relaunch.ts';
import { fixMade } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import { awaitsAdoption, isAdopted } from '../domain/logbook/adoption.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { DropReason } from '../domain/logbook/events/launch-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { RunCommentKind } from '../domain/marker.ts';
import { compareIdentity } from '../domain/tracker.ts';
import { renderAction } from './action.ts';
import { renderAnswer } from './answer.ts';
import { APPROVAL_FAULTS } from './approval-gate-words.ts';
import { headText } from './card.ts';
import { comment } from './comment.ts';
import { renderEnded } from './ended.ts';
import type { RenderInput } from './input.ts';
import { besideText, commandText, jobTable, progressText, trackerName } from './job-table.ts';
import { renderIncident, renderNotice } from './notice.ts';
import { rentalReport } from './rental-words.ts';
import { wantedLine } from './wanted.ts';
import { code, digestHex, fenced, link, listed, paragraphs, person, table, text, utc } from './words.ts';

/** What is to be told: `key` names the comment that is answered (`<surface>-<id>`) or the event's sequence number. */
export type PublicationView = {
  readonly kind: RunCommentKind;
  readonly key: string;
};

/** The comment's source. Throws where the record has no such event: what is owed comes from the same record. */
export function renderPublication(publication: PublicationView, input: RenderInput): string {
  const { kind, key } = publication;
  const fields = { head: headText(input.state, 12) };
  return comment({ run: input.state.run, kind, key, fields }, contentOf(publication, input));
}

/** The comment for this entry about a change of the cluster. */
export function actionComment(key: string, state: RunState): string {
  const fields = { head: headText(state, 12) };
  return comment({ run: state.run, kind: 'action', key, fields }, renderAction(key, state));
}

function contentOf({ kind, key }: PublicationView, input: RenderInput): string {
  switch (kind) {
    case 'answer':
      return renderAnswer(key, input);
    case 'launch':
      return renderLaunch(stateAtEntry(input.state, Number(key)));
    case 'first-eval':
      return renderFirstEval(stateAtEntry(input.state, Number(key)));
    case 'tracker':
      return renderFirstTracker(stateAtEntry(input.state, Number(key)));
    case 'incident':
      return renderIncident(key, input.state);
    case 'action':
      return renderAction(key, input.state);
    case 'drop':
      return renderDrop(key, input);
    case 'ended':
      return renderEnded({ ...input, state: stateAtEntry(input.state, Number(key)) });
    case 'notice':
      return renderNotice(key, input);
    case 'sealed':
      return renderSealed(input);
    case 'closed':
      return renderClosed(input);
    default:
      return assertNever(kind);
  }
}

function renderClosed({ state, past }: RenderInput): string {
  const { closed } = state;
  if (closed === null) throw new Error('a closing comment without a close');
  const lines = [
    ...(closed.reason === '' ? [] : [`- Reason: ${text(closed.reason)}`]),
    ...(closed.closurePull === null ? [] : [`- Log-only pull request: #${closed.closurePull}, to be merged`]),
    `- Record: ${code(headText(state, 64))}`,
    ...(state.proposal.adopts === undefined && state.contract === null ? [TOMORROW] : []),
  ];
  return paragraphs(
    `**Closed** at ${utc(closed.at)}: ${outcomeWords(closed.outcome, state)}`,
    lines.join('\n'),
    rentalReport(state, past),
  );
}

const TOMORROW =
  '- Tomorrow: the next ferry can be proposed. It starts from the configuration of the last sealed pass, and its interval from the last ferry that was launched.';

function outcomeWords(outcome: EventDataByType['closed']['outcome'], state: RunState): string {
  const { end } = state;
  switch (outcome) {
    case 'failed':
      return 'the job FAILED. There is no tag.';
    case 'rejected':
      return end === null
        ? 'the proposal was rejected. Nothing was launched.'
        : `the job ${end.status} and its result was not accepted. There is no tag.`;
    case 'withdrawn':
      if (awaitsAdoption(state))
        return 'the job was not taken over. It goes on as it did, and nothing of its log was read.';
      return end === null
        ? 'the proposal was withdrawn. Nothing was launched.'
        : `the next attempt was withdrawn before it was launched; attempt ${end.attempt} ${end.status}. There is no tag.`;
    case 'lost':
      return 'nobody can say what became of the job, and a person gave it up. There is no tag.';
    case 'unsealed':
      if (isAdopted(state))
        return `the job that was taken over has ended ${end?.status ?? 'somehow'}. There is no tag.`;
      return 'nobody decided about it in the time that the lane gives, and it closed itself as not sealed. There is no tag.';
    default:
      return assertNever(outcome);
  }
}

/** An approval that no longer counts: why, and how to approve what is there now. The drop whose sequence number is `key`. */
function renderDrop(key: string, input: RenderInput): string {
  const { state } = input;
  const drop = state.drops.find(({ seq }) => String(seq) === key);
  if (drop === undefined) throw new Error(`no dropped approval ${key} in ${state.run}`);
  const why = WHY[drop.data.reason];
  const who = drop.data.users.map((id) => nameOf(id, input));
  const whose = who.length === 1 ? 'The approval' : 'The approvals';
  return `**${whose} by ${listed(who)} no longer count${who.length === 1 ? 's' : ''}:** ${why}. It was given to manifest \`${digestHex(drop.data.digest)}\`.

**Wanted now: ${wantedLine(input)}**`;
}

/** The person as the record named them when they commanded; otherwise the numeric id, which is what counts. */
function nameOf(id: number, { state }: RenderInput): string {
  const known = [...state.commands.values()].find((command) => command.actor.id === id);
  return known === undefined ? text(`user ${id}`) : person(known.actor);
}

const WHY: Readonly<Record<DropReason, string>> = {
  ...APPROVAL_FAULTS,
  'manifest-changed': 'what would run, or the text around it, is not what was approved any more',
  'gate-fails': 'a launch gate does not pass any more',
  'runner-refused': 'the runner refused the order that rested on it',
  revoked: 'it was taken back',
  held: 'the run was put on hold',
};

function renderFirstEval(state: RunState): string {
  const { firstEval, submission } = state;
  if (firstEval === null) throw new Error('a first-eval comment without an eval');
  const rows = Object.entries(firstEval.evals).map(([key, value]) => [code(key), text(value)]);
  const attempt = submission === null ? '' : `, attempt ${submission.attempt}`;
  return paragraphs(
    `**First eval** of ${code(state.run)}${attempt}, seen ${utc(firstEval.at)} at ${progressText(firstEval.step, firstEval.totalSteps)}.`,
    table(['Eval', 'Value'], rows),
  );
}

/** Where the attempt is followed, by the log and the tracker of the first look that said so; each link held against what was approved. */
function renderFirstTracker(state: RunState): string {
  const { firstTracker, submission, order } = state;
  if (firstTracker === null) throw new Error('a link to the tracker without one');
  const intended = order?.manifest?.tracker.runId ?? '';
  const links = firstTracker.trackers
    .slice(0, limits.shownNamesMax)
    .map(
      ({ id, url }) =>
        `${link(`${trackerName(url)} run ${id}`, url, limits.shownTextCharsMax)}${identityWords(intended, id)}`,
    );
  const attempt = submission === null ? '' : `, attempt ${submission.attempt}`;
  return `**Training of ${code(state.run)}${attempt}** can be followed in ${listed(links)}.`;
}

/** Metrics can look plausible and belong to another run. */
function identityWords(intended: string, id: string): string {
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

/** Everything that the policy asks to be posted (policy DF-24). Job id, cluster, links, time, commit, manifest, approvers and the exact scrubbed command. */
function renderLaunch(state: RunState): string {
  const { submission } = state;
  if (submission === null) throw new Error('a launch comment without a submission');
  return paragraphs(
    `**Launched:** job ${code(submission.jobId)} on ${code(submission.cluster)}. Progress is on the card in ${isIssueFirst(state.proposal) ? 'this issue' : `#${state.proposal.pull}`}; \`/stop\` ends the job, and \`/stop run=${state.run}\` does in any thread of this repository, should this one be moved away.`,
    // rule DF-24
    jobTable(state, submission),
    approvedLine(state),
    `Exact command (scrubbed):\n\n${fenced(commandText(submission.command), limits.shownBlockCharsMax)}`,
  );
}

/** What was approved beforehand is told as that. */
function approvedLine(state: RunState): string {
  const who = listed(approversOf(state).map(person)) || 'nobody on record';
  const by = state.order?.order.preApprovedBy;
  if (by === undefined) return `Approved by ${who}.`;
  const diff = fixMade(state)?.detail.diff ?? '';
  return paragraphs(
    `Approved beforehand by ${who}, with manifest ${code(digestHex(by))}, which lets a slip be put right there once. Nobody was asked again about this difference:`,
    fenced(diff, limits.shownBlockCharsMax),
  );
}

function approversOf({ order, approvals }: RunState): readonly Actor[] {
  const ids = new Set(order?.order.approvals.map((approval) => approval.user) ?? []);
  const named = new Map(approvals.filter((a) => ids.has(a.actor.id)).map((a) => [a.actor.id, a.actor]));
  return [...named.values()];
}

function renderSealed({ state, past }: Pick<RenderInput, 'state' | 'past'>): string {
  const { seal } = state;
  if (seal === null) throw new Error('a seal comment without a seal');
  const how = seal.verdict === 'pass' ? 'as a pass' : `accepted with the reason: ${text(seal.accept ?? '')}`;
  return paragraphs(
    `**Sealed** by ${person(seal.actor)} at ${utc(seal.at)}, ${how}.`,
    [
      `- Tag: ${code(seal.tag)} on launch commit ${seal.commit}`,
      ...(seal.closurePull === null ? [] : [`- Log-only pull request: #${seal.closurePull}, to be merged`]),
      ...(seal.checkpoint === undefined
        ? []
        : [
            `- Final checkpoint: ${code(seal.checkpoint.path)}, step ${seal.checkpoint.step}; not looked at: ${text(seal.checkpoint.unseen.join(', '))}`,
          ]),
      `- Record: ${code(headText(state, 64))}`,
      ...(state.contract === null ? [tomorrowLine(state, seal.verdict)] : contractLines(state)),
    ].join('\n'),
    state.contract === null
      ? null
      : `Launch command (scrubbed):\n\n${fenced(commandText(state.submission?.command ?? []), limits.shownBlockCharsMax)}`,
    besideText(state),
    rentalReport(state, past),
  );
}

function tomorrowLine({ proposal }: RunState, verdict: 'pass' | 'accepted'): string {
  return `- Tomorrow: ${verdict === 'pass' ? `the next ferry starts from this configuration. A knob that ${code(proposal.baseBranch)} sets meanwhile is taken from there, and the proposal shows both.` : 'the next ferry starts from the last sealed pass, and not from this configuration: it was accepted, and is no pass. `/propose` takes its values over by name.'}`;
}

/** What the policy wants captured of a run that is over: how it ended, where it stands, and how it was begun (policy HR-67). */
function contractLines(state: RunState): readonly string[] {
  const { end, order } = state;
  const manifest = order?.manifest ?? null;
  const metrics = Object.entries(end?.metrics ?? {}).map(([key, value]) => `${code(key)} ${text(value)}`);
  return [
    `- Ended: ${end?.status ?? 'not known'} at step ${end?.lastStep ?? 'not known'} of ${end?.totalSteps ?? 'not known'}`,
    // rule HR-67
    `- Final metrics: ${metrics.length === 0 ? 'none were seen' : metrics.join(', ')}`,
    `- Tracker: ${code(manifest?.tracker.runId ?? '')}`,
    `- Output root: ${code(manifest?.outputRoot ?? '')}`,
  ];
}
