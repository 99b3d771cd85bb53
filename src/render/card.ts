/**
 * The status card: one comment per run, edited in place, with the state, its evidence, and the next action. The same record
 * renders the same bytes.
 */

import type { CommandDecision } from '../commands/decision.ts';
import { isIssueFirst } from '../domain/actor.ts';
import { QUIET_INCIDENTS } from '../domain/incidents.ts';
import { nextRung } from '../domain/launch/ladder.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { findNodeReplacement, isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { wantsRelaunch } from '../domain/launch/response.ts';
import { limits } from '../domain/limits.ts';
import type { SealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import { isAdopted, offerRequest, rentalTerms } from '../domain/logbook/holdings.ts';
import { runPhase } from '../domain/logbook/job-state.ts';
import type { Ending, PastAttempt, RunState, Submission } from '../domain/logbook/run-state.ts';
import { formatMicrodollars, formatMoney } from '../domain/values.ts';
import { eventsPath, runFolder } from '../logbook/segments.ts';
import { cardContract, cardGates } from './card-gates.ts';
import { cardFix, cardManifest } from './card-manifest.ts';
import { renderLineage } from './contract-words.ts';
import { renderDiagnosis } from './failure-words.ts';
import { incidentSymbol, incidentTitle } from './incident-words.ts';
import type { RenderInput } from './input.ts';
import {
  commandText,
  describeOtherJobs,
  jobTable,
  renderCompactLine,
  renderCost,
  renderWitnessTable,
  trackerName,
  trackerUrl,
} from './job-table.ts';
import { renderCheckpointChart, renderLossChart, renderPaceChart } from './lane-history.ts';
import { renderNextStep, renderWatch } from './next-step.ts';
import { describeLadderStep, renderRental, renderRented } from './rental-words.ts';
import { renderMetrics, renderStateLine, renderVerdict } from './state-line.ts';
import {
  code,
  comment,
  count,
  fenced,
  folded,
  formatHead,
  isFerry,
  jobWords,
  joinAnd,
  link,
  measured,
  nonEmpty,
  paragraphs,
  plainLine,
  safeUrl,
  shortDigest,
  table,
  text,
  utc,
} from './words.ts';

const SHOWN_INCIDENTS_MAX = 5;

export type CardInput = RenderInput & {
  /** The current text of the check run. The marker keeps it, so that ferrybot need not read the check run every time. */
  readonly check: string;
};

/** The card's source. Its marker carries the record's head, the phase, `check`, and what it shows. */
export function renderCard(input: CardInput): string {
  const { state } = input;
  const shown = state.gate === null ? {} : { manifest: state.gate.digest ?? 'none', body: state.gate.body };
  const fields = { head: formatHead(state, 12), phase: runPhase(state), check: input.check, ...shown };
  return comment(
    { run: state.run, kind: 'card', key: 'card', fields },
    paragraphs(
      `**Wanted: ${renderNextStep(input)}**`,
      renderStateLine(state, input.config),
      rentalTerms(state) === null || state.end !== null || state.observation === null
        ? null
        : renderCompactLine(state, state.observation),
      renderVerdict(input),
      renderWatch(state),
      renderCost(input),
      renderRental(state),
      renderRented(state, input.past),
      renderOffer(state),
      state.end?.diagnosis === undefined ? null : renderDiagnosis(state.end.diagnosis),
      ...(isBeforeLaunch(state)
        ? // rule HR-09
          [cardGates(input), cardContract(input), cardFix(state), cardManifest(input), jobPart(state)]
        : [jobPart(state), cardContract(input), cardManifest(input), cardGates(input)]),
      describeContinued(state),
      renderLineage(state),
      renderIncidents(state),
      renderLinks(state),
      renderRecord(input),
    ),
  );
}

function jobPart(state: RunState): string | null {
  const { submission } = state;
  if (submission === null) return null;
  const { contract, paces } = state;
  const command = fenced(commandText(submission.command), limits.shownBlockCharsMax);
  return paragraphs(
    jobTable(state, submission),
    renderWitnessTable(state),
    describeOtherJobs(state),
    lossPart(state),
    // A run of weeks also shows whether it slows down, and how much a crash would cost.
    ...(contract === null ? [] : [renderPaceChart(paces), renderCheckpointChart(paces)]),
    renderEvals(state),
    folded('Exact command (scrubbed)', command),
  );
}

function lossPart(state: RunState): string | null {
  const points = [...state.trace, ...state.losses];
  const chart = renderLossChart(points, expectedLoss(state));
  if (chart === null) return null;
  const drawn = new Set(points.map(({ step }) => step)).size;
  return paragraphs(chart, `The chart joins ${drawn} of the losses in the log by straight lines.`);
}

/** The loss that the contract expects; null if it names none. */
function expectedLoss({ contract }: RunState): number | null {
  const loss = contract?.['loss'];
  return loss === undefined || loss.source === 'unclear' ? null : Number(loss.value);
}

function renderEvals({ observation, end }: RunState): string | null {
  const evals = Object.entries(end?.metrics ?? observation?.evals ?? {});
  if (evals.length === 0) return null;
  return folded(
    end === null ? 'Evals so far' : 'Final metrics',
    table(
      ['Metric', 'Value'],
      evals.map(([key, value]) => [code(key), measured(value)]),
    ),
  );
}

function renderIncidents({ incidents }: RunState): string | null {
  if (incidents.length === 0) return null;
  const newest = incidents.slice(-SHOWN_INCIDENTS_MAX).toReversed();
  const lines = newest.map((incident) => `- ${utc(incident.at)}: ${incidentTitle(incident)}`);
  const more = incidents.length - newest.length;
  return paragraphs('Incidents, newest first:', nonEmpty(...lines, more > 0 && `- ${more} earlier`).join('\n'));
}

/** Workflows cannot post under the name of the App. */
const TWO_NAMES =
  'The comments by `ferrybot` and by `github-actions` are from the same bot: its workflows post as `github-actions`.';

function renderLinks(state: RunState): string {
  const { proposal, seal, closed } = state;
  const closure = seal?.closurePull ?? closed?.closurePull ?? null;
  const tracker = trackerUrl(state);
  const links = nonEmpty(
    `Run ${code(state.run)}`,
    `issue #${proposal.issue}`,
    isIssueFirst(proposal) ? `branch ${code(proposal.headBranch)}` : `pull request #${proposal.pull}`,
    seal !== null && `tag ${code(seal.tag)}`,
    closure !== null && `closure #${closure}`,
    tracker !== null && link(trackerName(tracker), tracker),
  ).join(' · ');
  return `${links}\n\n${TWO_NAMES}`;
}

function renderRecord({ state, config }: RenderInput): string {
  const digest = state.gate?.digest ?? null;
  const manifest =
    digest === null ? '' : ` An approval binds to manifest \`${shortDigest(digest)}\`, not to this comment.`;
  return folded(
    'How to verify this card',
    `This card is a copy; the record is ${code(eventsPath(runFolder(state.run, state.proposedAt)))} on the branch ${code(config.logbookBranch)}. ` +
      `Its newest event is ${code(formatHead(state, 64))}: \`ferrybot logbook verify\` checks a copy offline; a shorter record was put back.${manifest}`,
  );
}

/** How the run ended, whether it passed, what went wrong, and what to do next. */
export function renderEnded(input: RenderInput): string {
  const { state } = input;
  const { end, submission } = state;
  if (end === null || submission === null) throw new Error('a terminal comment without an end');
  const { attempt } = submission;
  // If another attempt came before or may follow, this is not the end of the run.
  const isLast = attempt === 1 && end.status !== 'FAILED';
  return paragraphs(
    `**${isLast ? '' : `Attempt ${attempt} of `}${code(state.run)} has ended: ${end.status}.**`,
    endHeading(input, end),
    // rule DF-29
    renderVerdict(input),
    renderRental(state),
    renderRented(state, input.past),
    // rule DF-31
    renderFailures(state, end),
    renderFix(state),
    `**Wanted: ${renderNextStep(input)}**`,
  );
}

/** The same lines at the end of every attempt, for people and for scripts. */
function endHeading({ state, verdict }: Pick<RenderInput, 'state' | 'verdict'>, end: Ending): string {
  const { submission, proposal } = state;
  const tracker = trackerUrl(state);
  const experiment = submission === null ? null : experimentLink(state, submission);
  return [
    `Final status: ${end.status}`,
    `Job: ${submission === null ? 'none' : jobWords(submission)}`,
    `${tracker === null ? 'Tracker' : trackerName(tracker)} link: ${(tracker === null ? null : safeUrl(tracker)) ?? 'none recorded'}`,
    // rule DF-30
    `Final eval summary: ${renderMetrics(end, verdict)}`,
    `Experiment link: ${experiment ?? text(proposal.experiment)}`,
    // rule DF-32
    `Recommendation: ${recommendNextStep({ state, verdict }, end)}`,
  ].join('\n');
}

/** What to do next, from the status and the verdict. Only a ferry has a next one. */
function recommendNextStep({ state, verdict }: Pick<RenderInput, 'state' | 'verdict'>, end: Ending): string {
  const isFerryNext = isFerry(state);
  if (wantsRelaunch(state) && findNodeReplacement(state) === null) {
    const { rung, with: what = '' } = nextRung(state) ?? { rung: 'rerun' };
    return `nothing; ferrybot starts the next attempt ${describeLadderStep({ rung, with: code(what) })}.`;
  }
  const seen = end.signatures.slice(0, 3).map(text).join(', ');
  if (end.status === 'FAILED')
    return `find the cause${seen === '' ? '' : ` (${seen})`} before ${isFerryNext ? 'the next ferry' : 'another attempt'}, and keep everything else as it was.`;
  if (end.status === 'STOPPED')
    return `decide whether the result counts${isFerryNext ? '; if not, run the same change again tomorrow' : ''}.`;
  if (verdict?.result === 'fail')
    return `check what is outside tolerance${isFerryNext ? '; rerun the same configuration if it may be a regression' : ''}.`;
  if (verdict?.result !== 'pass') return 'check the value that the verdict needs and does not know.';
  if (isAdopted(state)) return 'acknowledge the end: a job that was launched by hand gets no seal.';
  return isFerryNext ? 'seal the run; the next ferry starts from this configuration.' : 'seal the run.';
}

/** The configured link `experiment`, or the file at the launch commit, or the contract. */
function experimentLink({ proposal }: RunState, { urls, commit }: Submission): string {
  const url = urls['experiment'];
  const what = proposal.experiment === '' ? `the contract in #${proposal.issue}` : code(proposal.experiment);
  return (url === undefined ? null : safeUrl(url)) ?? `${what} at ${commit}`;
}

/** The fix of the attempt, if it follows a failed attempt with other files. */
function renderFix({ attempts, order, submission, gate }: RunState): string | null {
  const before = attempts.find((past) => past.submission.attempt === (submission?.attempt ?? 0) - 1);
  if (before === undefined || before.order.order.digest === order?.order.digest) return null;
  // A different manifest with the same files is no fix: the attempt starts from a different checkpoint.
  if (before.submission.commit === submission?.commit) return renderRollback(before, order?.manifest ?? null);
  const fix = gate?.commit === submission?.commit ? gate?.fix : undefined;
  const files = fix?.files == null ? '' : `: ${joinAnd(fix.files.map(code))}`;
  const more = fix === undefined || fix.more === 0 ? '' : ` and ${fix.more} more`;
  return `Fixed after attempt ${before.submission.attempt}${files}${more}.`;
}

function renderRollback({ submission }: PastAttempt, manifest: Manifest | null): string | null {
  if (manifest?.resume.rolledBackAttempt !== submission.attempt) return null;
  const { initializeFrom, initializeStep = 0 } = manifest.resume;
  const from = initializeFrom === null ? 'nothing' : `step ${initializeStep}: ${code(initializeFrom)}`;
  return `After attempt ${submission.attempt}, started again from ${from}.`;
}

/** Preemptions that the job survived. */
export function preemptedText(looks = 0): string | null {
  return looks === 0 ? null : `preempted inside the job, seen in ${count(looks, 'check')}`;
}

function renderFailures({ incidents, observation }: RunState, end: Ending): string {
  const { status, errorType, exitCode, engineDetails, message } = end;
  const lines = incidents
    .filter(({ code: known }) => known === null || !QUIET_INCIDENTS.includes(known))
    .slice(-limits.shownRowsMax)
    .map((incident) => `- ${utc(incident.at)}: ${incidentTitle(incident)}${incidentSymbol(incident)}`);
  // The end itself is not a failure before the end.
  const none =
    status === 'FAILED'
      ? 'No incident came before the end.'
      : end.diagnosis === undefined
        ? 'Notable failures and fixes: none.'
        : null;
  const preempted = preemptedText(observation?.course?.preemptions);
  const exit = nonEmpty(
    errorType !== null && `error type ${code(errorType)}`,
    exitCode !== null && `exit code ${exitCode}`,
    ...Object.entries(engineDetails ?? {}).map(([name, value]) => `${text(name)} ${code(value)}`),
  );
  return paragraphs(
    end.diagnosis === undefined ? null : renderDiagnosis(end.diagnosis),
    lines.length === 0 && preempted === null
      ? none
      : `Notable failures and fixes:\n\n${nonEmpty(...lines, preempted !== null && `- ${preempted}`).join('\n')}`,
    exit.length === 0 ? null : `Engine: ${exit.join(', ')}.`,
    message === '' ? null : `The engine's last message:\n\n${fenced(message, limits.shownBlockCharsMax)}`,
  );
}

/** Contains a line `logbook <seq>:<hash>`: the newest event when the tag was made. */
function buildTagText(state: RunState, title: string, lines: readonly string[]): string {
  const { run, proposal } = state;
  return `${[
    `${run} ${title}`,
    '',
    `run ${run}`,
    `repository ${proposal.repository}`,
    ...(isIssueFirst(proposal) ? [] : [`pull ${proposal.pull}`]),
    `issue ${proposal.issue}`,
    ...lines,
    `logbook ${formatHead(state, 64)}`,
  ].join('\n')}\n`;
}

function tagJobLines({ submission, order, gate }: RunState): readonly string[] {
  return [`job ${plainLine(submission?.jobId ?? 'none')}`, `manifest ${order?.order.digest ?? gate?.digest ?? 'none'}`];
}

/** The message of a seal's tag. */
export function renderTagMessage(state: RunState, decision: Extract<CommandDecision, { kind: 'seal' }>): string {
  return buildTagText(state, decision.verdict === 'pass' ? 'passed' : 'was accepted', [
    ...tagJobLines(state),
    `status ${state.end?.status ?? 'unknown'}`,
    ...(decision.accept === null ? [] : [`accept ${plainLine(decision.accept)}`]),
    ...tagCheckpointLines(decision.checkpoint),
  ]);
}

/** The tag of a milestone, with the checkpoint that it keeps. */
export function renderMilestoneTag(state: RunState, name: string, checkpoint: SealedCheckpoint): string {
  return buildTagText(state, `milestone ${name}`, [...tagJobLines(state), ...tagCheckpointLines(checkpoint)]);
}

/** The tag of an attempt's commit that no target branch contains, with the approvers. */
export function renderSourceTag(state: RunState, branch: string): string {
  const { submission, order, approvals } = state;
  const cited = order?.order.approvals.map(({ user }) => user) ?? [];
  const people = new Set(approvals.flatMap(({ actor }) => (cited.includes(actor.id) ? [actor.login] : [])));
  return buildTagText(state, `attempt ${submission?.attempt ?? 1} runs this`, [
    `branch ${plainLine(branch)}`,
    `approved by ${[...people].join(', ')}`,
    `manifest ${order?.order.digest ?? 'none'}`,
  ]);
}

function tagCheckpointLines(checkpoint: SealedCheckpoint | undefined): readonly string[] {
  if (checkpoint === undefined) return [];
  const { path, step, identity } = checkpoint;
  return [`step ${step}`, `checkpoint ${plainLine(path)}`, `metadata ${plainLine(identity)}`];
}

/** The card's line about the run that this one continues; null without one. */
function describeContinued({ proposal: { continues } }: RunState): string | null {
  if (continues === undefined) return null;
  return `Continues the run ${code(continues.run)} under a new identity: ${text(continues.reason)}.`;
}

/** The current best offer; null if the run rents nothing, or its launch is ordered. */
function renderOffer(state: RunState): string | null {
  const terms = state.gate?.manifest?.envelope.rental;
  if (terms === undefined || !isBeforeLaunch(state) || state.order !== null) return null;
  const seen = state.rental.offer;
  if (seen === null || offerRequest(state) !== null) return 'Machine: the watch searches for an offer within minutes.';
  const { offer, unread } = seen;
  if (unread !== undefined) return `Machine: the offers could not be read at ${utc(seen.at)}: ${text(unread)}.`;
  if (offer === null) return `Machine: **no offer fits** at ${utc(seen.at)}.`;
  return `Machine: offer ${offer.offer} of machine ${code(offer.machine)}, ${offer.gpus} × ${text(offer.gpu)} for ${formatMicrodollars(offer.microdollarsPerHour)} an hour with its disk (cap ${formatMoney(terms.dollarsPerHourMax)}), at ${utc(seen.at)}. The launch searches again and returns a machine above the cap.`;
}
