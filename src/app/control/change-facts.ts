/** Reads a proposed change from git: paths, tree ids and the config delta. Control and the runner use the same code. */

import { listExcludedPaths } from '../../config/lane-of-file.ts';
import { diffConfigs } from '../../delta/config-delta.ts';
import { dataFormatOf, readDataFile } from '../../delta/read-data-file.ts';
import { type BranchWork, NO_BRANCH_WORK } from '../../domain/actor.ts';
import type { ChangeFacts, FileChange, PullFacts } from '../../domain/facts.ts';
import { GitError, type GitReader, orUnknown } from '../../domain/git.ts';
import type {
  BaseFacts,
  Delta,
  FileReading,
  ModelSize,
  ReadExperiment,
  RunBase,
} from '../../domain/launch/change-facts.ts';
import { attemptToContinue, lastFailure } from '../../domain/launch/next-attempt.ts';
import { limits } from '../../domain/limits.ts';
import { isAdopted } from '../../domain/logbook/holdings.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import {
  type Instant,
  instantFromMs,
  known,
  type Observed,
  type Sha,
  type TreeId,
  unknown,
} from '../../domain/values.ts';
import type { GitHubClient } from '../../github/call.ts';
import { readBranchWork, readPreviousTips } from '../../github/proposal-work.ts';
import { createPythonReader } from '../../host/python-child.ts';
import { findProvenBase, type LaneScopedConfig } from '../../run/lane.ts';
import { createPathMatcher } from '../../settings/words.ts';
import type { Lab } from '../lab.ts';

/** Limit of the cache: enough for the bases of all live runs and their branches. */
const PAST_TIPS_KEPT = 200;

export const NEEDS_GITHUB = unknown('only GitHub knows: it is judged on the pull request');

/**
 * The base of `head` on a branch with the tip `tip`; null if they share no history. Asks GitHub only about commits that this process never
 * saw as a tip. `client` is null if GitHub cannot be asked. Throws `GitError`.
 */
async function findMergeBase(
  client: GitHubClient | null,
  git: Pick<GitReader, 'mergeBase' | 'log'>,
  branch: string,
  { tip, head }: { readonly tip: Sha; readonly head: Sha },
): Promise<Pick<ChangeFacts, 'mergeBase' | 'isPastTip'> | null> {
  const mergeBase = await git.mergeBase(tip, head);
  if (mergeBase === null) return null;
  if (client === null) return { mergeBase, isPastTip: mergeBase === tip ? known(true) : NEEDS_GITHUB };
  rememberTip(client, `${branch} ${tip}`);
  if (client.formerTips.has(`${branch} ${mergeBase}`)) return { mergeBase, isPastTip: known(true) };
  const tips = await readPreviousTips(client, branch, mergeBase);
  if (tips.kind === 'unknown') return { mergeBase, isPastTip: tips };
  if (tips.value.has(mergeBase)) {
    rememberTip(client, `${branch} ${mergeBase}`);
    return { mergeBase, isPastTip: known(true) };
  }
  if (head !== mergeBase) return { mergeBase, isPastTip: known(false) };
  // The head was already merged. Use the commit that the branch pointed to before the merge as the base.
  const past = await git.log({ from: head, not: null, sinceMs: null, paths: [], limit: limits.branchMovesRead });
  const before = past.find(({ sha }) => tips.value.has(sha));
  return { mergeBase: before?.sha ?? mergeBase, isPastTip: known(before !== undefined) };
}

function rememberTip({ formerTips }: GitHubClient, tip: string): void {
  formerTips.delete(tip);
  formerTips.add(tip);
  const oldest = formerTips.keys().next();
  if (formerTips.size > PAST_TIPS_KEPT && oldest.done !== true) formerTips.delete(oldest.value);
}

/** A fix changes few files. If more files differ, a person has to judge them. */
const COMPARED_FILES_MAX = 100;
/** Later commits under the shipped paths that the freshness gate lists. */
const LATER_COMMITS_MAX = 5;

/** The run that proposes the change, and the record for checking its claims about earlier runs. Null if there is no run. */
type RunOfChange = { readonly state: RunState; readonly runs: readonly RunState[] } | null;

/** Where to read a change. `client` is null if GitHub cannot be asked. */
type ChangeReader = {
  readonly lab: Pick<Lab, 'readExperiment' | 'pythonVersion'> & { readonly client: Lab['client'] | null };
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
};

