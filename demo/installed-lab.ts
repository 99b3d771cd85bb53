/** What installing ferrybot on a repository sets up: the App with its permissions, secrets, variables, environments, labels. */

import type { Permissions } from '../packages/playground/identity/state-people.ts';
import type { SeedOptions } from '../packages/playground/world/seed.ts';
import type { LabKeys, RoleName } from './keys.ts';

/** What the App asks for (app.yml): a contract test of the project holds the two together. */
const PERMISSIONS: Permissions = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'read',
};
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
  /** The App's server answers; otherwise the workflows do. */
  readonly server: boolean;
  /** Absolute folder that outlives the jobs. */
  readonly stateDirectory: string;
  /** Slug of the App, as the lab's config names it. */
  readonly slug: string;
  /** Token of the cluster that the lab's jobs run on; null where it needs none. */
  readonly clusterToken: string | null;
  /** The secret that has it; that of a Ray dashboard where nothing is said. */
  readonly clusterTokenName?: string | undefined;
};

/** Settings of a new world in which ferrybot is installed as the README tells a lab to do it. */
export function installedLab(
  keys: LabKeys,
  { server, stateDirectory, slug, clusterToken, clusterTokenName = 'RAY_AUTH_TOKEN' }: Installation,
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
    app: { slug, publicKeyPem: keys.app.publicPem, permissions: PERMISSIONS, events: EVENTS, webhook: null },
  };
}
