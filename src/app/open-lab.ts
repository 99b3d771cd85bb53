/** Opens a repository: fetches, reads the config in force, and loads the verified record. */

import type { ListedPeople } from '../config/approvals-schema.ts';
import type { ConfigHealth } from '../domain/facts.ts';
import { type FetchRequest, GitError, type GitReader } from '../domain/git.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { memoize, type Sha } from '../domain/values.ts';
import { listLabelledPulls } from '../github/issues.ts';
import { readAccounts } from '../github/settings.ts';
import { readThread } from '../github/threads.ts';
import { recentMarks } from '../logbook/mark.ts';
import { LOGBOOK_BRANCH } from '../logbook/store/git-store.ts';
import type { Proposes } from '../run/kind.ts';
import { allLanes, configForRun, configOfLane, type LabConfig, type LaneScopedConfig } from '../run/lane.ts';
import { listPublishedHeads } from '../run/publications.ts';
import type { ConfigProblem } from '../settings/problem.ts';
import { CONFIG_PATH, readLabConfig } from './config-source.ts';
import type { Lab, LabGit } from './lab.ts';
import { createPostedCache, type PostedCache, threadReading } from './markers.ts';
import { createEventStore, type EventStore } from './record.ts';
import type { Record } from './record-files.ts';

/** If there is no logbook, search this many of the newest pull requests for a card. */
const LOST_LOGBOOK_THREADS_MAX = 3;

/** Maximum problems in the log; the check on the pull request lists all of them. */
const CONFIG_PROBLEMS_LOGGED = 20;

export type OpenLab = {
  readonly lab: Lab;
  readonly defaultBranch: string;
  readonly config: LabConfig;
  /** Health of the newest config file; `config` is the last valid one. */
  readonly configHealth: ConfigHealth;
  readonly git: LabGit;
  readonly store: EventStore;
  readonly posted: PostedCache;
  readonly record: Record;
};

export type OpenLane = OpenLab & { readonly config: LaneScopedConfig };

export type ProposingLane = OpenLane & { readonly config: { readonly kind: { readonly proposals: Proposes } } };

/** Whether the lane's kind supports proposals. */
export function canPropose(open: OpenLane): open is ProposingLane {
  return open.config.kind.proposals !== undefined;
}

/** Selects one lane; null if it does not exist. */
export function openLane(open: OpenLab, laneName: string): OpenLane | null {
  const config = configOfLane(open.config, laneName);
  return config === null ? null : { ...open, config };
}

/** Selects the lane of a run. */
export function openLaneOfRun(open: OpenLab, state: RunState): OpenLane {
  return { ...open, config: configForRun(open.config, state) };
}

export type Opening =
  | { readonly kind: 'open'; readonly open: OpenLab }
  | { readonly kind: 'no-config'; readonly config: Extract<EffectiveConfig, { kind: 'none' }> };

/** Caches reads between triggers. The store is replaced only if the config changes. */
export type LabOpener = { readonly open: () => Promise<Opening> };

/** A placeholder identity until the config is read. */
const NO_ONE = { name: 'ferrybot', email: 'ferrybot@localhost.invalid' };

/** The record under its usual name, until the config is read. */
function usual({ now }: Lab): NonNullable<FetchRequest['record']> {
  return { branch: `refs/heads/${LOGBOOK_BRANCH}`, marks: recentMarks(now()) };
}

/** Opens the repository: fetches, reads the config in force, and verifies the record. */
export function createLabOpener(lab: Lab, branch: string): LabOpener {
  const reader = lab.gitAs(NO_ONE);
  const accountsOf = accountReader(lab);
  let hasLooked = false;
  let last: Omit<OpenLab, 'record' | 'configHealth'> | null = null;
  return {
    open: async () => {
      const record = last?.store.request() ?? usual(lab);
      await reader.fetch({ branches: [`refs/heads/${branch}`], record });
      const found = await readEffectiveConfig(reader, branch);
      if (found.kind === 'none') return { kind: 'no-config', config: found };
      for (const problem of found.problems.slice(0, CONFIG_PROBLEMS_LOGGED))
        lab.log(`config line ${problem.line}: ${problem.message}`);
      const config = await withAccounts(found.config, accountsOf);
      if (last === null || !isSameSources(last.config, config)) {
        const git = lab.gitAs(config.git);
        last = {
          lab,
          defaultBranch: branch,
          config,
          git,
          store: createEventStore(lab, config, git, last?.store.current() ?? null),
          posted: last?.posted ?? createPostedCache(),
        };
      }
      const { store } = last;
      // Load the config and the record from the same fetch.
      await store.load(store.request().branch === record.branch);
      if (store.current().head === null && store.current().broken.length === 0 && !hasLooked) {
        const thread = await findLostLogbookThread(lab, found.config);
        if (thread !== null) store.reportMissingBranch(thread);
      }
      // Only needed once: afterwards the store remembers what it saw.
      hasLooked = true;
      return { kind: 'open', open: { ...last, configHealth: configHealth(found), record: store.current() } };
    },
  };
}

/** How long the accounts of a login or a team are kept. The permission of each person is always read anew. */
const ACCOUNTS_KEPT_MS = 600_000;

type AccountsOf = (name: string) => Promise<readonly number[]>;

/** Reads the accounts of a login or a team. While GitHub does not tell, the ones that it told last count. */
function accountReader(lab: Lab): AccountsOf {
  const kept = new Map<string, { readonly ids: readonly number[]; readonly atMs: number }>();
  return async (name) => {
    const before = kept.get(name);
    if (before !== undefined && lab.now() - before.atMs < ACCOUNTS_KEPT_MS) return before.ids;
    const read = await readAccounts(lab.client, name);
    if (read.kind === 'unknown') lab.log(`GitHub does not show ${name}, which the config names: ${read.why}`);
    const ids = read.kind === 'known' ? read.value : (before?.ids ?? []);
    kept.set(name, { ids, atMs: lab.now() });
    return ids;
  };
}

