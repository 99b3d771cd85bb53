/** The next action and the people who can do it, in one line: the first line that people read on the card. */

import type { AnswerCode } from '../commands/decision.ts';
import { findMissingCluster, requiredQuorum } from '../config/lane-of-file.ts';
import { isRetryableByPerson } from '../domain/failure-class.ts';
import { CHECKPOINT } from '../domain/launch/contract.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import {
  canBeFixed,
  failureOf,
  findLaunchTrouble,
  findNodeReplacement,
  findRepeatedFailure,
  isFixEvaluated,
  lastEnded,
  launchFailureReason,
  restartsLeft,
} from '../domain/launch/next-attempt.ts';
import { canBeRelaunched, countUsableApprovers, findCorruptionSign, wantsRelaunch } from '../domain/launch/response.ts';
import { findPreApproval } from '../domain/launch/small-fix.ts';
import { listOpenVerdicts } from '../domain/launch/verdict.ts';
import type { WatchEnd } from '../domain/logbook/events/watch-events.ts';
import { awaitsAdoption, isAdopted } from '../domain/logbook/holdings.ts';
import { runPhase } from '../domain/logbook/job-state.ts';
import { findOwner, findUnacknowledgedWatchEnd } from '../domain/logbook/ownership.ts';
import type { PastAttempt, RunState } from '../domain/logbook/run-state.ts';
import { assertNever, shortDigestHex } from '../domain/values.ts';
import { remedyActorName } from './card-gates.ts';
import { gateWords } from './gate-words.ts';
import { incidentTitle } from './incident-words.ts';
import type { AnswerView, RenderInput, Sentences } from './input.ts';
import { trackerName, trackerUrl } from './job-table.ts';
import { adoptionNextStep } from './propose-words.ts';
import { chooseStateLine } from './state-line.ts';
import {
  approveLine,
  code,
  count,
  jobWords,
  joinAnd,
  link,
  measured,
  nextRunWords,
  nonEmpty,
  paragraphs,
  person,
  text,
  threadKind,
  utc,
} from './words.ts';

export const WATCH_WORDS = {
  'handoff-offered': (d, view) =>
    addJobFacts(
      `the watch is offered to ${text(d.login)}, who takes it with \`/accept\` here, until ${text(utc(d.until))}. The owner does not change before; if it is not accepted, ferrybot alerts those on call.`,
      view,
    ),
  'handoff-not-theirs': (d) =>
    `not offered: ${text(d.login)} does not have the ${text(d.needs)} permission that a watch takes.`,
  'accept-not-yours': (d) =>
    `not accepted: only ${text(d.login)} can accept. \`/handoff\`, or the contract of the run, names another person.`,
  accepted: (d, view) =>
    addJobFacts(
      `the watch is yours${d.from ? `, from ${text(d.from)}` : ''}: incidents of this run mention you. \`/handoff @who\` offers it to another person, \`/until\` and \`/stop-watching\` end it.`,
      view,
    ),
  'accept-too-late': (d) =>
    `not accepted: the offer expired at ${text(utc(d.until))}. \`/handoff\` offers the watch again.`,
  'job-adopted': (_, view) =>
    addJobFacts(
      'ferrybot watches the job from now on, and you own the watch. `/handoff @who` offers it to another person; `/stop` by you, or by an approver of launches, ends the job.',
      view,
    ),
  'job-told-otherwise': () =>
    "not done: the comment with the cluster's description was edited, now or when you wrote. Delete it, and ferrybot writes it again; then comment `/accept` below it.",
  'job-not-told': () =>
    'not yet: the cluster has not described the job. ferrybot posts the description here; review it, then comment `/accept`.',
  'until-set': (d) =>
    `the watch ends ${describeStoppingPoint(d.step ?? null, d.time ?? null)}${d.before === undefined ? '' : ', which replaces the earlier limit'}. The job continues after it; \`/stop\` ends a job.`,
  'until-what': () => 'not done: add where the watch ends, `/until step=3000` or `/until time=18:30` (UTC).',
  'watch-stopped': (_, { input }) =>
    input === null ? 'the watch has ended.' : paragraphs('the watch has ended.', describeAfterEnd(input)),
  'watch-resumed': () => 'ferrybot watches the job again, to its end: it raises alarms and starts approved restarts.',
  'watch-not-yours': (d) =>
    `not done: only ${d.owner ? `${text(d.owner)}, who owns the watch, or ` : ''}an approver of launches may do that.`,
  'watch-end-taken': (d) =>
    `noted: you have seen that the watch has ended${d.count === 0 ? '' : `, and took ${count(d.count, 'incident')}`}; there is no other reminder.`,
} satisfies Partial<Sentences<AnswerCode>>;