/** The change from its base to `head`, and from the run that it continues. Unknown if git fails. */
export async function gatherChangeFacts(
  reader: ChangeReader,
  head: Sha,
  run: RunOfChange,
): Promise<Observed<ChangeFacts>> {
  const { lab, git, config } = reader;
  const { lane } = config;
  const leavesOut = listExcludedPaths(config);
  const proven = run === null ? known(null) : findProvenBase(run.state, run.runs);
  if (proven.kind === 'unknown') return proven;
  return orUnknown(async () => {
    const tip = await git.resolve(`refs/heads/${lane.targetBranch}`);
    if (tip === null) return unknown(`there is no branch ${lane.targetBranch}`);
    const base = await findMergeBase(lab.client, git, lane.targetBranch, { tip, head });
    if (base === null) return unknown('the proposed commit has no history in common with the branch');
    const { mergeBase } = base;
    const stray = (await git.mergeBase(tip, head)) === head ? null : await findStrayBranch(git, config, run, head);
    if (stray !== null) return unknown(stray);
    const laterCommits = await git.log({
      from: tip,
      not: mergeBase,
      sinceMs: null,
      paths: lane.ships,
      leavesOut,
      limit: LATER_COMMITS_MAX,
    });
    const python = await lab.pythonVersion(lane.python);
    if (python.kind === 'unknown') return python;
    const trees = await readTreeIds(git, head, lane.ships, leavesOut);
    const delta = await readDelta(reader, mergeBase, head);
    return known({
      headSha: head,
      baseSha: tip,
      ...base,
      changedPaths: await git.changedPaths(mergeBase, head),
      trees,
      delta,
      python: python.value,
      base: await readBaseFacts(reader, { mergeBase, head, passedRun: proven.value }),
      headAt: await readCommitTime(git, head),
      mergeBaseAt: await readCommitTime(git, mergeBase),
      size: await readModelSize(reader, head),
      laterCommits: laterCommits.map(({ sha, subject }) => ({ sha, subject })),
      sinceAttempt: await diffSinceAttempt(reader, head, run),
    });
  });
}

/**
 * Why the commit that a contract or a job names does not belong to this repository; null if it does. The check is needed because GitHub
 * also serves the commits of forks by their id.
 */
async function findStrayBranch(
  git: GitReader,
  { kind, pinned }: LaneScopedConfig,
  of: RunOfChange,
  head: Sha,
): Promise<string | null> {
  const contract = of?.state.contract ?? null;
  if (kind.adoption !== undefined && pinned?.commit === head)
    return (await git.isOnBranch(head)) ? null : `no branch of this repository has ${head.slice(0, 12)} any more`;
  const source = contract === null ? null : (kind.contracts?.source(contract) ?? null);
  if (source === null) return null;
  const { branch } = source;
  const tip = branch === null ? null : await git.resolve(`refs/heads/${branch}`);
  // rule HR-35
  if (tip !== null && (await git.mergeBase(tip, head)) === head) return null;
  return `${branch ?? 'the target branch'} does not have ${head.slice(0, 12)}: push it to a branch of this repository, and name that in the contract`;
}

/** Paths that differ from the failed attempt. Unknown without a failed attempt, or if git no longer has the commit. */
export async function changedSince(
  git: GitReader,
  state: RunState,
  change: Observed<ChangeFacts>,
): Promise<Observed<readonly string[]>> {
  const last = lastFailure(state);
  if (last === null) return unknown('no attempt has failed');
  if (isAdopted(last)) return unknown('it was launched by hand, of what is its own word alone');
  if (change.kind === 'unknown') return change;
  return orUnknown(async () => {
    return known(await git.changedPaths(last.submission.commit, change.value.headSha));
  });
}

/** Compares the files one by one, because only the kind knows which files affect training. */
async function diffSinceAttempt(
  { lab, git, config }: ChangeReader,
  head: Sha,
  of: RunOfChange,
): Promise<readonly FileChange[] | null> {
  const last = of === null ? null : (lastFailure(of.state) ?? attemptToContinue(of.state.proposal, of.runs));
  if (config.kind.isCritical !== true || last === null) return null;
  const { commit } = last.submission;
  const isLeftOut = createPathMatcher(listExcludedPaths(config));
  const isShipped = (path: string): boolean =>
    !isLeftOut(path) && config.lane.ships.some((one) => one === '.' || path === one || path.startsWith(`${one}/`));
  const paths = (await git.changedPaths(commit, head)).filter(isShipped);
  const found: FileChange[] = [];
  for (const path of paths) {
    const isRead = path.endsWith('.py') && found.length < COMPARED_FILES_MAX;
    const [before, after] = isRead ? [await git.readText(commit, path), await git.readText(head, path)] : [null, null];
    const isBoth = before !== null && after !== null;
    found.push({
      path,
      delta: isBoth ? await diffTexts(lab, { path, python: config.lane.python }, before, after) : null,
    });
  }
  return found;
}

async function readCommitTime(git: GitReader, commit: Sha): Promise<Instant> {
  const [newest] = await git.log({ from: commit, not: null, sinceMs: null, paths: [], limit: 1 });
  const at = instantFromMs(newest?.atMs ?? Number.NaN);
  if (at === null) throw new GitError('unreadable', `git does not tell the time of ${commit}`);
  return at;
}

