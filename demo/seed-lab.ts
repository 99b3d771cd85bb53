/** Fills a new world with the example lab: repository, people, App, secrets, and a config with this lab's keys. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importTree } from '../packages/playground/git/store/import-tree.ts';
import type { PagesOptions, Try } from '../packages/playground/pages/visit.ts';
import { type SeedOptions, seedWorld } from '../packages/playground/world/seed.ts';
import type { World } from '../packages/playground/world/world.ts';
import { EXAMPLE_LAB, EXAMPLES } from './beside.ts';
import { installedLab } from './installed-lab.ts';
import type { LabKeys } from './keys.ts';
import type { LabFolder } from './lab-folder.ts';
import { type LabSource, repositoryAt } from './open-lab.ts';
import type { StartOptions } from './options.ts';
import { addPeoplesLane } from './own-job/people-lane.ts';
import { startOwnJob } from './own-job/start-own-job.ts';
import { addSecondLane } from './second-lane.ts';

export const REPOSITORY = { owner: 'lab', name: 'ferries' } as const;
const BRANCH = 'main';
const CONFIG = '.github/ferrybot.yml';
const WORKFLOWS = '.github/workflows';

const WATCHER = { name: 'watcher', labels: ['self-hosted', 'ferrybot-watch'] };

/** The experiment that people start manually, by default. */
const DAILY = 'experiments/ferries/daily.py';

const RUNNERS = [
  { name: 'hosted-1', labels: ['ubuntu-latest'] },
  { name: 'hosted-2', labels: ['ubuntu-latest'] },
  { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
  WATCHER,
  { name: 'stopper', labels: ['self-hosted', 'ferrybot-stop'] },
  { name: 'carer', labels: ['self-hosted', 'ferrybot-care'] },
];

/** The lab of `npm start`; a separate runner watches each of its clusters. */
export function exampleLab(
  folder: LabFolder,
  { server, lanes, example }: Pick<StartOptions, 'server' | 'lanes' | 'example'>,
  cluster: SeedInput['cluster'],
  {
    tries = [],
    ownJob: experiment = cluster === null && example === null ? DAILY : null,
  }: { readonly tries?: readonly Try[]; readonly ownJob?: string | null } = {},
): LabSource {
  return {
    repository: REPOSITORY,
    defaultBranch: BRANCH,
    runners: lanes === 1 ? RUNNERS : [...RUNNERS, { ...WATCHER, name: 'watcher-2' }],
    pages: (world) => ({ tries, ...(experiment === null ? {} : { startOwnJob: ownJobs(folder, world, experiment) }) }),
    seed: (world, keys) =>
      seedLab({
        world,
        folder,
        keys,
        lab: example === null ? EXAMPLE_LAB : join(EXAMPLES, example),
        server,
        cluster:
          example === null ? (cluster ?? { token: null, configure: lanes === 1 ? addPeoplesLane : addTwoLanes }) : null,
      }),
  };
}

function addTwoLanes(config: string): string {
  return addPeoplesLane(addSecondLane(config));
}

/** People can start their own jobs if the cluster is this machine; other clusters have their own tools for that. */
export function ownJobs(
  folder: LabFolder,
  { clock }: Pick<World, 'clock'>,
  experiment: string,
): NonNullable<PagesOptions['startOwnJob']> {
  const { owner, name } = REPOSITORY;
  const place = {
    repository: repositoryAt(folder, owner, name),
    branch: BRANCH,
    engineFolder: join(folder.jobs, 'jobs'),
    clones: join(folder.root, 'clones'),
    experiment,
  };
  return (login) => startOwnJob(place, login, clock.now());
}

export type SeedInput = {
  readonly world: World;
  readonly folder: LabFolder;
  readonly keys: LabKeys;
  /** Directory with the lab's files, including its config. Without workflows it gets those of the example. */
  readonly lab: string;
  readonly server: boolean;
  /** A cluster of its own: its token, its changes to the config, and additional files; null: the unchanged lab. */
  readonly cluster: {
    readonly token: string | null;
    readonly tokenName?: string;
    readonly configure: (config: string) => string;
    readonly files?: Readonly<Record<string, string>>;
    /** People with another role than in the example lab. */
    readonly roles?: SeedOptions['roles'];
  } | null;
};

/** Seeds an empty world. */
export async function seedLab({ world, folder, keys, lab, server, cluster }: SeedInput): Promise<void> {
  const { repo } = seedWorld(world, {
    ...installedLab(keys, {
      server,
      stateDirectory: folder.jobs,
      slug: 'ferrybot',
      clusterToken: cluster?.token ?? null,
      clusterTokenName: cluster?.tokenName,
      teams: ['oncall'],
    }),
    owner: REPOSITORY.owner,
    repo: REPOSITORY.name,
    ...(cluster?.roles === undefined ? {} : { roles: cluster.roles }),
  });
  const copy = await mkdtemp(join(tmpdir(), 'ferrybot-seed-'));
  try {
    await cp(lab, copy, { recursive: true, filter: (source) => !source.includes('__pycache__') });
    await cp(join(EXAMPLE_LAB, WORKFLOWS), join(copy, WORKFLOWS), { recursive: true, force: false });
    const config = addKeys(await readFile(join(copy, CONFIG), 'utf8'), keys);
    await writeFile(join(copy, CONFIG), cluster === null ? config : cluster.configure(config));
    for (const [path, text] of Object.entries(cluster?.files ?? {})) await writeFile(join(copy, path), text);
    const { outcome } = await importTree(world.gitOf(repo), { directory: copy, message: 'The lab as it stands' });
    if (outcome !== 'updated') throw new Error(`the lab's first commit was refused: ${outcome}`);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The example config's demo keys are public, so a running lab gets its own, role by role. */
export function addKeys(config: string, keys: LabKeys): string {
  let text = config;
  for (const role of ['control', 'runner', 'watch'] as const) {
    const pattern = new RegExp(`(role:\\s*${role}\\b[\\s\\S]*?public:\\s*)([^\\s,]+)`);
    if (!pattern.test(text)) throw new Error(`the example config lists no ${role} key`);
    text = text.replace(pattern, `$1${keys.roles[role].public}`);
  }
  return text;
}