/** Fills in the accounts of the logins and teams that the config names. */
async function withAccounts(config: LabConfig, accountsOf: AccountsOf): Promise<LabConfig> {
  const { approvals, onCall } = config;
  const lanes = Object.entries(config.lanes);
  const listed = [
    ...approvals.users,
    ...onCall.shifts.flatMap(({ users }) => users),
    ...lanes.flatMap(([, { inCharge }]) => inCharge),
  ];
  const named = new Map<string, readonly number[]>();
  for (const { written } of listed) if (written.startsWith('@')) named.set(written, await accountsOf(written));
  if (named.size === 0) return config;
  const filled = (list: readonly ListedPeople[]): ListedPeople[] =>
    list.map((one) => ({ ...one, ids: named.get(one.written) ?? one.ids }));
  return {
    ...config,
    approvals: { ...approvals, users: filled(approvals.users) },
    onCall: { ...onCall, shifts: onCall.shifts.map((shift) => ({ ...shift, users: filled(shift.users) })) },
    lanes: Object.fromEntries(lanes.map(([name, lane]) => [name, { ...lane, inCharge: filled(lane.inCharge) }])),
  };
}

/** Compares by content; equal files keep the same object. */
function isSameSources(before: LabConfig, now: LabConfig): boolean {
  return before === now || JSON.stringify(before) === JSON.stringify(now);
}

/**
 * Finds the newest thread with a ferrybot card, which proves that a record existed; null if there is none. Throws `GitError` if GitHub
 * fails, because a new logbook must not be started then.
 */
async function findLostLogbookThread(lab: Lab, config: LabConfig): Promise<number | null> {
  for (const label of new Set(allLanes(config).map(({ kind }) => kind.name))) {
    const pulls = await listLabelledPulls(lab.client, label, LOST_LOGBOOK_THREADS_MAX);
    if (pulls.kind === 'unknown') throw new GitError('unreadable', `there is no logbook, and ${pulls.why}`);
    for (const number of pulls.value) {
      const read = await readThread(lab.client, number, threadReading(lab, config));
      if (read.kind === 'unknown') throw new GitError('unreadable', `there is no logbook, and ${read.why}`);
      if (listPublishedHeads(read.value.comments).length > 0) return number;
    }
  }
  return null;
}

// The config in force: the last valid one of the default branch.

/** Maximum number of earlier versions to try. */
const CONFIG_HISTORY_COMMITS = 20;

type ConfigBreak = { readonly commit: Sha; readonly atMs: number };

/** `problems` describe the newest file; `config` is the last valid one. */
export type EffectiveConfig =
  | {
      readonly kind: 'in-force';
      readonly config: LabConfig;
      readonly commit: Sha;
      readonly problems: readonly ConfigProblem[];
      /** Null if the newest config is valid. */
      readonly brokenSince: ConfigBreak | null;
    }
  | {
      readonly kind: 'none';
      readonly problems: readonly ConfigProblem[];
      readonly why: 'no-branch' | 'no-file' | 'invalid';
    };

/** Reads the config at the tip of a branch, or the last valid version in its history. */
export async function readEffectiveConfig(git: GitReader, branch: string): Promise<EffectiveConfig> {
  const tip = await git.resolve(`refs/heads/${branch}`);
  if (tip === null) return { kind: 'none', problems: [], why: 'no-branch' };
  const newest = await git.readText(tip, CONFIG_PATH);
  if (newest === null) return { kind: 'none', problems: [], why: 'no-file' };
  const reading = readConfigOnce(newest);
  if (reading.kind === 'valid')
    return { kind: 'in-force', config: reading.config, commit: tip, problems: reading.warnings, brokenSince: null };
  const found = await findLastValidConfig(git, tip);
  return found === null
    ? { kind: 'none', problems: reading.problems, why: 'invalid' }
    : { kind: 'in-force', ...found, problems: reading.problems };
}

/** Summarizes the config in force for the gates. */
export function configHealth(found: Extract<EffectiveConfig, { readonly kind: 'in-force' }>): ConfigHealth {
  const errors = found.problems.filter(({ severity }) => severity === 'error');
  return {
    isValid: found.brokenSince === null,
    problems: errors.length,
    first: errors[0] === undefined ? '' : [errors[0].path, errors[0].message].filter(Boolean).join(': '),
    line: errors[0]?.line ?? 0,
    inForce: found.commit,
    since: found.brokenSince === null ? null : new Date(found.brokenSince.atMs).toISOString(),
    missingLane: null,
  };
}

type LastValid = Pick<Extract<EffectiveConfig, { readonly kind: 'in-force' }>, 'config' | 'commit'> & {
  readonly brokenSince: ConfigBreak;
};

async function findLastValidConfig(git: GitReader, tip: Sha): Promise<LastValid | null> {
  const commits = await git.log({
    from: tip,
    not: null,
    sinceMs: null,
    paths: [CONFIG_PATH],
    limit: CONFIG_HISTORY_COMMITS,
  });
  const [first, ...earlier] = commits;
  if (first === undefined) return null;
  let broken = first;
  for (const commit of earlier) {
    const text = await git.readText(commit.sha, CONFIG_PATH);
    const past = text === null ? null : readConfigOnce(text);
    if (past?.kind === 'valid')
      return { config: past.config, commit: commit.sha, brokenSince: { commit: broken.sha, atMs: broken.atMs } };
    broken = commit;
  }
  return null;
}

const readConfigOnce = memoize(
  (text: string) => readLabConfig(text),
  (text) => text,
);
