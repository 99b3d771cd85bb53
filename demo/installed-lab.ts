/**
 * What an installation of ferrybot sets up in a repository: the App with its permissions, secrets, variables,
 * environments, labels.
 */

import type { Permissions } from '../packages/playground/identity/state-people.ts';
import type { SeedOptions } from '../packages/playground/world/seed.ts';
import type { LabKeys, RoleName } from './keys.ts';

/** The App's permissions (app.yml); a contract test of the project keeps the two in sync. */
const PERMISSIONS: Permissions = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'read',
};
/** In addition where the config names a team of the organization. */
const TEAMS: Permissions = { members: 'read' };
const EVENTS = [
  'check_run',
  'issue_comment',
  'issues',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'workflow_run',
];
const LABELS = {
  experiment: '1f6feb',
  ferry: '0e8a16',
  'ferry-daily': '5319e7',
  'ferry-log-only': 'c5def5',
  'ferry-sealed': 'fbca04',
};

export type Installation = {
  /** True if the App's server answers; otherwise the workflows do. */
  readonly server: boolean;
  /** Absolute folder that outlives the jobs. */
  readonly stateDirectory: string;
  /** Slug of the App, as in the lab's config. */
  readonly slug: string;
  /** Token for the cluster of the lab's jobs; null if it needs none. */
  readonly clusterToken: string | null;
  /** The name of the secret with that token; the default is that of a Ray dashboard. */
  readonly clusterTokenName?: string | undefined;
  /** Teams of the owner. mira and ada are their members. */
  readonly teams: readonly string[];
};

/** Settings of a new world with ferrybot installed as the README describes. */
export function installedLab(
  keys: LabKeys,
  { server, stateDirectory, slug, clusterToken, clusterTokenName = 'RAY_AUTH_TOKEN', teams }: Installation,
): SeedOptions {
  const secret = (role: RoleName): string => keys.roles[role].privatePem;
  const cluster = clusterToken === null ? {} : { [clusterTokenName]: clusterToken };
  return {
    labels: LABELS,
    variables: { FERRYBOT_SERVER: server ? 'on' : 'off', FERRYBOT_STATE_DIR: stateDirectory },
    environments: [
      {
        name: 'ferrybot-control',
        secrets: { FERRYBOT_CONTROL_KEY: secret('control') },
        variables: {},
        defaultBranchOnly: true,
      },
      {
        name: 'ferrybot-launch',
        secrets: { FERRYBOT_RUNNER_KEY: secret('runner'), ...cluster },
        variables: {},
        defaultBranchOnly: true,
      },
      {
        name: 'ferrybot-watch',
        secrets: { FERRYBOT_WATCH_KEY: secret('watch'), ...cluster },
        variables: {},
        defaultBranchOnly: true,
      },
      {
        name: 'ferrybot-care',
        secrets: { FERRYBOT_RUNNER_KEY: secret('runner') },
        variables: {},
        defaultBranchOnly: true,
      },
    ],
    actionsMayCreatePulls: true,
    teams: Object.fromEntries(teams.map((team) => [team, ['mira', 'ada']])),
    app: {
      slug,
      publicKeyPem: keys.app.publicPem,
      permissions: { ...PERMISSIONS, ...(teams.length > 0 && TEAMS) },
      events: EVENTS,
      webhook: null,
    },
  };
}
