/** The plan of a proposal that was begun before: its change is what its branch has, and not what would be chosen now. */

import { GitError } from '../../../domain/git.ts';
import type { Sha } from '../../../domain/ids.ts';
import { askOf } from '../../../run/propose-request.ts';
import {
  type Failed,
  type Nothing,
  nothing,
  type PartialProposal,
  type PlanInput,
  type Planned,
  type PlanWork,
} from '../../../run/proposing.ts';
import { askedChange } from '../ask/asked-change.ts';
import { riskOf } from '../ask/risk-of.ts';
import { applyEdits } from '../edit.ts';
import { ferryLane } from '../settings.ts';
import { isSameValueText } from '../value-text.ts';
import type { ProposalView } from '../words/proposal-context.ts';
import { readerOf, startOn } from './experiment.ts';
import { knobsBetween, planned, viewOf } from './plan.ts';
import { sinceLastFerry } from './since-last.ts';

/** Throws `GitError` where git cannot tell. */
export async function planOfBegun(
  open: PlanWork,
  begun: PartialProposal,
  input: PlanInput,
): Promise<Planned | Nothing | Failed> {
  const context = await sinceLastFerry(open, begun.mergeBase, input.date);
  if ('kind' in context) return context;
  const path = ferryLane(open.config.lane).experiment;
  for (const commit of [begun.mergeBase, begun.tip])
    if ((await open.git.readText(commit, path)) === null)
      return nothing('edit-refused', `the branch of ${begun.run} has no ${path}`);
  const file = await proposedFile(open, begun);
  if (file.knobs === null)
    return nothing('edit-refused', `the branch of ${begun.run} changes more than knobs`);
  const { changes, total } = file.knobs;
  const start = { ...file.start, total };
  const origin = originOf(open, changes, input);
  const view = { ...viewOf(open, input, context), changes, start, rationale: null, ...origin };
  const head = (await isAsWritten(open, begun, file, { changes, candidate: origin.candidate, ...input }))
    ? begun.tip
    : null;
  return planned(open, view, { base: begun.mergeBase, files: {}, head });
}

type Origin = Pick<ProposalView, 'changes' | 'candidate'> & Pick<PlanInput, 'request'>;

/** `knobs` null: it changes more than values of knobs. */
export type ProposedFile = {
  readonly start: Pick<ProposalView['start'], 'pass' | 'notTaken'>;
  readonly knobs: {
    readonly changes: ProposalView['changes'];
    readonly total: ProposalView['start']['total'];
  } | null;
  /** What it was to start from, and what it has. */
  readonly from: string;
  readonly text: string;
};

/**
 * Whether the branch is, byte for byte, what is written here for a value of the config's list, for the knobs that a person
 * named, or for the same configuration again. Then nothing in it is anybody else's work, whoever pushed it: the process
 * that did so died before it could record which commit was its own.
 */
async function isAsWritten(
  open: PlanWork,
  { mergeBase, tip }: { readonly mergeBase: Sha; readonly tip: Sha },
  { from, text }: ProposedFile,
  { changes, candidate, request }: Origin,
): Promise<boolean> {
  const { git, config } = open;
  const path = ferryLane(config.lane).experiment;
  const touched = await git.changedPaths(mergeBase, tip);
  if (touched.length > 1 || (touched.length === 1 && touched[0] !== path)) return false;
  const asked = request === null ? [] : askOf(request).knobs;
  if (changes.length === 0) return text === from && asked.length === 0;
  if (request === null && candidate === null) return false;
  const read = readerOf(open);
  const file = await read(from);
  if (file.kind === 'unparsable') return false;
  const edits = changes.map(({ path: knob, after }) => ({ path: knob, after: after ?? '' }));
  const written =
    request === null ? await applyEdits(file, edits, read) : await askedChange(file, read, asked, null);
  return written.ok && written.value.text === text;
}

/** The experiment's file of a change by its knobs, against the branch and against the pass. Throws `GitError`. */
export async function proposedFile(
  open: PlanWork,
  begun: Pick<PartialProposal, 'mergeBase' | 'tip'>,
): Promise<ProposedFile> {
  const { git, config } = open;
  const path = ferryLane(config.lane).experiment;
  const [onBranch, text] = [await git.readText(begun.mergeBase, path), await git.readText(begun.tip, path)];
  if (onBranch === null || text === null) throw new GitError('unreadable', `${path} is not on the branch`);
  const { text: from, pass, notTaken } = await startOn(open, begun.mergeBase, onBranch);
  const read = readerOf(open);
  const changes = await knobsBetween(read, from, text);
  const total = await knobsBetween(read, onBranch, text);
  const knobs = changes === null || total === null ? null : { changes, total };
  return { start: { pass, notTaken }, knobs, from, text };
}

/** The candidate that the change must have come from; one that the config no longer has is not told. */
function originOf(
  open: PlanWork,
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
