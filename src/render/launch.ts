/** The launch comment: everything that the policy asks to be captured and posted (policy DF-24). */

import type { Actor } from '../domain/actor.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import { fixMade } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fenced } from './escape.ts';
import { commandText, jobTable } from './job-table.ts';
import { code, digestHex, listed, paragraphs, person } from './words.ts';

/** Job id, cluster, links, time, commit, manifest, approvers and the exact scrubbed command. */
export function renderLaunch(state: RunState): string {
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

/** The people on whose approvals the order rested. */
function approversOf({ order, approvals }: RunState): readonly Actor[] {
  const ids = new Set(order?.order.approvals.map((approval) => approval.user) ?? []);
  const named = new Map(approvals.filter((a) => ids.has(a.actor.id)).map((a) => [a.actor.id, a.actor]));
  return [...named.values()];
}
