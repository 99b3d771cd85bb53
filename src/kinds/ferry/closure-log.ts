/** The closure: one entry in the ferry log, and the pull request that carries nothing else (policy DF-29 to DF-32). */

import type { Manifest } from '../../domain/launch/manifest.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { RunVerdict } from '../../domain/run-verdict.ts';
import { headText } from '../../render/card.ts';
import { incidentTitle } from '../../render/incident-words.ts';
import { trackerUrl } from '../../render/job-table.ts';
import { metricsLine } from '../../render/state-line.ts';
import { cleanLine, code, listed, paragraphs, safeUrl, text } from '../../render/words.ts';
import type { ClosureDecision, ClosureLog, ClosureView } from '../../run/kind.ts';
import { ferryLane } from './settings.ts';

export const FERRY_CLOSURE_LOG: ClosureLog = {
  path: (lane) => ferryLane(lane).closureLog,
  text: renderClosureLog,
  pull: (view) => ({
    title: renderClosureTitle(view),
    body: renderClosureBody(view),
    labels: [
      'ferry',
      `ferry-${view.state.proposal.lane}`,
      'ferry-log-only',
      ...(view.decision.kind === 'seal' ? ['ferry-sealed'] : []),
    ],
  }),
};

/** The log with this run's entry at its end, newest last; unchanged if the run has one. `before` null = there is no file yet. */
export function renderClosureLog(
  input: ClosureView & { readonly before: string | null; readonly verdict: RunVerdict | null },
): string {
  const { before, state } = input;
  const heading = `## ${state.proposal.date} ${code(state.run)}`;
  const log = (before ?? `# ${laneTitle(state)} ferry log\n`).trimEnd();
  if (log.split(/\r?\n/).includes(heading)) return before ?? `${log}\n`;
  return `${log}\n\n${heading}\n\n${entryLines(input).join('\n')}\n`;
}

/** The closure PR's title, plain text. */
export function renderClosureTitle({ state, decision }: ClosureView): string {
  const what = decision.kind === 'seal' ? 'final seal' : `closed as ${decision.outcome}`;
  return cleanLine(`${laneTitle(state)} ferry ${state.proposal.date}: log ${what}`, limits.titleCharsMax);
}

/** The closure PR's body. */
export function renderClosureBody({ state, decision, tag }: ClosureView): string {
  const outcome =
    decision.kind === 'seal'
      ? `Sealed ${decision.verdict === 'pass' ? 'as a pass' : `with the reason: ${text(decision.accept ?? '')}`}; tag ${code(tag)}.`
      : `Closed as ${decision.outcome}${decision.outcome === 'failed' ? '' : ` with the reason: ${text(decision.reason)}`}; there is no tag.`;
  return `${paragraphs(
    `Adds the entry of ${code(state.run)} to the ferry log and changes nothing else.`,
    outcome,
    [
      `- Issue: #${state.proposal.issue}`,
      `- Proposal: #${state.proposal.pull}`,
      `- Launch commit: ${state.submission?.commit ?? 'none'}`,
      `- Job: ${code(state.submission?.jobId ?? 'none')}`,
      `- Record: ${code(headText(state, 64))}`,
    ].join('\n'),
    'What was tried and debugged on the way stands in the issue.',
  )}\n`;
}

function entryLines(input: Parameters<typeof renderClosureLog>[0]): readonly string[] {
  const { state, decision, tag, verdict } = input;
  const { end, submission, proposal } = state;
  const tracker = trackerUrl(state);
  const failures = [...new Set(state.incidents.map(incidentTitle))];
  return [
    `- Outcome: ${outcomeText(decision)}`,
    `- Final status: ${end?.status ?? 'unknown'}`,
    `- Issue: #${proposal.issue}`,
    `- Pull request: #${proposal.pull}`,
    `- Seal tag: ${decision.kind === 'seal' ? code(tag) : 'N/A'}`,
    `- Launch commit: ${submission?.commit ?? 'none'}`,
    `- Job: ${code(submission?.jobId ?? 'none')} on ${code(submission?.cluster ?? 'none')}`,
    `- W&B: ${(tracker === null ? null : safeUrl(tracker)) ?? 'none recorded'}`,
    `- Config delta: ${deltaText(state)}`,
    ...startLine(state),
    `- Last step: ${end?.lastStep ?? 'unknown'} of ${end?.totalSteps ?? 'unknown'}`,
    `- Metrics: ${end === null ? 'none' : metricsLine(end, verdict)}`,
    `- Notable failures: ${listed(failures) || 'none'}`,
    `- Record: ${code(headText(state, 64))}`,
  ];
}

function outcomeText(decision: ClosureDecision): string {
  if (decision.kind === 'close')
    return decision.outcome === 'failed' ? decision.outcome : `${decision.outcome}: ${text(decision.reason)}`;
  return decision.verdict === 'pass' ? 'pass' : `accepted (${text(decision.accept ?? '')})`;
}

function deltaText({ gate }: RunState): string {
  return changesText(gate?.manifest?.delta ?? []) || 'none (the same configuration again)';
}

function startLine({ gate }: RunState): readonly string[] {
  const base = gate?.manifest?.base;
  if (base === undefined) return [];
  return [`- Started from: ${code(base.run)}, new against it: ${changesText(base.changes) || 'nothing'}`];
}

function changesText(changes: Manifest['delta']): string {
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  return changes.map((c) => `${code(c.knob)} ${value(c.before)} to ${value(c.after)}`).join(', ');
}

function laneTitle({ proposal: { lane } }: RunState): string {
  return `${lane.slice(0, 1).toUpperCase()}${lane.slice(1)}`;
}
