/**
 * The permissions of each of our jobs, and the modes of the workflows that a lab calls: the tables behind
 * the workflow rules.
 */

const CONTROL = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  'pull-requests': 'write',
  statuses: 'read',
} as const;

/** The card, incidents and the end of a job, which the watch records and posts. */
const WATCHING = { checks: 'write', contents: 'write', issues: 'write', 'pull-requests': 'write' } as const;

/** Incident channels besides GitHub, available to the processes that post to them. */
const CHANNELS = ['FERRYBOT_OPS_WEBHOOK'];

/** Secrets that a cluster needs, available only to jobs in an environment. */
const CLUSTER = ['RAY_AUTH_TOKEN', 'VAST_API_KEY'];

export type Part = {
  readonly permissions: Readonly<Record<string, string>>;
  /** The only signing key of the job, or null. */
  readonly key: string | null;
  /** Further secrets that the job may use. */
  readonly others: readonly string[];
  /** The label of its own machine, or null for a hosted one. */
  readonly label: string | null;
  /** The environment that only the default branch may use; null for a job that has no key. */
  readonly environment: string | null;
  /** Actions that may run after ferrybot in the same job. */
  readonly beside?: readonly string[];
};

const control = (permissions: Part['permissions'], others: readonly string[] = []): Part => ({
  permissions,
  key: 'FERRYBOT_CONTROL_KEY',
  others,
  label: null,
  environment: 'ferrybot-control',
});

/** By mode of the action (docs/architecture.md, D5 and Who runs where). */
export const PARTS: Readonly<Record<string, Part>> = {
  chat: control(CONTROL, CHANNELS),
  propose: control(CONTROL),
  watchdog: control(CONTROL, CHANNELS),
  launch: {
    permissions: { contents: 'write', issues: 'read', 'pull-requests': 'read' },
    key: 'FERRYBOT_RUNNER_KEY',
    others: CLUSTER,
    label: 'ferrybot-launch',
    environment: 'ferrybot-launch',
  },
  watch: {
    permissions: WATCHING,
    key: 'FERRYBOT_WATCH_KEY',
    others: [...CLUSTER, ...CHANNELS],
    label: 'ferrybot-watch',
    environment: 'ferrybot-watch',
  },
  stop: {
    permissions: WATCHING,
    key: 'FERRYBOT_WATCH_KEY',
    others: CLUSTER,
    label: 'ferrybot-stop',
    environment: 'ferrybot-watch',
  },
  // Its machine has the permissions of the cloud: no cluster secret passes through a workflow.
  care: {
    permissions: { contents: 'write', issues: 'read', 'pull-requests': 'read' },
    key: 'FERRYBOT_RUNNER_KEY',
    others: [],
    label: 'ferrybot-care',
    environment: 'ferrybot-care',
  },
  'disk-scan': {
    permissions: { contents: 'write', 'pull-requests': 'read' },
    key: 'FERRYBOT_WATCH_KEY',
    others: CLUSTER,
    label: 'ferrybot-care',
    environment: 'ferrybot-watch',
  },
  // A program of the lab reads job output here, so the job must have no secret that output could steal.
  fix: {
    permissions: { contents: 'read' },
    key: null,
    others: [],
    label: null,
    environment: null,
    beside: ['actions/upload-artifact'],
  },
};

/** File of a workflow that a lab may call → the mode of its one job. */
export const CALLED: Readonly<Record<string, string>> = {
  'chat.yml': 'chat',
  'record.yml': 'chat',
  'propose.yml': 'propose',
  'watchdog.yml': 'watchdog',
  'launch.yml': 'launch',
  'watch.yml': 'watch',
  'stop.yml': 'stop',
  'care.yml': 'care',
  'disk-scan.yml': 'disk-scan',
  'fix.yml': 'fix',
};

/**
 * Jobs of our own repository with more than read permission, by file and job name; each runs no package
 * code.
 */
export const OWN_JOBS: Readonly<Record<string, Part['permissions']>> = {
  'code-scanning/codeql': { contents: 'read', 'security-events': 'write' },
  'release/attest': { actions: 'read', contents: 'read', 'id-token': 'write', attestations: 'write' },
  'release/publish': { actions: 'read', contents: 'write' },
  'release/npm': { actions: 'read', 'id-token': 'write' },
  'release/image': { actions: 'read', contents: 'read', packages: 'write' },
};

/** Workflows of our own repository that no lab calls. */
export const OWN_FILES: readonly string[] = ['ci.yml', 'code-scanning.yml', 'release.yml'];

/**
 * Commits that may follow `uses:`, read from the repositories' own tags. Our own releases may have any
 * commit.
 */
export const PINS: Readonly<Record<string, string | null>> = {
  'actions/checkout': '3d3c42e5aac5ba805825da76410c181273ba90b1',
  'actions/setup-node': '820762786026740c76f36085b0efc47a31fe5020',
  'actions/upload-artifact': 'bbbca2ddaa5d8feaa63e36b76fdaad77386f024f',
  'actions/create-github-app-token': '1b10c78c7865c340bc4f6099eb2f838309f1e8c3',
  'astral-sh/setup-uv': '20cfd1bf945f4377ade1205e4dbc17946fc9a30d',
  'actions/attest': '1e69f48acb82d1966a394da916b4c1698aa569d6',
  'github/codeql-action/init': '8aad20d150bbac5944a9f9d289da16a4b0d87c1e',
  'github/codeql-action/analyze': '8aad20d150bbac5944a9f9d289da16a4b0d87c1e',
  'ferrybot/ferrybot': null,
};
