/** The state of a run in one sentence, and the verdict on one that has ended as a table. */

import { quorumOf } from '../config/approvers.ts';
import { assertNever } from '../domain/assert.ts';
import { launchTrouble } from '../domain/launch/launch-trouble.ts';
import { failedAttempt } from '../domain/launch/next-attempt.ts';
import { approvalsHad } from '../domain/launch/response.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import { jobStateOf } from '../domain/logbook/job-state.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { type Ending, type RunState, standingApprovals } from '../domain/logbook/run-state.ts';
import type { MetricRow, RunVerdict } from '../domain/run-verdict.ts';
import { adoptionEvidence } from './adoption-words.ts';
import type { RenderInput } from './input.ts';
import { engineSays, paceText, progressText } from './job-table.ts';
import { code, count, listed, person, shortCommit, table, text, utc } from './words.ts';

/** A bar shows three digits. */
const BAR_ROUNDING = 0.005;

/** `pass`, `fail` or `unknown` with its sign. */
export function resultWords(result: RunVerdict['result']): string {
  switch (result) {
    case 'pass':
      return '✅ pass';
    case 'fail':
      return '❌ fail';
    case 'unknown':
      return '❔ unknown';
    default:
      return assertNever(result);
  }
}

/** Status, last step and key metrics; the median is that of the sealed ferries, or runs of the lane, that are named below. */
export function verdictTable(state: RunState, end: Ending, verdict: RunVerdict): string {
  const { contract, observation } = state;
  const [one, many] = contract === null ? ['sealed ferry', 'sealed ferries'] : ['sealed run', 'sealed runs'];
  const rows = [
    ['status', `\`${end.status}\``, '`SUCCEEDED`', resultWords(verdict.statusOk ? 'pass' : 'fail')],
    [
      'last step',
      lastStepText(verdict.lastStep, observation),
      expectedStepText(verdict.expectedStep),
      resultWords(verdict.stepOutcome),
    ],
    ...verdict.rows.map(metricCells),
  ];
  const compared =
    verdict.comparedWith.length === 0
      ? `No ${one} to compare with yet.`
      : `Median of ${count(verdict.comparedWith.length, one, many)}: ${verdict.comparedWith.map(code).join(', ')}.`;
  return `${table(['Checked', 'Found', 'Wanted', 'Result'], rows)}\n\n${compared}`;
}

/** The key metrics in one line, for the terminal form: `eval/loss 3.46797 (0.2 % worse than the median)`. */
export function metricsLine(end: Ending, verdict: RunVerdict | null): string {
  const rows = verdict?.rows ?? [];
  if (rows.length > 0)
    return rows
      .map(
        (row) => `${text(row.key)} ${row.value === null ? 'not found' : text(row.value)}${comparison(row)}`,
      )
      .join(', ');
  const metrics = Object.entries(end.metrics).slice(0, limits.shownMetricsMax);
  return metrics.map(([key, value]) => `${text(key)} ${text(value)}`).join(', ') || 'no metrics were found';
}

function metricCells(row: MetricRow): readonly string[] {
  const wanted =
    row.median === null
      ? 'no median yet'
      : `within ${text(row.tolerancePercent)} % of ${text(shortNumber(row.median))}`;
  const found = row.value === null ? 'not found' : `${text(row.value)}${comparison(row)}`;
  return [code(row.key), found, wanted, metricResult(row.outcome)];
}

function metricResult(outcome: MetricRow['outcome']): string {
  return outcome === 'no-baseline' ? '⚠️ nothing to compare with' : resultWords(outcome);
}

function comparison({ worsePercent }: MetricRow): string {
  if (worsePercent === null) return '';
  if (!Number.isFinite(worsePercent)) return ' (worse than a median of 0)';
  const size = Math.abs(worsePercent).toFixed(2);
  return Number(size) === 0
    ? ' (as the median)'
    : ` (${size} % ${worsePercent > 0 ? 'worse' : 'better'} than the median)`;
}

function expectedStepText(expected: number | null): string {
  return expected === null ? 'unknown' : `at least ${expected - limits.finalStepSlack} of ${expected}`;
}

/** The exact one that is judged, and how far the job was seen where that was further: metrics are told at evals alone. */
function lastStepText(exact: number | null, observation: RunState['observation']): string {
  const { step: seen = null, stepIsExact = false } = observation ?? {};
  if (exact === null) return 'unknown';
  const rounding = stepIsExact ? 0 : (seen ?? 0) * BAR_ROUNDING;
  return seen === null || seen - exact <= Math.max(limits.finalStepSlack, rounding)
    ? String(exact)
    : `${exact} by its metrics, ${stepIsExact ? '' : '~'}${seen} by its log`;
}

