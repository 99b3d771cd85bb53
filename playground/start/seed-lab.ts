/** Fills a new world with the example lab: repository, people, App, secrets, and a config that names this lab's keys. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importTree } from '../git/store/import-tree.ts';
import { seedWorld } from '../world/seed.ts';
import type { World } from '../world/world.ts';
import { installedLab } from './installed-lab.ts';
import type { LabKeys } from './keys.ts';
import type { LabFolder } from './lab-folder.ts';
import type { LabSource } from './open-lab.ts';
import { withSecondLane } from './second-lane.ts';

export const REPOSITORY = { owner: 'lab', name: 'ferries' } as const;
const CONFIG = '.github/ferrybot.yml';
const LAB = fileURLToPath(new URL('../../fixtures/lab', import.meta.url));

const WATCHER = { name: 'watcher', labels: ['self-hosted', 'ferrybot-watch'] };

const RUNNERS = [
  { name: 'hosted-1', labels: ['ubuntu-latest'] },
  { name: 'hosted-2', labels: ['ubuntu-latest'] },
  { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
  WATCHER,
  { name: 'stopper', labels: ['self-hosted', 'ferrybot-stop'] },
  { name: 'carer', labels: ['self-hosted', 'ferrybot-care'] },
];

/** The lab of `npm start`; each of its clusters is watched by a runner of its own. */
export function exampleLab(
  folder: LabFolder,
  { server, lanes }: { readonly server: boolean; readonly lanes: 1 | 2 },
  cluster: SeedInput['cluster'],
): LabSource {
  return {
    repository: REPOSITORY,
    defaultBranch: 'main',
    runners: lanes === 1 ? RUNNERS : [...RUNNERS, { ...WATCHER, name: 'watcher-2' }],
    seed: (world, keys) =>
      seedLab({
        world,
        folder,
        keys,
        lab: LAB,
        server,
        cluster: lanes === 1 ? cluster : { token: null, configure: withSecondLane },
      }),
  };
}

export type SeedInput = {
  readonly world: World;
  readonly folder: LabFolder;
  readonly keys: LabKeys;
  /** Directory with the lab's files, `.github/` included. */
  readonly lab: string;
  readonly server: boolean;
  /** A cluster of its own: its token, and what it changes in the config; null: the config as it is. */
  readonly cluster: { readonly token: string | null; readonly configure: (config: string) => string } | null;
};

/** Seeds an empty world. */
export async function seedLab({ world, folder, keys, lab, server, cluster }: SeedInput): Promise<void> {
  const { repo } = seedWorld(world, {
    ...installedLab(keys, {
      server,
      stateDirectory: folder.jobs,
      slug: 'ferrybot',
      clusterToken: cluster?.token ?? null,
    }),
    owner: REPOSITORY.owner,
    repo: REPOSITORY.name,
  });
  const copy = await mkdtemp(join(tmpdir(), 'ferrybot-seed-'));
  try {
    await cp(lab, copy, { recursive: true, filter: (source) => !source.includes('__pycache__') });
    const config = withKeys(await readFile(join(copy, CONFIG), 'utf8'), keys);
    await writeFile(join(copy, CONFIG), cluster === null ? config : cluster.configure(config));
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
export function withKeys(config: string, keys: LabKeys): string {
  let text = config;
  for (const role of ['control', 'runner', 'watch'] as const) {
    const pattern = new RegExp(`(role:\\s*${role}\\b[\\s\\S]*?public:\\s*)(\\S+)`);
    if (!pattern.test(text)) throw new Error(`the example config lists no ${role} key`);
    text = text.replace(pattern, `$1${keys.roles[role].public}`);
  }
  return text;
}