async function readTreeIds(
  git: GitReader,
  commit: Sha,
  paths: readonly string[],
  leavesOut: readonly string[],
): Promise<Readonly<Record<string, TreeId | null>>> {
  const trees: Record<string, TreeId | null> = {};
  for (const path of paths) trees[path] = await git.treeId(commit, path, createPathMatcher(leavesOut));
  return trees;
}

async function readDelta({ lab, git, config: { kind, lane } }: ChangeReader, from: Sha, to: Sha): Promise<Delta> {
  const path = kind.proposals?.change?.file(lane);
  if (path === undefined) return { kind: 'none' };
  const [base, head] = [await git.readText(from, path), await git.readText(to, path)];
  if (base === null || head === null) {
    const side = base === null ? 'base' : 'head';
    return { kind: 'structural', side, line: 1, statement: `${path} is not there` };
  }
  return diffTexts(lab, { path, python: lane.python }, base, head);
}

async function diffTexts(
  lab: Pick<Lab, 'readExperiment'>,
  file: Parameters<ReadExperiment>[1],
  base: string,
  head: string,
): Promise<Delta> {
  if (base === head) return { kind: 'none' };
  return diffConfigs(await lab.readExperiment(base, file), await lab.readExperiment(head, file));
}

/** The model size at the head. If the file does not parse, the delta reports that. */
async function readModelSize({ lab, git, config: { kind, lane } }: ChangeReader, head: Sha): Promise<ModelSize | null> {
  const change = kind.proposals?.change;
  const sizeIn = change?.size(lane) ?? null;
  if (change === undefined || sizeIn === null) return null;
  const path = change.file(lane);
  const text = await git.readText(head, path);
  if (text === null) return { kind: 'unknown', why: `${path} is not there` };
  const file = await lab.readExperiment(text, { path, python: lane.python });
  return file.kind === 'read' ? sizeIn(file) : { kind: 'unknown', why: 'the experiment does not parse' };
}

/** The difference from the earlier run. It is computed from commits, so that a proposal cannot claim settings that never ran. */
async function readBaseFacts(
  { lab, git, config: { kind, lane } }: ChangeReader,
  place: { readonly mergeBase: Sha; readonly head: Sha; readonly passedRun: RunBase | null },
): Promise<BaseFacts | null> {
  const { mergeBase: onto, head, passedRun } = place;
  const change = kind.proposals?.change;
  if (change === undefined || passedRun === null) return null;
  const path = change.file(lane);
  const text = await git.readText(head, path);
  // The delta against the target branch reports the missing file.
  if (text === null) return null;
  const file = { path, python: lane.python };
  const readSource = (source: string): Promise<FileReading> => lab.readExperiment(source, file);
  const start = await change.start(git, readSource, { path, passCommit: passedRun.commit, baseCommit: onto });
  const delta = await diffTexts(lab, file, start.text, text);
  return { ...passedRun, delta, notTaken: start.notTaken };
}

/** The branch's commits with their authors, according to GitHub; unknown if GitHub does not return them. */
export async function branchWork(
  { client }: Pick<Lab, 'client'>,
  { proposal, contract }: RunState,
  pull: PullFacts,
  { headSha, mergeBase, isPastTip }: ChangeFacts,
): Promise<Observed<BranchWork>> {
  if (headSha !== pull.headSha) return unknown('the branch moved while it was read');
  const { headBranch, baseBranch } = pull;
  if (headBranch === baseBranch || contract !== null) {
    if (isPastTip.kind === 'unknown') return isPastTip;
    // Commits of the target branch were reviewed there, so a contract that names one adds no work to review.
    if (headSha === mergeBase && isPastTip.value) return known(NO_BRANCH_WORK);
    if (headBranch === baseBranch)
      return unknown(
        `${baseBranch} did not point to ${headSha.slice(0, 12)} in its newest ${limits.branchMovesRead} moves: name a commit that it pointed to`,
      );
  }
  const own = proposal.head ?? null;
  return readBranchWork(client, { branch: headBranch, base: mergeBase, head: headSha, own });
}

/** Same as `branchWork`, for a run with unread facts. Skips the requests if one approval is enough. */
export async function readKnownBranchWork(
  lab: Pick<Lab, 'client'>,
  { approvals }: LaneScopedConfig,
  state: RunState,
  { pull, change }: { readonly pull: Observed<PullFacts>; readonly change: Observed<ChangeFacts> },
): Promise<Observed<BranchWork>> {
  if (pull.kind === 'unknown') return pull;
  if (approvals.onePersonIsEnough || pull.value.headSha === state.proposal.head) return known(NO_BRANCH_WORK);
  return change.kind === 'unknown' ? change : branchWork(lab, state, pull.value, change.value);
}

/** Reads experiment files in every format. `path`: the PATH for interpreters. A suffix that is no data format is read as Python. */
export function createExperimentReader(path: string): ReadExperiment {
  const readPython = createPythonReader(path);
  return async (source, file) => {
    const format = dataFormatOf(file.path);
    return format === null ? readPython(source, file.python) : readDataFile(source, format);
  };
}
