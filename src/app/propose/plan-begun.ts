/** The plan of a proposal that was begun before: its change is what its branch has, and not what would be chosen now. */

import { GitError } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { askedChange } from '../../kinds/ferry/ask/asked-change.ts';
import { askOf } from '../../kinds/ferry/ask/request.ts';
import { riskOf } from '../../kinds/ferry/ask/risk-of.ts';
import { configDelta } from '../../kinds/ferry/delta/config-delta.ts';
import { applyEdits } from '../../kinds/ferry/edit.ts';
import type { ProposalView } from '../../kinds/ferry/proposal-view.ts';
import { ferryLane } from '../../kinds/ferry/settings.ts';
import { isSameValueText } from '../../kinds/ferry/value-text.ts';
import type { OpenLane } from '../open-lab.ts';
import type { Begun } from './begun.ts';
import { type Failed, type Nothing, nothing } from './outcome.ts';
import { type PlanInput, type Planned, viewOf } from './plan.ts';
import { sinceLastFerry } from './since-last.ts';

/** Throws `GitError` where git cannot tell. */
export async function planOfBegun(
  open: OpenLane,
  begun: Begun,
  input: PlanInput,
): Promise<Planned | Nothing | Failed> {
  const context = await sinceLastFerry(open, begun.mergeBase, input.date);
  if ('kind' in context) return context;
  const changes = await changesOf(open, begun);
  if (changes === null) return nothing('edit-refused', `the branch of ${begun.run} changes more than knobs`);
  const origin = originOf(open, changes, input);
  const view = { ...viewOf(open, input, context), changes, rationale: null, ...origin };
  const head = (await isAsWritten(open, begun, { ...input, changes, candidate: origin.candidate }))
    ? begun.tip
    : null;
  return { kind: 'planned', base: begun.mergeBase, text: null, head, view };
}

type Origin = Pick<ProposalView, 'changes' | 'candidate'> & Pick<PlanInput, 'request'>;

/**
 * Whether the branch is, byte for byte, what is written here for a value of the config's list, for the knobs that a person
 * named, or for the same configuration again. Then nothing in it is anybody else's work, whoever pushed it: the process
 * that did so died before it could record which commit was its own.
 */
async function isAsWritten(
  { lab, git, config }: OpenLane,
  { mergeBase, tip }: { readonly mergeBase: Sha; readonly tip: Sha },
  { changes, candidate, request }: Origin,
): Promise<boolean> {
  const path = ferryLane(config.lane).experiment;
  const touched = await git.changedPaths(mergeBase, tip);
  if (touched.length === 0) return changes.length === 0;
  if (touched.length > 1 || touched[0] !== path) return false;
  const before = await git.readText(mergeBase, path);
  if (before === null) return false;
  const parser = await lab.parser();
  const syntax = parser.parse(before);
  const edits = changes.map(({ path: knob, after }) => ({ path: knob, after: after ?? '' }));
  if (request === null && candidate === null) return false;
  const written =
    request === null
      ? applyEdits(syntax, edits, parser)
      : askedChange(syntax, parser, askOf(request).knobs, null);
  return written.ok && written.value.text === (await git.readText(tip, path));
}

async function changesOf(
  { lab, git, config }: OpenLane,
  begun: Begun,
): Promise<ProposalView['changes'] | null> {
  const path = ferryLane(config.lane).experiment;
  const [before, after] = [await git.readText(begun.mergeBase, path), await git.readText(begun.tip, path)];
  if (before === null || after === null) throw new GitError('unreadable', `${path} is not on the branch`);
  const parser = await lab.parser();
  const delta = configDelta(parser.parse(before), parser.parse(after));
  if (delta.kind === 'none') return [];
  return delta.kind === 'knobs' ? delta.changes : null;
}

/** The candidate that the change must have come from; one that the config no longer has is not told. */
function originOf(
  open: OpenLane,
  changes: ProposalView['changes'],
  { request }: PlanInput,
): Pick<ProposalView, 'risk' | 'reason' | 'candidate'> {
  const lane = ferryLane(open.config.lane);
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