/** With the facts that the owner of the watch needs. */
function addJobFacts(sentence: string, { input }: AnswerView): string {
  return paragraphs(sentence, input === null ? null : describeJobFacts(input.state));
}

function describeStoppingPoint(step: number | null, time: string | null): string {
  const points = nonEmpty(step !== null && `at step ${step}`, time !== null && `at ${utc(time)}`);
  return points.length === 2 ? `${points.join(' or ')}, whichever comes first` : points.join('');
}

/** What the owner of the watch needs: job, cluster, state, the newest signal, and the links. */
export function describeJobFacts(state: RunState): string {
  const { submission, observation, proposal, incidents } = state;
  if (submission === null) return '- There is no job.';
  const { title, evidence } = chooseStateLine(state);
  const newest = incidents.at(-1);
  const seen =
    observation === null
      ? 'not checked yet'
      : `${observation.loss === null ? 'no loss yet' : `loss ${measured(observation.loss)}`}, ${observation.checkpointStep === null ? 'no checkpoint yet' : `checkpoint at step ${observation.checkpointStep}`}`;
  const tracker = trackerUrl(state);
  const links = nonEmpty(
    `issue #${proposal.issue}`,
    tracker !== null && link(trackerName(tracker), tracker),
    ...Object.entries(submission.urls).map(([name, url]) => link(name, url)),
  );
  return [
    `- ${jobWords(submission)} on ${code(submission.cluster)}, attempt ${submission.attempt}`,
    `- ${title}: ${evidence}`,
    `- Last signal: ${newest === undefined ? 'no incident' : `${incidentTitle(newest)} (${utc(newest.at)})`}; ${seen}`,
    `- Links: ${links.join(' · ')}`,
  ].join('\n');
}

function describeAfterEnd({ state, config }: RenderInput): string {
  return paragraphs(
    describeJobFacts(state),
    `**The job continues.** ferrybot raises no alarm about it and starts no restart; \`/stop\` ends it, as before. ferrybot only waits for its end: until then, the lane ${code(state.proposal.lane)} gets no other run.`,
    `**Wanted: \`/ack\`** by a person with ${config.permissions.ack} permission, who acknowledges this. \`/watch\` starts the watch again.`,
  );
}

/** A limit of the watch that was reached, with the state of the job. */
export function renderWatchEnd(input: RenderInput, { cause }: WatchEnd): string {
  const { plannedEnd } = input.state.watch;
  const who = plannedEnd === null ? 'a person' : person(plannedEnd.actor);
  const reached = {
    step: `step ${plannedEnd?.step ?? 'unknown'}`,
    time: plannedEnd?.time == null ? 'its time' : utc(plannedEnd.time),
    person: 'the end',
  }[cause];
  return paragraphs(
    `**The watch of ${code(input.state.run)} has ended**: ${reached} is reached, as ${who} requested.`,
    describeAfterEnd(input),
  );
}

/** A reminder of the end of the watch, without an acknowledgement. */
export function renderWatchReminder(input: RenderInput): string {
  const { run, watch, end } = input.state;
  if (watch.ended === null || end !== null)
    return `**The watch of ${code(run)} had ended**, and the run has changed since; its card shows the state.`;
  return paragraphs(
    `**The job of ${code(run)} is unwatched since ${utc(watch.ended.at)}**, and this was not acknowledged.`,
    describeAfterEnd(input),
  );
}

/** The owner and the end of the watch, on the card; null before there is a job. */
export function renderWatch(state: RunState): string | null {
  const { submission, end, watch } = state;
  if (submission === null || end !== null) return null;
  if (watch.ended !== null)
    return `The watch ended at ${utc(watch.ended.at)}; the job continues, and ferrybot waits for its end.`;
  const { offer, plannedEnd } = watch;
  const owner = findOwner(state);
  const parts = nonEmpty(
    owner !== null && `${person(owner)} owns the watch`,
    offer?.state === 'offered' && `it is offered to ${person(offer.to)} until ${utc(offer.until)}`,
    plannedEnd !== null && `it ends ${describeStoppingPoint(plannedEnd.step, plannedEnd.time)}`,
  );
  return parts.length === 0 ? null : `Owner: ${joinAnd(parts)}.`;
}