// A median of two is a mean and carries the noise of binary fractions.
function shortNumber(decimal: string): string {
  const value = Number(decimal);
  return Number.isFinite(value) ? String(Number(value.toPrecision(8))) : decimal;
}

/** `symbol` is one of the four status signs; `title` is plain words, `evidence` a sentence of Markdown. */
type StateLine = {
  readonly symbol: '✅' | '⚠️' | '❌' | '❔';
  readonly title: string;
  readonly evidence: string;
};

/** The state in words, from the record alone: the same record gives the same words. `config`: where it is known how many have to approve. */
export function stateLine(state: RunState, config: RenderInput['config'] | null = null): StateLine {
  const phase = phaseOf(state);
  switch (phase) {
    case 'proposed':
      return proposedLine(state);
    case 'gated':
      return gatedLine(state);
    case 'approved':
      return approvedLine(state, config);
    case 'ordered':
      return orderedLine(state);
    case 'submitted':
    case 'stepping':
    case 'degraded':
      return jobLine(state);
    case 'ended':
      return endedLine(state);
    case 'sealed':
      return sealedLine(state);
    case 'closed':
      return closedLine(state);
    default:
      return assertNever(phase);
  }
}

function line(symbol: StateLine['symbol'], title: string, evidence: string): StateLine {
  return { symbol, title, evidence };
}

function proposedLine(state: RunState): StateLine {
  const { gate, proposedAt, run } = state;
  const asked = adoptionEvidence(state);
  if (asked !== null) return line('❔', 'To be taken over', asked);
  if (gate === null)
    return line(
      '❔',
      'Proposed',
      `${code(run)} was proposed at ${utc(proposedAt)}; its launch gates were not looked at yet.`,
    );
  const failing = gate.verdicts.filter((verdict) => verdict.outcome === 'fail').length;
  const unknown = gate.verdicts.filter((verdict) => verdict.outcome === 'unknown').length;
  const parts = [
    ...(failing > 0
      ? [`${count(failing, 'gate')} of ${gate.verdicts.length} ${failing === 1 ? 'does' : 'do'} not pass`]
      : []),
    ...(unknown > 0 ? [`${unknown} cannot be told`] : []),
  ];
  const evidence = `${failedBefore(state)}${listed(parts) || 'no gate was evaluated'} (commit ${shortCommit(gate.commit)}, since ${utc(gate.at)}).`;
  return failing > 0 ? line('❌', 'Held back', evidence) : line('❔', 'Held back', evidence);
}

function gatedLine(state: RunState): StateLine {
  const { gate, stop, order } = state;
  if (gate === null) throw new Error('a gated run without gates');
  if (stop !== null)
    return line(
      '❌',
      'Stopped before the launch',
      `${person(stop.actor)} stopped it at ${utc(stop.at)}; no job was started.`,
    );
  const passed = `${failedBefore(state)}All ${gate.verdicts.length} gates pass on commit ${shortCommit(gate.commit)} since ${utc(gate.at)}.`;
  if (order?.status === 'failed')
    return line('⚠️', 'Not launched', `The order of ${utc(order.at)} ended without a job. ${passed}`);
  return line('✅', 'Ready for approval', passed);
}

function approvedLine(state: RunState, config: RenderInput['config'] | null): StateLine {
  const needed = config === null ? 0 : quorumOf(config);
  const have = approvalsHad(state);
  const by = `${failedBefore(state)}By ${approvers(state)}; no launch is ordered yet.`;
  return have < needed
    ? line('❔', `Approved in part, ${have} of ${needed}`, by)
    : line('✅', 'Approved', by);
}

function failedBefore(state: RunState): string {
  const last = failedAttempt(state);
  return last === null
    ? ''
    : `Attempt ${last.submission.attempt} failed at ${utc(last.end.at)}; this is about the next one. `;
}

function orderedLine(state: RunState): StateLine {
  const { order } = state;
  if (order === null) throw new Error('an ordered run without an order');
  const { claim } = order;
  const trouble = launchTrouble(state);
  if (trouble !== null)
    return line(
      '⚠️',
      trouble.code === 'launch-waiting' ? 'Waiting for a runner' : 'Launch failed',
      `No runner has taken the order of ${utc(order.at)} (seen ${utc(trouble.at)}); it is valid until ${utc(order.order.expiresAt)}.`,
    );
  return claim === null
    ? line(
        '✅',
        'Launch ordered',
        `At ${utc(order.at)}; the runner may take the order until ${utc(order.order.expiresAt)}.`,
      )
    : line(
        '✅',
        'Launching',
        `The runner (workflow run ${claim.workflowRun}) claimed the order at ${utc(claim.at)} and is submitting the job.`,
      );
}

