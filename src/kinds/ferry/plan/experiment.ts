/** What a proposal starts from: the experiment file of the lane's last sealed pass, on the tip of the lane's branch. */

import type { ExperimentFile, ReadFile } from '../../../domain/experiment.ts';
import type { Sha } from '../../../domain/ids.ts';
import type { NotTaken, RunBase } from '../../../domain/launch/base.ts';
import { lastPass } from '../../../run/last-pass.ts';
import type { PlanWork } from '../../../run/proposing.ts';
import { type Nothing, nothing } from '../../../run/proposing.ts';
import { readStart } from '../read-start.ts';
import { ferryLane } from '../settings.ts';

/** `text` and `file` are what the run starts from; `onBranch` is the file as the target branch has it at `base`. */
export type Experiment = Start & {
  readonly kind: 'read';
  readonly base: Sha;
  readonly onBranch: string;
  readonly file: ExperimentFile;
  readonly read: ReadFile;
};

/** `pass` null: none of the lane is sealed, and it starts from the target branch. */
export type Start = {
  readonly text: string;
  readonly pass: RunBase | null;
  readonly notTaken: readonly NotTaken[];
};

/** Throws `GitError` where git cannot tell. */
export async function readExperiment(open: PlanWork): Promise<Experiment | Nothing> {
  const { config, git } = open;
  const lane = ferryLane(config.lane);
  const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
  const onBranch = base === null ? null : await git.readText(base, lane.experiment);
  if (base === null || onBranch === null)
    return nothing('experiment-missing', `${lane.experiment} is not on ${lane.targetBranch}`);
  const read = readerOf(open);
  const branchFile = await read(onBranch);
  if (branchFile.kind === 'unparsable') return unreadable(branchFile);
  const start = await startOn(open, base, onBranch);
  const file = await read(start.text);
  return file.kind === 'unparsable'
    ? unreadable(file)
    : { kind: 'read', base, onBranch, ...start, file, read };
}

function unreadable({ line, message }: { readonly line: number; readonly message: string }): Nothing {
  return nothing('experiment-unparsable', `line ${line}: ${message}`);
}

/** Reads files with the interpreter of the lane. */
export function readerOf({ lab, config }: Pick<PlanWork, 'lab' | 'config'>): ReadFile {
  return (text) => lab.readExperiment(text, config.lane.python);
}

/** What a run that is made on this commit starts from. Throws `GitError` where git cannot tell. */
export async function startOn(open: PlanWork, onto: Sha, onBranch: string): Promise<Start> {
  const { config, git, store } = open;
  const path = ferryLane(config.lane).experiment;
  const pass = lastPass(store.current().runs, { lane: config.laneName, experiment: path });
  // A branch whose history was rewritten has nothing in common with what ran: it is a beginning, and nobody waits for ever.
  if (pass === null || (await git.mergeBase(onto, pass.commit)) === null)
    return { text: onBranch, pass: null, notTaken: [] };
  return { ...(await readStart(git, readerOf(open), { path, pass: pass.commit, onto })), pass };
}
