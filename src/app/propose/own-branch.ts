/** A proposal's branch: pushed once, and known as ours by what it holds, whichever of two processes pushed it. */

import type { Sha } from '../../domain/ids.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { branchMark } from '../../run/branch-mark.ts';
import { type Failed, notDone, type Planned } from '../../run/proposing.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane } from '../open-lab.ts';
import { begunAs, isPartialFor, proposalBranchOf } from './partial-proposal.ts';

/** The branch is there and ours; new where this process has just made it, of the commit `head`. */
export type OurBranch = {
  readonly kind: 'ours';
  readonly name: string;
  readonly isNew: boolean;
  readonly head: Sha | null;
};

/** `lost`: the name was taken by another proposal at the same moment; decide again. */
export type Lost = { readonly kind: 'lost' };

/** Pushes the branch, or finds the one that was pushed before for the same request. Throws `GitError`. */
export async function pushedBranch(
  open: OpenLane,
  planned: Planned,
  request: SeenCommand | null,
): Promise<Failed | Lost | OurBranch> {
  const { run, files, base, head: begunHead, words } = planned;
  const ours = { kind: 'ours', name: proposalBranchOf(run) } as const;
  // Without a branch of its own it runs what the lane's branch has.
  if (files === null) return { ...ours, name: open.config.lane.targetBranch, isNew: false, head: base };
  if (begunHead !== undefined) return begunBranch(open, planned, request);
  if ((await begunAs(open, run)) !== null) return { kind: 'lost' };
  const message = words.commit(branchMark(request === null ? null : commandKey(request)));
  const pushed = await perform(open, { kind: 'push-branch', branch: ours.name, base, files, message });
  if (pushed.kind !== 'done') return notDone(`the branch ${ours.name}`, pushed);
  // A push that found the branch there says so as done: somebody else was faster, and completes what they began.
  if (pushed.isNew !== true) return { kind: 'lost' };
  await open.git.fetch();
  return { ...ours, isNew: true, head: pushed.sha ?? null };
}

/** The branch that was pushed before, where it is still there and still the same request's. */
async function begunBranch(
  open: OpenLane,
  { run, head }: Planned,
  request: SeenCommand | null,
): Promise<Failed | Lost | OurBranch> {
  const name = proposalBranchOf(run);
  const known = await begunAs(open, run);
  if (known === null) return { kind: 'failed', code: 'unreadable', why: `the branch ${name} is not there` };
  if (!isPartialFor(known, request)) return { kind: 'lost' };
  return { kind: 'ours', name, isNew: false, head: known.tip === head ? known.tip : null };
}
