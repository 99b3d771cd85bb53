/**
 * The complete state as one plain JSON object: tables of rows by id. Rows are never changed in place: a change replaces
 * the row in its table, so that a reader keeps a consistent row.
 */

import type { Artifact, CacheEntry } from '../actions/results/state-results.ts';
import type { CheckRun, CheckSuite, CommitStatus, Job, Run, RunPlan, Workflow } from '../actions/state-actions.ts';
import type { Deployment } from '../deployments/state-deployments.ts';
import type { Fault } from '../faults/fault.ts';
import type { App, Installation, Role, Token, User } from '../identity/state-people.ts';
import type { Release } from '../releases/state-releases.ts';
import type { Comment, Issue, Label, Milestone, Review, ReviewComment, ThreadEvent } from '../threads/state-threads.ts';
import type { Json } from './json.ts';
import type { ActionsSettings, RepoOptions, Ruleset, Runner, RunnerGroup, Team } from './state-settings.ts';

/** Rows by id (or by the key that the table's comment names). */
export type Table<Row> = Record<string, Row>;

export type Environment = {
  readonly name: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  /** True: only runs of the default branch get its secrets (the default of every seeded environment). */
  readonly defaultBranchOnly: boolean;
  /** Patterns of the refs that may use it, if it is not limited to the default branch; none = every ref. */
  readonly refs?: readonly { readonly name: string; readonly type: 'branch' | 'tag' }[];
};

export type BranchProtection = {
  /** Exact branch name. */
  readonly branch: string;
  /** Accounts that may push directly; null = everyone with write access. */
  readonly pushUserIds: readonly number[] | null;
  readonly requiredApprovals: number;
  readonly requiredChecks: readonly string[];
  /** The App that must report a check, by the check's name; absent: any App. */
  readonly checkAppIds?: Readonly<Record<string, number>>;
  /** The head must contain the base's tip before it may be merged. */
  readonly strict?: boolean;
  /** An approval counts only for the commit that was reviewed. */
  readonly dismissStale?: boolean;
};

export type Repo = {
  readonly id: number;
  readonly ownerId: number;
  readonly owner: string;
  readonly name: string;
  readonly description: string | null;
  readonly private: boolean;
  /** The repository that this one is a fork of. */
  readonly forkOfId?: number;
  readonly defaultBranch: string;
  readonly createdAtMs: number;
  readonly pushedAtMs: number;
  /** Role by user id. */
  readonly collaborators: Readonly<Record<string, Role>>;
  readonly labels: readonly Label[];
  readonly secrets: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly environments: readonly Environment[];
  readonly protections: readonly BranchProtection[];
  /** The setting "Allow GitHub Actions to create and approve pull requests"; off by default on GitHub. */
  readonly actionsMayCreatePulls: boolean;
  /** Absent: the settings of a new repository. */
  readonly actions?: ActionsSettings;
  /** Settings that differ from those of a new repository. */
  readonly options?: RepoOptions;
  /** Number of the newest issue or pull request. */
  readonly lastNumber: number;
};

/** One attempt to deliver a webhook to an App; the newest deliveries are kept. */
export type Delivery = {
  readonly id: number;
  readonly guid: string;
  readonly appId: number;
  readonly installationId: number | null;
  readonly repoId: number | null;
  readonly event: string;
  readonly action: string | null;
  readonly url: string;
  readonly deliveredAtMs: number;
  readonly durationMs: number;
  readonly redelivery: boolean;
  /** `OK`, `Invalid HTTP Response: 500`, `timed out`, `failed to connect to host`, … */
  readonly status: string;
  readonly statusCode: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The exact text that was signed. */
  readonly requestBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
};

/** One move of a branch, as the activity view of a repository shows it. */
export type Activity = {
  readonly id: number;
  readonly repoId: number;
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly kind: 'push' | 'force_push' | 'branch_creation' | 'branch_deletion' | 'pr_merge';
  readonly actorId: number;
  readonly atMs: number;
};

/** Which webhooks are lost: none, all, or a share of one event (`*` = any) decided by a seed. */
export type DropFault = 'none' | 'all' | { readonly event: string; readonly seed: number; readonly rate: number };

