/** The state of a run in one sentence, and the verdict on an ended run as a table. */

import { requiredQuorum } from '../config/lane-of-file.ts';
import { findLaunchTrouble, lastFailure } from '../domain/launch/next-attempt.ts';
import { countUsableApprovers } from '../domain/launch/response.ts';
import { listOpenVerdicts } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import { currentJobState, runPhase } from '../domain/logbook/job-state.ts';
import { type Ending, listCurrentApprovals, type Observation, type RunState } from '../domain/logbook/run-state.ts';
import type { MetricRow, RunVerdict } from '../domain/past-runs.ts';
import { formatDuration, formatNumber } from '../domain/values.ts';
import type { RenderInput } from './input.ts';
import { progressBar, progressText } from './job-table.ts';
import { describeAdoption } from './propose-words.ts';
import {
  code,
  count,
  isFerry,
  jobWords,
  joinAnd,
  measured,
  nonEmpty,
  paragraphs,
  person,
  reasonText,
  shortCommit,
  table,
  text,
  utc,
} from './words.ts';

/** A smaller difference is noise. */
const AS_THE_MEDIAN_PERCENT = 0.005;

/** A bar shows three digits. */
const BAR_ROUNDING = 0.005;

const RESULTS = { pass: '✅ pass', fail: '❌ fail', unknown: '❔ unknown', 'no-baseline': '⚠️ no baseline' };

/** The verdict on a run that has ended, with the table behind it; empty before the end. */
export function renderVerdict({ state, verdict }: Pick<RenderInput, 'state' | 'verdict'>): string | null {
  const { end } = state;
  if (end === null) return null;
  return verdict === null
    ? 'Verdict: ❔ unknown, the earlier runs of the lane could not be read.'
    : paragraphs(`Verdict: ${RESULTS[verdict.result]}.`, renderVerdictTable(state, end, verdict));
}

/** Status, last step and key metrics; the median is that of the sealed runs of the lane that are named below. */
function renderVerdictTable(state: RunState, end: Ending, verdict: RunVerdict): string {
  const { observation } = state;
  const [one, many] = isFerry(state) ? ['sealed ferry', 'sealed ferries'] : ['sealed run', 'sealed runs'];
  const { expectedStep, comparedWith } = verdict;
  const rows = [
    ['status', `\`${end.status}\``, '`SUCCEEDED`', RESULTS[verdict.statusOk ? 'pass' : 'fail']],
    [
      'last step',
      formatLastStep(verdict.lastStep, observation),
      expectedStep === null ? 'unknown' : `at least ${expectedStep - limits.finalStepSlack} of ${expectedStep}`,
      RESULTS[verdict.stepOutcome],
    ],
    ...(end.status === 'SUCCEEDED' && end.diagnosis !== undefined
      ? [['log', `ends with a failure: ${code(end.diagnosis.class)}`, 'no failure', RESULTS.unknown]]
      : []),
    ...verdict.rows.map((row) => [
      code(row.key),
      row.value === null ? 'not found' : `${measured(row.value)}${formatComparison(row)}`,
      row.median === null
        ? row.outcome === 'unknown' && row.value !== null
          ? 'not negative'
          : 'no median yet'
        : `within ${measured(row.tolerancePercent)} % of ${measured(row.median)}`,
      RESULTS[row.outcome],
    ]),
  ];
  const compared =
    comparedWith.length === 0
      ? `No ${one} to compare with yet.`
      : `Median of ${count(comparedWith.length, one, many)}: ${comparedWith.map(code).join(', ')}.`;
  return paragraphs(table(['Checked', 'Found', 'Wanted', 'Result'], rows), verdict.rows.length === 0 ? null : compared);
}

/** The key metrics in one line, for the terminal form: `eval/loss 3.468 (0.2 % worse than the median)`. */
export function renderMetrics(end: Ending, verdict: RunVerdict | null): string {
  const rows = verdict?.rows ?? [];
  if (rows.length > 0)
    return rows
      .map(
        (row) => `${text(row.key)} ${row.value === null ? 'not found' : measured(row.value)}${formatComparison(row)}`,
      )
      .join(', ');
  const metrics = Object.entries(end.metrics).slice(0, limits.shownMetricsMax);
  return metrics.map(([key, value]) => `${text(key)} ${measured(value)}`).join(', ') || 'no metrics were found';
}

function formatComparison({ worsePercent }: MetricRow): string {
  if (worsePercent === null) return '';
  if (!Number.isFinite(worsePercent)) return ' (worse than a median of 0)';
  return Math.abs(worsePercent) < AS_THE_MEDIAN_PERCENT
    ? ' (as the median)'
    : ` (${formatNumber(Math.abs(worsePercent))} % ${worsePercent > 0 ? 'worse' : 'better'} than the median)`;
}

