/** The seal tag's message: plain text that carries the record's anchor, so that the tag shows what was sealed. */

import type { CommandDecision } from '../commands/decision.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import { limits } from '../domain/limits.ts';
import type { SealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { headText } from './card.ts';
import { cleanLine } from './clean-text.ts';

/** Holds a line `logbook <seq>:<hash>`: the newest event when the tag was made. */
export function renderTagMessage(
  state: RunState,
  decision: Extract<CommandDecision, { kind: 'seal' }>,
): string {
  const digest = state.order?.order.digest ?? state.gate?.digest ?? 'none';
  const accept =
    decision.accept === null ? [] : [`accept ${cleanLine(decision.accept, limits.shownTextCharsMax)}`];
  return `${[
    `${state.run} ${decision.verdict === 'pass' ? 'passed' : 'was accepted'}`,
    '',
    `run ${state.run}`,
    `repository ${state.proposal.repository}`,
    ...(isIssueFirst(state.proposal) ? [] : [`pull ${state.proposal.pull}`]),
    `issue ${state.proposal.issue}`,
    `job ${cleanLine(state.submission?.jobId ?? 'none', limits.shownTextCharsMax)}`,
    `manifest ${digest}`,
    `status ${state.end?.status ?? 'unknown'}`,
    ...accept,
    ...checkpointLines(decision.checkpoint),
    `logbook ${headText(state, 64)}`,
  ].join('\n')}\n`;
}

/** The tag of a milestone: the same anchor, and the checkpoint that it keeps. */
export function renderMilestoneTag(state: RunState, name: string, checkpoint: SealedCheckpoint): string {
  return `${[
    `${state.run} milestone ${name}`,
    '',
    `run ${state.run}`,
    `repository ${state.proposal.repository}`,
    `issue ${state.proposal.issue}`,
    `job ${cleanLine(state.submission?.jobId ?? 'none', limits.shownTextCharsMax)}`,
    `manifest ${state.order?.order.digest ?? 'none'}`,
    ...checkpointLines(checkpoint),
    `logbook ${headText(state, 64)}`,
  ].join('\n')}\n`;
}

/** The tag of what an attempt runs off the target branches: the same anchor, and who approved exactly that. */
export function renderSourceTag(state: RunState, branch: string): string {
  const { run, proposal, submission, order, approvals } = state;
  const cited = order?.order.approvals.map(({ user }) => user) ?? [];
  const people = new Set(approvals.flatMap(({ actor }) => (cited.includes(actor.id) ? [actor.login] : [])));
  return `${[
    `${run} attempt ${submission?.attempt ?? 1} runs this`,
    '',
    `run ${run}`,
    `repository ${proposal.repository}`,
    `issue ${proposal.issue}`,
    `branch ${cleanLine(branch, limits.shownTextCharsMax)}`,
    `approved by ${[...people].join(', ')}`,
    `manifest ${order?.order.digest ?? 'none'}`,
    `logbook ${headText(state, 64)}`,
  ].join('\n')}\n`;
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
