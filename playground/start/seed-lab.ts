/** Fills a new world with the example lab: repository, people, App, secrets, and a config that names this lab's keys. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importTree } from '../git/import-tree.ts';
import { seedWorld } from '../world/seed.ts';
import type { Permissions } from '../world/state-people.ts';
import type { World } from '../world/world.ts';
import type { LabKeys, RoleName } from './keys.ts';
import type { LabFolder } from './lab-folder.ts';

export const REPOSITORY = { owner: 'lab', name: 'ferries' } as const;
const CONFIG = '.github/ferrybot.yml';

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

export type SeedInput = {
  readonly world: World;
  readonly folder: LabFolder;
  readonly keys: LabKeys;
  /** Directory with the lab's files, `.github/` included. */
  readonly lab: string;
  readonly server: boolean;
};

/** Seeds an empty world. */
export async function seedLab({ world, folder, keys, lab, server }: SeedInput): Promise<void> {
  const secret = (role: RoleName): string => keys.roles[role].privatePem;
  const { repo } = seedWorld(world, {
    owner: REPOSITORY.owner,
    repo: REPOSITORY.name,
    labels: LABELS,
    secrets: { FERRYBOT_CONTROL_KEY: secret('control'), FERRYBOT_WATCH_KEY: secret('watch') },
    variables: { FERRYBOT_SERVER: server ? 'on' : 'off', FERRYBOT_STATE_DIR: folder.jobs },
    environments: [
      {
        name: 'ferrybot-launch',
        secrets: { FERRYBOT_RUNNER_KEY: secret('runner') },
        variables: {},
        defaultBranchOnly: true,
      },
    ],
    actionsMayCreatePulls: true,
    app: { publicKeyPem: keys.app.publicPem, permissions: PERMISSIONS, events: EVENTS, webhook: null },
  });
  const copy = await mkdtemp(join(tmpdir(), 'ferrybot-seed-'));
  try {
    await cp(lab, copy, { recursive: true, filter: (source) => !source.includes('__pycache__') });
    const config = await readFile(join(copy, CONFIG), 'utf8');
    await writeFile(join(copy, CONFIG), withKeys(config, keys));
    const { outcome } = await importTree(world.gitOf(repo), {
      directory: copy,
      message: 'The lab as it stands',
    });
    if (outcome !== 'updated') throw new Error(`the lab's first commit was refused: ${outcome}`);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The demo keys of the example config are public knowledge: a lab that runs gets its own, role by role. */
function withKeys(config: string, keys: LabKeys): string {
  let text = config;
  for (const role of ['control', 'runner', 'watch'] as const) {
    const pattern = new RegExp(`(role:\\s*${role}\\b[\\s\\S]*?public:\\s*)(\\S+)`);
    if (!pattern.test(text)) throw new Error(`the example config lists no ${role} key`);
    text = text.replace(pattern, `$1${keys.roles[role].public}`);
  }
  return text;
}