/** The exact step that is judged, and the step in the log if it is later: metrics are reported at evals only. */
function formatLastStep(exact: number | null, observation: RunState['observation']): string {
  const { step: seen = null, stepIsExact = false } = observation ?? {};
  if (exact === null) return 'unknown';
  const rounding = stepIsExact ? 0 : (seen ?? 0) * BAR_ROUNDING;
  return seen === null || seen - exact <= Math.max(limits.finalStepSlack, rounding)
    ? String(exact)
    : `${exact} in its metrics, ${stepIsExact ? '' : '~'}${seen} in its log`;
}

/** `symbol` is one of the four status signs; `title` is plain words, `evidence` a sentence of Markdown. */
type StateLine = { readonly symbol: '✅' | '⚠️' | '❌' | '❔'; readonly title: string; readonly evidence: string };

function buildStateLine(symbol: StateLine['symbol'], title: string, evidence: string): StateLine {
  return { symbol, title, evidence };
}

/** The state in words, from the record: the same record gives the same words. `config`: if the number of required approvals is known. */
export function chooseStateLine(state: RunState, config: RenderInput['config'] | null = null): StateLine {
  return STATE_LINES[runPhase(state)](state, config);
}

/** The state as one paragraph. */
export function renderStateLine(state: RunState, config: RenderInput['config'] | null = null): string {
  const { symbol, title, evidence } = chooseStateLine(state, config);
  return `${symbol} **${title}.** ${evidence}`;
}

const STATE_LINES: Readonly<
  Record<ReturnType<typeof runPhase>, (state: RunState, config: RenderInput['config'] | null) => StateLine>
> = {
  proposed: proposedLine,
  gated: gatedLine,
  approved: (state, config) => {
    const needed = config === null ? 0 : requiredQuorum(config);
    const have = countUsableApprovers(state);
    const who = joinAnd(listCurrentApprovals(state).map((a) => `${person(a.actor)} (${utc(a.at)})`));
    const by = `${describeEarlierFailure(state)}By ${who}; no launch is ordered yet.`;
    return have < needed
      ? buildStateLine('❔', `Approved in part, ${have} of ${needed}`, by)
      : buildStateLine('✅', 'Approved', by);
  },
  ordered: orderedLine,
  submitted: jobLine,
  stepping: jobLine,
  degraded: jobLine,
  ended: endedLine,
  sealed: ({ seal }) => {
    if (seal === null) throw new Error('a sealed run without a seal');
    const { verdict, accept, actor, at, tag, commit } = seal;
    const how = verdict === 'pass' ? 'as a pass' : `accepted: ${text(accept ?? '')}`;
    return buildStateLine(
      '✅',
      'Sealed',
      `By ${person(actor)} at ${utc(at)}, ${how}. Tag ${code(tag)} on ${shortCommit(commit)}.`,
    );
  },
  closed: ({ closed }) => {
    if (closed === null) throw new Error('a closed run without a close');
    const { outcome, at, reason } = closed;
    const symbol = outcome === 'failed' ? '❌' : '⚠️';
    return buildStateLine(symbol, `Closed: ${outcome}`, `At ${utc(at)}${reasonText(reason)}.`);
  },
};

function proposedLine(state: RunState): StateLine {
  const { gate, proposedAt, run } = state;
  const asked = describeAdoption(state);
  if (asked !== null) return buildStateLine('❔', 'To be adopted', asked);
  if (gate === null)
    return buildStateLine(
      '❔',
      'Proposed',
      `${code(run)} was proposed at ${utc(proposedAt)}; its launch gates were not evaluated yet.`,
    );
  const open = listOpenVerdicts(gate.verdicts);
  const unknown = open.filter((verdict) => verdict.outcome === 'unknown').length;
  const failing = open.length - unknown;
  const parts = nonEmpty(
    failing > 0 && `${count(failing, 'gate')} of ${gate.verdicts.length} ${failing === 1 ? 'does' : 'do'} not pass`,
    unknown > 0 && `${unknown} unknown`,
  );
  const evidence = `${describeEarlierFailure(state)}${joinAnd(parts) || 'no gate was evaluated'} (commit ${shortCommit(gate.commit)}, since ${utc(gate.at)}).`;
  return buildStateLine(failing > 0 ? '❌' : '❔', 'Held back', evidence);
}

function gatedLine(state: RunState): StateLine {
  const { gate, stop, order } = state;
  if (gate === null) throw new Error('a gated run without gates');
  if (stop !== null)
    return buildStateLine(
      '❌',
      'Stopped before the launch',
      `${person(stop.actor)} stopped it at ${utc(stop.at)}; no job was started.`,
    );
  const passed = `${describeEarlierFailure(state)}All ${gate.verdicts.length} gates pass on commit ${shortCommit(gate.commit)} since ${utc(gate.at)}.`;
  return order?.status === 'failed'
    ? buildStateLine('⚠️', 'Not launched', `The order of ${utc(order.at)} ended without a job. ${passed}`)
    : buildStateLine('✅', 'Ready for approval', passed);
}

function describeEarlierFailure(state: RunState): string {
  const last = lastFailure(state);
  return last === null
    ? ''
    : `Attempt ${last.submission.attempt} failed at ${utc(last.end.at)}; this is about the next one. `;
}