/** The next action after the end of the watch and before the end of the job; null while it is watched. */
function nextStepAfterWatch({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  if (state.watch.ended === null || state.end !== null) return null;
  return findUnacknowledgedWatchEnd(state) === null
    ? 'nothing; the watch has ended, and ferrybot waits for the end of the job. `/stop` ends it.'
    : `\`/ack\` by a person with ${config.permissions.ack} permission, who acknowledges that the watch has ended. The job continues; \`/stop\` ends it.`;
}

/** One sentence of Markdown with the next action; never empty. */
export function renderNextStep(input: RenderInput): string {
  const { state, config } = input;
  const cluster = findMissingCluster(state, config);
  if (cluster !== null)
    return `the cluster ${code(cluster)} in \`.github/ferrybot.yml\` on the default branch: the job runs there, and without it ferrybot can neither watch nor stop the job.`;
  return nextStepAfterWatch(input) ?? NEXT_STEPS[runPhase(state)](input);
}

const NEXT_STEPS: Readonly<Record<ReturnType<typeof runPhase>, (input: RenderInput) => string>> = {
  proposed: (input) => (awaitsAdoption(input.state) ? adoptionNextStep(input) : wantedForGates(input.state)),
  gated: nextStepForApproval,
  approved: nextStepForApproval,
  ordered: ({ state }) => nextStepForLaunch(state),
  submitted: () => WATCHING,
  stepping: () => WATCHING,
  degraded: () => 'a person who examines the job. ferrybot keeps watching; `/stop` ends it.',
  ended: nextStepAtEnd,
  sealed: ({ state }) => nextStepForMerge(state.seal?.closurePull ?? null),
  closed: ({ state }) => nextStepForMerge(state.closed?.closurePull ?? null),
};

const WATCHING = 'nothing; ferrybot is watching. `/stop` ends the job.';

function nextStepForLaunch(state: RunState): string {
  const trouble = findLaunchTrouble(state);
  if (trouble === null) return 'nothing; the launch is in progress. `/stop` revokes it, or ends the job.';
  const run = link('workflow run', trouble.detail.url);
  return trouble.code === 'launch-waiting'
    ? `a runner with the label \`ferrybot-launch\`: the ${run} waits for one. \`/stop\` revokes the launch.`
    : `a person to clear why the launch failed: ${text(trouble.detail.why)} (${run}). ferrybot starts it again within minutes, at most ${count(trouble.detail.left, 'more time')}. \`/stop\` revokes it.`;
}

/** What a fix of a failed attempt may change by the config, in parentheses; empty if the config has no limit. */
export function allowedPaths({ config }: Pick<RenderInput, 'config'>): string {
  const paths = (config.kind.fixes?.(config.lane).fixable ?? []).map(code);
  return paths.length === 0 ? '' : ` (it may change ${joinAnd(paths)})`;
}

/** Who may approve: the minimum permission and, unless one person is enough, a person who is not an author. */
export function approversText({ config }: Pick<RenderInput, 'config'>): string {
  const { permission, users, onePersonIsEnough } = config.approvals;
  const listedToo = users.length > 0 ? ', or a listed approver,' : '';
  const other = onePersonIsEnough ? '' : ' who is not an author of this change';
  return `a person with ${permission} permission${listedToo}${other}`;
}

function wantedForGates(state: RunState): string {
  const { gate } = state;
  const place = threadKind(state);
  const open = listOpenVerdicts(gate?.verdicts ?? []);
  const first = open.find((v) => v.outcome === 'fail') ?? open[0];
  if (first === undefined) return 'nothing yet; ferrybot is evaluating the launch gates.';
  const { found, remedy } = gateWords(first, place);
  const more = open.length > 1 ? ` (${open.length - 1} more below)` : '';
  const who = first.remedyBy === 'time' ? 'only time' : `from ${remedyActorName(first.remedyBy, place)}`;
  return `${who}, for the gate \`${first.gate}\`: ${found}${remedy === null ? '' : `; ${remedy}`}.${more}`;
}

function nextStepForApproval({ state, config }: RenderInput): string {
  if (state.stop !== null) return `nothing; ${nextRunWords(threadKind(state))}.`;
  const digest = state.gate?.digest ?? null;
  if (digest === null) return 'nothing yet; there is no manifest to approve.';
  const missing = requiredQuorum(config) - countUsableApprovers(state);
  if (missing <= 0) return 'nothing; the launch is about to be ordered.';
  const failure = launchFailureReason(state);
  const first = failure === null ? '' : `a person to clear why nothing was launched: ${text(failure)}. Then `;
  const what = missing === 1 ? 'an approval by' : `${missing} approvals, each by`;
  return `${first}${what} ${approversText({ config })}: \`${approveLaunchLine(digest)}\`.`;
}

function nextStepAtEnd({ state, config, verdict }: RenderInput): string {
  const { end } = state;
  const { seal, ack } = config.permissions;
  if (end === null) throw new Error('an ended run without an end');
  if (isAdopted(state) && end.status !== 'FAILED')
    return `\`/ack\` by a person with ${ack} permission, which acknowledges the end and closes the run.`;
  switch (end.status) {
    case 'FAILED':
      return nodeNextStep(state, ack) ?? nextStepAfterFailure({ state, config });
    case 'STOPPED':
      return nodeNextStep(state, ack) ?? `a decision by a person with ${seal} permission: ${countText(state)}.`;
    case 'SUCCEEDED':
      return verdict?.result === 'pass'
        ? `\`/seal\` by a person with ${seal} permission.`
        : `a review of the verdict, then a decision by a person with ${seal} permission: ${countText(state)}.`;
    default:
      return assertNever(end.status);
  }
}

function nextStepAfterFailure({ state, config }: Pick<RenderInput, 'state' | 'config'>): string {
  const closes = `\`/ack\` by a person with ${config.permissions.ack} permission, which closes the run.`;
  const repeated = findRepeatedFailure(state);
  if (repeated !== null)
    return `a person who finds the cause: attempt ${repeated.attempt} failed with ${code(repeated.signature)} as attempt ${repeated.earlier} did before the fix, so there is no further attempt; then ${closes}`;
  if (isAdopted(state)) return `a review of the failure; then ${closes}`;
  const again = describeRelaunch(state);
  if (!canBeFixed(state)) return `a review of the failure, then ${again}${closes}`;
  return `a review of the failure, then ${again}a fix on ${code(state.proposal.headBranch)}${allowedPaths({ config })}, which the card then shows for approval; or ${closes}`;
}

function countText(state: RunState): string {
  const on = describeContinuation(state);
  const not = '`/ack reject="why it does not"`, which closes the run';
  return `\`/seal accept="why the result counts"\`, or ${not}${on === null ? '' : `; or ${on}`}`;
}

/** While another attempt may follow: a decision on its bad node, or nothing. */
function nodeNextStep(state: RunState, ackPermission: string): string | null {
  if (!canBeRelaunched(state)) return null;
  if (wantsRelaunch(state) && findNodeReplacement(state) === null) return nextStepBeforeRelaunch(state);
  if (findPreApproval(state) !== null)
    return 'nothing; ferrybot fixed a file that the approved manifest permits to fix, and the next attempt follows without another approval when the launch gates pass. `/hold` delays it, `/stop` prevents it.';
  const open = state.actions.find(({ approvals: consents, ended }) => ended === null && consents.length === 0);
  return open === undefined
    ? 'nothing; the bad node is being replaced, and the job is started again if its approval permits it. `/stop` prevents it.'
    : `a decision on the bad node, in #${open.proposal.thread}: \`${approveLine(open.digest)}\`; or \`/ack\` by a person with ${ackPermission} permission, which closes the run.`;
}

/** How a person can start the same attempt again; empty if it is impossible. */
function describeRelaunch(state: RunState): string {
  const last = lastEnded(state);
  if (last === null || state.stop !== null || isFixEvaluated(state)) return '';
  if (!isRetryableByPerson(failureOf(last)) || findCorruptionSign(state, last) !== null) {
    const back = rollbackText(last);
    return back === null ? '' : `${back}; or `;
  }
  if (restartsLeft(state) > 0) return '`/relaunch`, which starts the approved attempt again; or ';
  return `\`/relaunch ${shortDigestHex(last.order.order.digest)}\` by an approver, which starts the same attempt once more; or `;
}

function nextStepBeforeRelaunch(state: RunState): string {
  const left = restartsLeft(state);
  return `nothing; ferrybot starts the job again under its approval (${count(left, 'restart')} left), unless a launch gate no longer passes or the lane has failed the same way before. \`/stop\` prevents it.`;
}

function nextStepForMerge(pull: number | null): string {
  return pull === null ? 'nothing.' : `a merge of the log-only pull request #${pull}.`;
}

/** The way back to an earlier checkpoint; null if the job's command does not take the checkpoint that it is given. */
export function rollbackText({ order: { manifest } }: Pick<PastAttempt, 'order'>): string | null {
  return manifest === null || !startsFromCheckpoint(manifest)
    ? null
    : '`/rollback step=… reason="…"` by an approver, which starts the next attempt from an earlier checkpoint after a new approval';
}

/** How to continue after an end without failure: another run, from a checkpoint of the last attempt; null if the job takes none. */
export function describeContinuation({ end, order, contract }: RunState): string | null {
  const manifest = order?.manifest ?? null;
  if (end === null || end.status === 'FAILED' || contract === null || manifest === null) return null;
  return startsFromCheckpoint(manifest)
    ? '`/resume-as id=… from=… reason="…"`, which continues from one of its checkpoints as another run'
    : null;
}

/** Whether the job is given its start checkpoint, which requires roots that can be listed. */
export function startsFromCheckpoint({ command, resume }: Manifest): boolean {
  return resume.roots !== undefined && command.some((part) => part.includes(CHECKPOINT));
}

/** The line that approves a manifest, to copy. */
function approveLaunchLine(digest: string): string {
  return `/approve-launch ${shortDigestHex(digest)}`;
}
