/** The plan of a proposal that was begun before: its change is what its branch has, and not what would be chosen now. */

import { GitError } from '../../domain/git.ts';
import { riskOf } from '../../ferry/ask/risk-of.ts';
import { configDelta } from '../../ferry/delta/config-delta.ts';
import type { ProposalView } from '../../ferry/proposal-view.ts';
import { isSameValueText } from '../../ferry/value-text.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Begun } from './begun.ts';
import { type Failed, type Nothing, nothing } from './outcome.ts';
import { type PlanInput, type Planned, viewOf } from './plan.ts';
import { sinceLastFerry } from './since-last.ts';

/** Throws `GitError` where git cannot tell. */
export async function planOfBegun(
  open: OpenLab,
  begun: Begun,
  input: PlanInput,
): Promise<Planned | Nothing | Failed> {
  const context = await sinceLastFerry(open, begun.mergeBase, input.date);
  if ('kind' in context) return context;
  const changes = await changesOf(open, begun);
  if (changes === null) return nothing('edit-refused', `the branch of ${begun.run} changes more than knobs`);
  const view = {
    ...viewOf(open, input, context),
    changes,
    rationale: null,
    ...originOf(open, changes, input),
  };
  return { kind: 'planned', base: begun.mergeBase, text: null, view };
}

async function changesOf(
  { lab, git, config }: OpenLab,
  begun: Begun,
): Promise<ProposalView['changes'] | null> {
  const path = config.lanes.daily.experiment;
  const [before, after] = [await git.readText(begun.mergeBase, path), await git.readText(begun.tip, path)];
  if (before === null || after === null) throw new GitError('unreadable', `${path} is not on the branch`);
  const parser = await lab.parser();
  const delta = configDelta(parser.parse(before), parser.parse(after));
  if (delta.kind === 'none') return [];
  return delta.kind === 'knobs' ? delta.changes : null;
}

/** The candidate that the change must have come from; one that the config no longer has is not told. */
function originOf(
  open: OpenLab,
  changes: ProposalView['changes'],
  { request }: PlanInput,
): Pick<ProposalView, 'risk' | 'reason' | 'candidate'> {
  const lane = open.config.lanes.daily;
  const risk = riskOf(changes, lane);
  const [only] = changes;
  if (request !== null) return { risk: only === undefined ? 'low' : risk, reason: '', candidate: null };
  const candidate = lane.candidates.find(
    (one) => one.path === only?.path && one.values.some((value) => isSameValueText(value, only.after ?? '')),
  );
  return candidate === undefined || changes.length > 1
    ? { risk, reason: 'its commit has the reason', candidate: null }
    : { risk: candidate.risk, reason: candidate.reason, candidate: candidate.id };
}