function orderedLine(state: RunState): StateLine {
  const { order } = state;
  if (order === null) throw new Error('an ordered run without an order');
  const { claim } = order;
  const trouble = findLaunchTrouble(state);
  const [at, until] = [utc(order.at), utc(order.order.expiresAt)];
  if (trouble !== null)
    return buildStateLine(
      '⚠️',
      trouble.code === 'launch-waiting' ? 'Waiting for a runner' : 'Launch failed',
      `No runner has taken the order of ${at} (seen ${utc(trouble.at)}); it is valid until ${until}.`,
    );
  return claim === null
    ? buildStateLine('✅', 'Launch ordered', `At ${at}; the runner may take the order until ${until}.`)
    : buildStateLine(
        '✅',
        'Launching',
        `The runner (workflow run ${claim.workflowRun}) claimed the order at ${utc(claim.at)} and is submitting the job.`,
      );
}

/** The state of a job that has not ended, from all witnesses. */
function jobLine(state: RunState): StateLine {
  const job = currentJobState(state);
  if (job === 'ended-succeeded' || job === 'ended-failed' || job === 'ended-stopped') return endedLine(state);
  const [symbol, title, more] = JOB_WORDS[job];
  const isTroubled = symbol !== '✅';
  return buildStateLine(symbol, title, `${describeJob(state)}${more}${isTroubled ? describeTrouble(state) : ''}`);
}

const NO_STEP = ' No training step has been seen yet, so nothing shows that it has its accelerators.';

type LiveJob = Exclude<ReturnType<typeof currentJobState>, `ended-${string}`>;

const JOB_WORDS: Readonly<Record<LiveJob, readonly [StateLine['symbol'], title: string, more: string]>> = {
  submitted: ['✅', 'Launched', NO_STEP],
  pending: ['✅', 'In the queue', NO_STEP],
  allocated: ['✅', 'Started', ` Its log is empty yet.${NO_STEP}`],
  compiling: ['✅', 'Starting', ` Its log has started.${NO_STEP}`],
  stepping: ['✅', 'Training', ''],
  degraded: ['⚠️', 'Degraded', ''],
  unknown: ['❔', 'Out of sight', ' No witness sees it now; it may be healthy.'],
  'state-lost': ['❔', 'Lost', ' The engine does not know the job any more; its result is unknown.'],
};

function describeJob({ submission, observation }: RunState): string {
  if (submission === null) return '';
  if (observation === null)
    return `The ${jobWords(submission)} was ${isAdopted({ submission }) ? 'adopted' : 'submitted'} at ${utc(submission.at)}; it was not checked yet.`;
  const parts = nonEmpty(
    progressBar(observation),
    progressText(observation.step, observation.totalSteps),
    formatPace(observation),
    describeStatus(observation.status),
  );
  return `${parts.join(', ')} (checked ${utc(observation.at)}).`;
}

function describeTrouble({ observation }: RunState): string {
  const { signatures = [], alarms = [] } = observation ?? {};
  const shows = signatures.slice(0, 5).map(code);
  return nonEmpty(
    shows.length > 0 && ` The log shows ${joinAnd(shows)}: evidence, not yet an end.`,
    alarms.length > 0 && ` Open alarms: ${joinAnd(alarms.map(code))}.`,
  ).join('');
}

const END_SYMBOLS = { SUCCEEDED: '✅', FAILED: '❌', STOPPED: '⚠️' } as const;

function endedLine({ end, observation }: RunState): StateLine {
  if (end === null) throw new Error('an ended run without an end');
  const step = `last step ${formatLastStep(end.lastStep, observation)} of ${end.totalSteps ?? 'unknown'}`;
  return buildStateLine(
    END_SYMBOLS[end.status],
    `Ended: ${end.status}`,
    `The engine reports ${end.status} (seen ${utc(end.at)}); ${step}.`,
  );
}

/** The rate and the remaining time, if known: `18.9 s a step, about 5.2 h to go`; else empty. */
function formatPace({ step, totalSteps, pace }: Observation): string {
  if (pace === undefined) return '';
  const seconds = pace.secondsPerStep === null ? null : Number(pace.secondsPerStep);
  const toGo =
    seconds !== null && step !== null && totalSteps !== null && totalSteps >= step
      ? (totalSteps - step) * seconds
      : pace.remainingSeconds;
  return nonEmpty(
    seconds !== null && (seconds >= 1 ? `${formatNumber(seconds)} s a step` : `${formatNumber(1 / seconds)} steps/s`),
    pace.tokensPerSecond !== null && `${formatNumber(pace.tokensPerSecond)} tokens/s`,
    toGo !== null && `about ${formatDuration(toGo * 1_000)} to go`,
  ).join(', ');
}

/** The engine's last status, in words. */
function describeStatus(status: Observation['status']): string {
  if (status === 'UNKNOWN') return 'the engine gave no usable answer';
  return status === 'PENDING' ? 'in the queue of the engine (PENDING)' : `the engine reports ${status}`;
}
