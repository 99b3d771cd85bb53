/** Plans a proposal: what the record, git and the issues say since the last ferry, and which value is tried next. Writes nothing. */

import type { Objective } from '../../domain/event.ts';
import type { LoggedCommit } from '../../domain/git.ts';
import type { RunId, Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/run-state.ts';
import { chooseCandidate, type RecentFerry } from '../../ferry/candidates.ts';
import { configDelta } from '../../ferry/delta/config-delta.ts';
import { readKnobs } from '../../ferry/delta/read-knobs.ts';
import { applyEdits } from '../../ferry/edit.ts';
import { intervalContext, intervalStart, lastFerryOf } from '../../ferry/interval.ts';
import type { ProposalView } from '../../ferry/proposal-view.ts';
import { listExperimentIssues } from '../../github/issues.ts';
import { fillLane } from '../../run/fill.ts';
import type { OpenLab } from '../open-lab.ts';
import type { ProposeOutcome } from './outcome.ts';

export type Planned = {
  readonly kind: 'planned';
  readonly view: ProposalView;
  readonly text: string;
  readonly base: Sha;
};

/** Plans today's change on the tip of the lane's branch. Throws `GitError` where git cannot tell. */
export async function planProposal(
  open: OpenLab,
  input: { readonly run: RunId; readonly date: string; readonly objective: Objective },
): Promise<Planned | Exclude<ProposeOutcome, { kind: 'proposed' | 'already' }>> {
  const { lab, config, git } = open;
  const lane = config.lanes.daily;
  const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
  const text = base === null ? null : await git.readText(base, lane.experiment);
  if (base === null || text === null)
    return nothing('experiment-missing', `${lane.experiment} is not on ${lane.targetBranch}`);
  const parser = await lab.parser();
  const syntax = parser.parse(text);
  const own = configDelta(syntax, syntax);
  if (own.kind === 'unparsable') return nothing('experiment-unparsable', `line ${own.line}: ${own.message}`);
  const { runs } = open.keeper.current();
  const choice = chooseCandidate({
    candidates: lane.candidates,
    knobs: readKnobs(syntax),
    recent: runs.map(recentFerryOf),
    today: input.date,
    memoryDays: lane.memoryDays,
    objective: input.objective,
  });
  if (choice.kind === 'none')
    return nothing(choice.reason, choice.skipped.map((s) => `${s.id}: ${s.why}`).join(', '));
  const context = await contextOf(open, base, input.date);
  if (context === null)
    return { kind: 'failed', code: 'unreadable', why: 'the experiment issues could not be listed' };
  const common = {
    run: input.run,
    date: input.date,
    lane: 'daily',
    runName: fillLane(lane, input).runName,
    experiment: lane.experiment,
    objective: input.objective,
    context,
    interval: context.start,
    issue: null,
    pull: null,
  };
  if (choice.kind === 'identical-rerun') {
    return {
      kind: 'planned',
      base,
      text,
      view: {
        ...common,
        changes: [],
        risk: 'low',
        reason: 'the same configuration again, to confirm or rule out a regression',
        candidate: null,
      },
    };
  }
  const edited = applyEdits(syntax, choice.edits, parser);
  if (!edited.ok) return nothing('edit-refused', `${choice.candidate.id}: ${edited.error.code}`);
  const view: ProposalView = {
    ...common,
    changes: edited.value.changes,
    risk: choice.risk,
    reason: choice.candidate.reason,
    candidate: choice.candidate.id,
  };
  return { kind: 'planned', base, text: edited.value.text, view };
}

function nothing(
  code: Extract<ProposeOutcome, { kind: 'nothing' }>['code'],
  why: string,
): Extract<ProposeOutcome, { kind: 'nothing' }> {
  return { kind: 'nothing', code, why };
}

async function contextOf(open: OpenLab, base: Sha, date: string): Promise<ProposalView['context'] | null> {
  const { runs } = open.keeper.current();
  const last = lastFerryOf(runs, `${date}~`);
  const start = intervalStart(last, date, limits.intervalFallbackDays);
  const issues = await listExperimentIssues(open.lab.client, `${start.sinceDate}T00:00:00Z`);
  if (issues.kind === 'unknown') return null;
  const commits = await commitsSince(open, base, start.sinceCommit, start.sinceDate);
  const ferryIssues = new Set(runs.map((run) => run.proposal.issue));
  return intervalContext({ start, last, commits, issues: issues.value, ferryIssues });
}

/** `git log SHA..HEAD -- <shipped paths>`, or since a date where no launch commit is known (policy/daily-ferry.md, step 1). */
async function commitsSince(
  open: OpenLab,
  base: Sha,
  sinceCommit: Sha | null,
  sinceDate: string,
): Promise<readonly LoggedCommit[]> {
  const sinceMs = sinceCommit === null ? Date.parse(`${sinceDate}T00:00:00Z`) : null;
  const paths = open.config.lanes.daily.ships;
  return open.git.log({ from: base, not: sinceCommit, sinceMs, paths, limit: limits.intervalCommitsRead });
}

/** A past run as the chooser's memory: what it changed and what came of it. */
function recentFerryOf(run: RunState): RecentFerry {
  return {
    date: run.proposal.date,
    candidate: run.proposal.candidate,
    changes: run.gate?.manifest?.delta ?? [],
    outcome: outcomeOf(run),
  };
}

function outcomeOf(run: RunState): RecentFerry['outcome'] {
  if (run.seal !== null) return run.seal.verdict === 'pass' ? 'passed' : 'stopped';
  if (run.submission === null) return 'not-launched';
  if (run.end?.status === 'FAILED') return 'failed';
  return run.end?.status === 'STOPPED' ? 'stopped' : 'unknown';
}