/** Requests of one caller, for the benchmarks. */
export type Usage = {
  readonly rest: number;
  readonly graphql: number;
  readonly notModified: number;
  readonly contentWrites: number;
  readonly mints: number;
  /** Fetches and pushes over git. They do not count against the API's limits and are reported separately. */
  readonly git: number;
};

/** A request for which the playground has no route; a test may fail on a non-empty list. */
export type Unserved = {
  readonly method: string;
  readonly path: string;
  readonly caller: string;
  readonly atMs: number;
};

export type State = {
  readonly version: 1;
  /** Last id issued, by table. */
  readonly counters: Record<string, number>;
  readonly users: Table<User>;
  readonly apps: Table<App>;
  readonly installations: Table<Installation>;
  /** By the token's text. */
  readonly tokens: Table<Token>;
  readonly repos: Table<Repo>;
  /** By `repoId#number`. */
  readonly issues: Table<Issue>;
  readonly comments: Table<Comment>;
  readonly reviews: Table<Review>;
  readonly reviewComments: Table<ReviewComment>;
  /** Changes of threads, except their labels. */
  readonly threadEvents: Table<ThreadEvent>;
  readonly milestones: Table<Milestone>;
  readonly deployments: Table<Deployment>;
  readonly releases: Table<Release>;
  readonly checkSuites: Table<CheckSuite>;
  readonly checkRuns: Table<CheckRun>;
  readonly statuses: Table<CommitStatus>;
  readonly workflows: Table<Workflow>;
  readonly runs: Table<Run>;
  readonly jobs: Table<Job>;
  /** By run id: the runner's progress in the newest attempt. */
  readonly runPlans: Table<RunPlan>;
  readonly artifacts: Table<Artifact>;
  readonly caches: Table<CacheEntry>;
  /** Log text by job id. */
  readonly logs: Table<string>;
  readonly deliveries: Table<Delivery>;
  readonly activities: Table<Activity>;
  readonly rulesets: Table<Ruleset>;
  readonly runners: Table<Runner>;
  readonly runnerGroups: Table<RunnerGroup>;
  readonly teams: Table<Team>;
  /** Ids of an organization's administrators, by its id. */
  readonly owners: Table<readonly number[]>;
  /** By caller (`user:ada`, `installation:1`, `workflow:7`, `app:1`, `anonymous`). */
  readonly usage: Table<Usage>;
  readonly unserved: Unserved[];
  /** Settings of the playground itself, set at `/_playground/faults`. */
  readonly settings: { drop: DropFault; faults: readonly Fault[] };
  /** How often each fault struck. */
  readonly faultsStruck: Table<number>;
  /** Storage for other parts of the playground (the runner's schedule cursor, …), by name of the part. */
  readonly extra: Record<string, Json>;
};

/** A state without any rows. */
export function emptyState(): State {
  return {
    version: 1,
    counters: {},
    users: {},
    apps: {},
    installations: {},
    tokens: {},
    repos: {},
    issues: {},
    comments: {},
    reviews: {},
    reviewComments: {},
    threadEvents: {},
    milestones: {},
    deployments: {},
    releases: {},
    checkSuites: {},
    checkRuns: {},
    statuses: {},
    workflows: {},
    runs: {},
    jobs: {},
    runPlans: {},
    artifacts: {},
    caches: {},
    logs: {},
    deliveries: {},
    activities: {},
    rulesets: {},
    runners: {},
    runnerGroups: {},
    teams: {},
    owners: {},
    usage: {},
    unserved: [],
    settings: { drop: 'none', faults: [] },
    faultsStruck: {},
    extra: {},
  };
}

/** A separate state with the same rows, which are never changed in place. */
export function copyState(state: State): State {
  const tables = Object.entries(state).map(([name, table]) => [
    name,
    Array.isArray(table) ? [...table] : typeof table === 'object' ? { ...table } : table,
  ]);
  return { ...Object.fromEntries(tables), extra: structuredClone({ ...state.extra }) };
}

/** The key of an issue or pull request in `state.issues`. */
export function issueKey(repoId: number, number: number): string {
  return `${repoId}#${number}`;
}
