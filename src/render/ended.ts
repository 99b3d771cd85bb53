/** The end of a run: the comment that asks for a decision, and the messages of its tags. */

import type { CommandDecision } from '../commands/decision.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { replacementFor } from '../domain/launch/relaunch.ts';
import { wantsRelaunch } from '../domain/launch/response.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { SealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import type { Ending, PastAttempt, RunState, Submission } from '../domain/logbook/run-state.ts';
import { headText } from './card.ts';
import { diagnosisPart } from './failure-words.ts';
import { incidentMark, incidentTitle } from './incident-words.ts';
import type { RenderInput } from './input.ts';
import { trackerUrl } from './job-table.ts';
import { rentalPart, rentedPart } from './rental-words.ts';
import { metricsLine, resultWords, verdictTable } from './state-line.ts';
import { wantedLine } from './wanted.ts';
import { cleanLine, code, fenced, listed, paragraphs, safeUrl, text, utc } from './words.ts';

/** How the run ended, whether it passed, what went wrong and what follows for tomorrow. */
export function renderEnded(input: RenderInput): string {
  const { state, verdict } = input;
  const { end, submission } = state;
  if (end === null || submission === null) throw new Error('a terminal comment without an end');
  return paragraphs(
    `**${endedWords(state, submission)}: ${end.status}.**`,
    terminalForm(input, end),
    verdict === null
      ? 'Verdict: ❔ unknown, the earlier runs of the lane could not be read.'
      : // rule DF-29
        paragraphs(`Verdict: ${resultWords(verdict.result)}.`, verdictTable(state, end, verdict)),
    rentalPart(state),
    rentedPart(state, input.past),
    // rule DF-31
    failuresPart(state, end),
    fixPart(state),
    `**Wanted: ${wantedLine(input)}**`,
  );
}

/** Where another attempt may follow or has come before, the run itself is not over with this one. */
function endedWords(state: RunState, { attempt }: Submission): string {
  const isLast = attempt === 1 && state.end?.status !== 'FAILED';
  return isLast ? `${code(state.run)} has ended` : `Attempt ${attempt} of ${code(state.run)} has ended`;
}

/**
 * `Final status`, `Ray job id`, `W&B link`, `Final eval summary`, `Experiment link`, `Recommendation / victory decision`: the
 * form of a ferry, whatever runs it. What is no ferry has a job id.
 */
function terminalForm({ state, verdict }: Pick<RenderInput, 'state' | 'verdict'>, end: Ending): string {
  const { submission, proposal } = state;
  const tracker = trackerUrl(state);
  const experiment = submission === null ? null : experimentOf(state, submission);
  return [
    `Final status: ${end.status}`,
    `${isFerry(state) ? 'Ray job id' : 'Job id'}: ${text(submission?.jobId ?? 'none')}`,
    `W&B link: ${(tracker === null ? null : safeUrl(tracker)) ?? 'none recorded'}`,
    // rule DF-30
    `Final eval summary: ${metricsLine(end, verdict)}`,
    `Experiment link: ${experiment ?? text(proposal.experiment)}`,
    // rule DF-32
    `Recommendation / victory decision: ${recommendation({ state, verdict })}`,
  ].join('\n');
}

function isFerry(state: RunState): boolean {
  return state.contract === null && !isAdopted(state);
}

/** What to do next, from the status and the verdict alone. A run of a contract is followed by no ferry. */
function recommendation({ state, verdict }: Pick<RenderInput, 'state' | 'verdict'>): string {
  const { end, contract } = state;
  if (end === null) return 'wait for the end.';
  if (wantsRelaunch(state) && replacementFor(state) === null)
    return 'no victory yet; the same may pass when it is tried again, with everything kept as it was.';
  const isFerryNext = contract === null;
  const seen = end.signatures.slice(0, 3).map(text).join(', ');
  const cause = `find the cause${seen === '' ? '' : ` (${seen})`}`;
  if (end.status === 'FAILED')
    return `no victory; ${cause} before ${isFerryNext ? 'the next ferry, and keep the knobs as they were' : 'another attempt, and keep everything else as it was'}.`;
  if (end.status === 'STOPPED')
    return `a person decides whether the result counts${isFerryNext ? '; if not, run the same change again tomorrow' : ''}.`;
  if (verdict?.result === 'pass')
    return `victory; ${isFerryNext ? 'once it is sealed, the next ferry starts from this configuration' : 'it waits for its seal'}.`;
  if (verdict?.result !== 'fail')
    return 'not decided: something that the verdict needs is unknown; look before it is sealed.';
  return `no victory yet; look at what is outside tolerance${isFerryNext ? ', and rerun the same configuration if it looks like a regression' : ' before anything is sealed'}.`;
}

/** A link named `experiment` where the lab configured one; otherwise the file at the launch commit, or whose contract it is. */
function experimentOf({ proposal }: RunState, { urls, commit }: Submission): string {
  const url = urls['experiment'];
  const what = proposal.experiment === '' ? `the contract in #${proposal.issue}` : code(proposal.experiment);
  return (url === undefined ? null : safeUrl(url)) ?? `${what} at ${commit}`;
}

