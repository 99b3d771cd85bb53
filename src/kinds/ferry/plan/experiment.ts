/** What a proposal starts from: the experiment file of the lane's last sealed pass, on the tip of the lane's branch. */

import type { ExperimentFile, ReadFile } from '../../../domain/experiment.ts';
import { GitError, type LoggedCommit } from '../../../domain/git.ts';
import type { NotTaken, RunBase } from '../../../domain/launch/change-facts.ts';
import { limits } from '../../../domain/limits.ts';
import type { IntervalStart } from '../../../domain/logbook/events/launch-events.ts';
import { runsOfLane } from '../../../domain/logbook/run-state.ts';
import { branded, isSha, type Sha } from '../../../domain/values.ts';
import { lastPass } from '../../../run/lane-history.ts';
import { type Failed, type Nothing, nothing, type PlanWork } from '../../../run/proposing.ts';
import { readStart } from '../edit.ts';
import {
  type GivenFerry,
  type IntervalContext,
  intervalContext,
  intervalStart,
  lastFerryOf,
} from '../interval.ts';
import { ferryLane } from '../settings.ts';

/** Without a last ferry the context begins so many days ago, and the PR says that it is a fallback. */
const INTERVAL_FALLBACK_DAYS = 7;

/** The context of a ferry of this day on the tip `base`. Throws `GitError` where git cannot tell. */
export async function sinceLastFerry(
  open: PlanWork,
  base: Sha,
  date: string,
): Promise<IntervalContext | Failed> {
  const { runs } = open.store.current();
  const last = lastFerryOf(runsOfLane(runs, open.config.laneName), `${date}~`);
  const given = ferryLane(open.config.lane).lastFerry;
  const from = last !== null || given === null ? null : await startOfGiven(open, base, given);
  // rule DF-40
  const start = intervalStart(last, date, INTERVAL_FALLBACK_DAYS, from);
  const issues = await open.issuesSince(`${start.sinceDate}T00:00:00Z`);
  if (issues.kind === 'unknown') return { kind: 'failed', code: 'unreadable', why: issues.why };
  const commits = await commitsSince(open, base, start);
  const ferryIssues = new Set(runs.map((run) => run.proposal.issue));
  return intervalContext({ start, last, given, commits, issues: issues.value, ferryIssues });
}

/** Its commit where the branch has it in its history, else its date alone: a word of the config keeps no ferry back. */
async function startOfGiven(
  { git }: PlanWork,
  base: Sha,
  { commit, date }: GivenFerry,
): Promise<{ readonly commit: Sha | null; readonly date: string }> {
  try {
    const sha = branded(commit, isSha);
    return { commit: (await git.mergeBase(base, sha)) === sha ? sha : null, date };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { commit: null, date };
  }
}

/** `git log SHA..HEAD -- <shipped paths>`, or since a date where no launch commit is known. */
async function commitsSince(
  open: PlanWork,
  base: Sha,
  { sinceCommit, sinceDate }: IntervalStart,
): Promise<readonly LoggedCommit[]> {
  const sinceMs = sinceCommit === null ? Date.parse(`${sinceDate}T00:00:00Z`) : null;
  const paths = open.config.lane.ships;
  const { leavesOut } = open;
  return open.git.log({
    from: base,
    not: sinceCommit,
    sinceMs,
    paths,
    leavesOut,
    limit: limits.intervalCommitsRead,
  });
}

/** `text` and `file` are what the run starts from; `onBranch` is the file as the target branch has it at `base`. */
export type Experiment = Start & {
  readonly kind: 'read';
  readonly base: Sha;
  readonly onBranch: string;
  readonly file: ExperimentFile;
  readonly read: ReadFile;
};

/** `pass` null: none of the lane is sealed, and it starts from the target branch. */
type Start = {
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