/** The state of a job that has not ended: what its witnesses make of it, whatever the engine calls it. */
function jobLine(state: RunState): StateLine {
  const evidence = jobEvidence(state);
  const job = jobStateOf(state);
  switch (job) {
    case 'submitted':
      return line('✅', 'Submitted', `${evidence} ${NO_STEP}`);
    case 'pending':
      return line('✅', 'In the queue', `${evidence} ${NO_STEP}`);
    case 'allocated':
      return line('✅', 'Started', `${evidence} Its log is empty yet. ${NO_STEP}`);
    case 'compiling':
      return line('✅', 'Starting', `${evidence} Its log has begun. ${NO_STEP}`);
    case 'stepping':
      return line('✅', 'Training', evidence);
    case 'degraded':
      return line('⚠️', 'Degraded', `${evidence}${troubleEvidence(state)}`);
    case 'unknown':
      return line(
        '❔',
        'Out of sight',
        `${evidence} Nobody sees it now, which says nothing about how it is.${troubleEvidence(state)}`,
      );
    case 'state-lost':
      return line(
        '❔',
        'Lost',
        `${evidence} The engine does not know the job any more; how it ended nobody can say.${troubleEvidence(state)}`,
      );
    case 'ended-succeeded':
    case 'ended-failed':
    case 'ended-stopped':
      return endedLine(state);
    default:
      return assertNever(job);
  }
}

const NO_STEP =
  'No training step has been seen yet, and until then nothing shows that it has its accelerators.';

function jobEvidence({ submission, observation }: RunState): string {
  if (submission === null) return '';
  if (observation === null)
    return `Job ${code(submission.jobId)} was ${isAdopted({ submission }) ? 'taken over' : 'submitted'} at ${utc(submission.at)}; nobody has looked at it yet.`;
  const pace = paceText(observation);
  return `${progressText(observation.step, observation.totalSteps)}${pace === '' ? '' : `, ${pace}`}, ${engineSays(observation.status)} (looked at ${utc(observation.at)}).`;
}

function troubleEvidence({ observation }: RunState): string {
  const { signatures = [], alarms = [] } = observation ?? {};
  const shows = signatures.slice(0, 5).map(code);
  return [
    ...(shows.length === 0 ? [] : [` The log shows ${listed(shows)}: evidence, not yet an end.`]),
    ...(alarms.length === 0 ? [] : [` Alarms that stand: ${listed(alarms.map(code))}.`]),
  ].join('');
}

function endedLine({ end, observation }: RunState): StateLine {
  if (end === null) throw new Error('an ended run without an end');
  const step = `last step ${lastStepText(end.lastStep, observation)}`;
  const evidence = `The engine says ${end.status} (seen ${utc(end.at)}); ${step} of ${end.totalSteps ?? 'unknown'}.`;
  switch (end.status) {
    case 'SUCCEEDED':
      return line('✅', 'Ended: SUCCEEDED', evidence);
    case 'FAILED':
      return line('❌', 'Ended: FAILED', evidence);
    case 'STOPPED':
      return line('⚠️', 'Ended: STOPPED', evidence);
    default:
      return assertNever(end.status);
  }
}

function sealedLine({ seal }: RunState): StateLine {
  if (seal === null) throw new Error('a sealed run without a seal');
  const how = seal.verdict === 'pass' ? 'as a pass' : `accepted: ${text(seal.accept ?? '')}`;
  return line(
    '✅',
    'Sealed',
    `By ${person(seal.actor)} at ${utc(seal.at)}, ${how}. Tag ${code(seal.tag)} on ${shortCommit(seal.commit)}.`,
  );
}

function closedLine({ closed }: RunState): StateLine {
  if (closed === null) throw new Error('a closed run without a close');
  const symbol = closed.outcome === 'failed' ? '❌' : '⚠️';
  return line(
    symbol,
    `Closed: ${closed.outcome}`,
    `At ${utc(closed.at)}${closed.reason === '' ? '' : `: ${text(closed.reason)}`}.`,
  );
}

function approvers(state: RunState): string {
  return listed(standingApprovals(state).map((a) => `${person(a.actor)} (${utc(a.at)})`));
}