/** What the attempt was mended with, where it went on from one that had failed with other files. */
function fixPart({ attempts, order, submission, gate }: RunState): string | null {
  const before = attempts.find((past) => past.submission.attempt === (submission?.attempt ?? 0) - 1);
  if (before === undefined || before.order.order.digest === order?.order.digest) return null;
  // Another manifest of the same files is no fix: it begins elsewhere.
  if (before.submission.commit === submission?.commit) return backPart(before, order?.manifest ?? null);
  const fix = gate?.commit === submission?.commit ? gate?.fix : undefined;
  const files = fix?.files == null ? '' : `: ${listed(fix.files.map(code))}`;
  const more = fix === undefined || fix.more === 0 ? '' : ` and ${fix.more} more`;
  return `Fixed after attempt ${before.submission.attempt}${files}${more}.`;
}

function backPart({ submission }: PastAttempt, manifest: Manifest | null): string | null {
  if (manifest?.resume.backAfter !== submission.attempt) return null;
  const { initializeFrom, initializeStep = 0 } = manifest.resume;
  return initializeFrom === null
    ? `Begun again from nothing after attempt ${submission.attempt}.`
    : `Gone back after attempt ${submission.attempt}, to step ${initializeStep}: ${code(initializeFrom)}.`;
}

function failuresPart({ incidents }: RunState, end: Ending): string {
  const lines = incidents
    .slice(-limits.shownRowsMax)
    .map((incident) => `- ${utc(incident.at)}: ${incidentTitle(incident)}${incidentMark(incident)}`);
  const message =
    end.message === ''
      ? null
      : `The engine's last words:\n\n${fenced(end.message, limits.shownBlockCharsMax)}`;
  const exit = exitLine(end);
  return paragraphs(
    end.diagnosis === undefined ? null : diagnosisPart(end.diagnosis),
    lines.length === 0 ? noneBefore(end) : `Notable failures:\n\n${lines.join('\n')}`,
    exit,
    message,
  );
}

/** An end is itself no notable failure of the time before it. */
function noneBefore({ status }: Ending): string {
  return status === 'FAILED' ? 'No incident came before the end.' : 'Notable failures: none.';
}

function exitLine({ errorType, exitCode, engineDetails }: Ending): string | null {
  const parts = [
    ...(errorType === null ? [] : [`error type ${code(errorType)}`]),
    ...(exitCode === null ? [] : [`exit code ${exitCode}`]),
    ...Object.entries(engineDetails ?? {}).map(([name, value]) => `${text(name)} ${code(value)}`),
  ];
  return parts.length === 0 ? null : `Engine: ${parts.join(', ')}.`;
}

/** Holds a line `logbook <seq>:<hash>`: the newest event when the tag was made. */
function tagText(state: RunState, title: string, lines: readonly string[]): string {
  const { run, proposal } = state;
  return `${[
    `${run} ${title}`,
    '',
    `run ${run}`,
    `repository ${proposal.repository}`,
    ...(isIssueFirst(proposal) ? [] : [`pull ${proposal.pull}`]),
    `issue ${proposal.issue}`,
    ...lines,
    `logbook ${headText(state, 64)}`,
  ].join('\n')}\n`;
}

function jobLines({ submission, order, gate }: RunState): readonly string[] {
  return [
    `job ${cleanLine(submission?.jobId ?? 'none', limits.shownTextCharsMax)}`,
    `manifest ${order?.order.digest ?? gate?.digest ?? 'none'}`,
  ];
}

/** The message of a seal's tag. */
export function renderTagMessage(
  state: RunState,
  decision: Extract<CommandDecision, { kind: 'seal' }>,
): string {
  return tagText(state, decision.verdict === 'pass' ? 'passed' : 'was accepted', [
    ...jobLines(state),
    `status ${state.end?.status ?? 'unknown'}`,
    ...(decision.accept === null ? [] : [`accept ${cleanLine(decision.accept, limits.shownTextCharsMax)}`]),
    ...checkpointLines(decision.checkpoint),
  ]);
}

/** The tag of a milestone, with the checkpoint that it keeps. */
export function renderMilestoneTag(state: RunState, name: string, checkpoint: SealedCheckpoint): string {
  return tagText(state, `milestone ${name}`, [...jobLines(state), ...checkpointLines(checkpoint)]);
}

/** The tag of what an attempt runs off the target branches, with the people who approved exactly that. */
export function renderSourceTag(state: RunState, branch: string): string {
  const { submission, order, approvals } = state;
  const cited = order?.order.approvals.map(({ user }) => user) ?? [];
  const people = new Set(approvals.flatMap(({ actor }) => (cited.includes(actor.id) ? [actor.login] : [])));
  return tagText(state, `attempt ${submission?.attempt ?? 1} runs this`, [
    `branch ${cleanLine(branch, limits.shownTextCharsMax)}`,
    `approved by ${[...people].join(', ')}`,
    `manifest ${order?.order.digest ?? 'none'}`,
  ]);
}

function checkpointLines(checkpoint: SealedCheckpoint | undefined): readonly string[] {
  if (checkpoint === undefined) return [];
  const { path, step, identity } = checkpoint;
  return [
    `step ${step}`,
    `checkpoint ${cleanLine(path, limits.shownTextCharsMax)}`,
    `metadata ${cleanLine(identity, limits.shownTextCharsMax)}`,
  ];
}
