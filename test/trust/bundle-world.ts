/**
 * A lab with runners that run the real bundle of the action, on real git and real processes. Each test adds
 * its own people, proposals and comments.
 */

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type LabKeys, labKeys } from '../../demo/keys.ts';
import { openLabFolder } from '../../demo/lab-folder.ts';
import { REPOSITORY, seedLab } from '../../demo/seed-lab.ts';
import { type Actions, createActions } from '../../packages/playground/actions/actions.ts';
import type { Runner } from '../../packages/playground/actions/runner/runner-types.ts';
import { createProgramStore } from '../../packages/playground/git/store/program-store.ts';
import { createGitDoor } from '../../packages/playground/http/git-door.ts';
import { createOffsetClock, type OffsetClock } from '../../packages/playground/http/offset-clock.ts';
import { listen } from '../../packages/playground/http/server.ts';
import { mintInstallationToken } from '../../packages/playground/identity/tokens.ts';
import { createWorld } from '../../packages/playground/world/create-world.ts';
import type { World } from '../../packages/playground/world/world.ts';
import { buildAction } from '../../scripts/bundle/build-action.ts';
import { composeLab } from '../../src/app/compose-lab.ts';
import { createWorker } from '../../src/app/control/worker.ts';
import type { Lab } from '../../src/app/lab.ts';
import { createLabOpener } from '../../src/app/open-lab.ts';
import { proposeForAllLanes } from '../../src/app/propose/propose.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';

const ROOT = join(import.meta.dirname, '../..');
export const HOSTED = { name: 'hosted-1', labels: ['ubuntu-latest'] };
export const HOSTED_TOO = { name: 'hosted-2', labels: ['ubuntu-latest'] };
export const LAUNCHER = { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] };
export const HARBOUR = 'brine-and-barnacles-1743';
/** The lab's job prints its environment and exits. */
const TELL = "import json, os, sys\nprint('ENVIRONMENT ' + json.dumps(dict(os.environ)))\nsys.exit(0)\n";

export type BundleWorldOptions = {
  /**
   * Whether the App's server decides (here `control`, in this process), or the chat workflow with the bundle.
   */
  readonly server: boolean;
  /** Replacements in the lab's config before its first commit. */
  readonly config?: readonly (readonly [string, string])[];
  /** The Node that runs the action; by default this process's own. */
  readonly nodeProgram?: string;
  /** Further files of the lab, by path. */
  readonly files?: Readonly<Record<string, string>>;
};

export type BundleWorld = {
  readonly world: World;
  readonly clock: OffsetClock;
  readonly keys: LabKeys;
  /** The bare repository that everyone pushes to. */
  readonly repository: string;
  readonly jobs: string;
  /** Folder of the action and of the workflows that a lab calls. */
  readonly action: string;
  /** The App's side in this process, through the same HTTP and git as everyone else. */
  readonly control: Lab;
  /** One request as this user; throws if GitHub rejects it. */
  readonly as: (login: string, method: string, path: string, body?: object) => Promise<unknown>;
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Runs one sweep of control. */
  readonly sweep: () => Promise<void>;
  /** Replaces the online runners by these; no job may be running. */
  readonly useRunners: (...runners: readonly Runner[]) => Promise<void>;
  /** Runs all queued jobs to completion; returns the jobs' output since the last call. */
  readonly runJobs: () => Promise<string>;
  /** A new folder for an attacker's files; removed with the lab. */
  readonly scratch: () => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Opens the lab with one hosted runner that has registered the workflows. `close` removes every file. */
export async function openBundleWorld(options: BundleWorldOptions): Promise<BundleWorld> {
  const folder = await openLabFolder(null);
  const action = await bundledAction(folder.root);
  const bound = await listen(0);
  if (!bound.ok) throw new Error(`no port: ${bound.reason}`);
  const keys = await labKeys(folder.keys);
  const clock = createOffsetClock();
  const repository = join(folder.repositories, REPOSITORY.owner, `${REPOSITORY.name}.git`);
  const world = createWorld({
    clock,
    baseUrl: bound.origin,
    gitStores: () => createProgramStore({ directory: repository }),
  });
  const lab = await tellingLab(folder.root, options.config ?? [], options.files ?? {});
  await seedLab({ world, folder, keys, lab, server: options.server, cluster: null });
  giveSecret(world);
  const bugs: unknown[] = [];
  bound.serve({
    world,
    clock,
    git: createGitDoor(world, { directoryOf: () => repository }),
    onBug: (error) => bugs.push(error),
  });
  const withRunners = (...runners: readonly Runner[]): Actions =>
    createActions({
      world,
      runners,
      executor: { kind: 'process' },
      // The second is a mirror in the lab's organisation: its workflows may use the lab's runners.
      actionDirectories: { 'ferrybot/ferrybot': action, 'lab/ferrybot': action },
      nodeProgram: options.nodeProgram ?? process.execPath,
      workDirectory: folder.runners,
      serverUrl: bound.origin,
    });
  let actions = withRunners(HOSTED);
  await actions.tick();
  const controlLab = control(world, bound.origin, keys, join(folder.server, 'control'));
  let seenJob = 0;
  return {
    world,
    clock,
    keys,
    repository,
    jobs: join(folder.jobs, 'jobs'),
    action,
    control: controlLab,
    as: personIn(world),
    git: async (...args) => (await execa('git', ['-C', repository, ...args])).stdout,
    sweep: () => createWorker(controlLab, 'main', ['runner']).handle([{ kind: 'sweep' }]),
    useRunners: async (...runners) => {
      await actions.stop();
      actions = withRunners(...runners);
    },
    runJobs: async () => {
      await actions.tick();
      await actions.idle();
      const jobs = Object.keys(world.state.jobs).map(Number);
      const fresh = jobs.filter((id) => id > seenJob);
      seenJob = Math.max(seenJob, ...jobs);
      return fresh.map((id) => (world.state.logs[id] ?? '').replaceAll(/^\S+Z /gm, '')).join('\n');
    },
    scratch: () => mkdtemp(join(folder.root, 'scratch-')),
    close: () => closeAll(actions, bound.close, folder.root, bugs),
  };
}

/** The record of the newest run, as the App's side reads it. */
export async function stateIn({ control: lab }: Pick<BundleWorld, 'control'>): Promise<RunState | undefined> {
  const opening = await createLabOpener(lab, 'main').open();
  if (opening.kind !== 'open') throw new Error(`the lab has no config: ${opening.config.why}`);
  return opening.open.store.current().runs[0];
}

/**
 * Proposes today's ferry and shows its manifest for some seconds, because GitHub's timestamps have whole
 * seconds.
 */
export async function proposedIn(lab: BundleWorld): Promise<RunState> {
  const opening = await createLabOpener(lab.control, 'main').open();
  if (opening.kind !== 'open') throw new Error(`the lab has no config: ${opening.config.why}`);
  const proposed = (await proposeForAllLanes(opening.open)).find(({ lane }) => lane === 'daily')?.outcome;
  if (proposed?.kind !== 'proposed') throw new Error(`proposed: ${JSON.stringify(proposed)}`);
  return shownIn(lab);
}

/** Evaluates the gates and shows the card. */
export async function shownIn(lab: BundleWorld): Promise<RunState> {
  await lab.sweep();
  lab.clock.advance(5_000);
  const state = await stateIn(lab);
  if (state === undefined) throw new Error('there is no run');
  return state;
}

/** ada starts the launcher with this order; returns the job's output. */
export async function launchIn(lab: BundleWorld, run: string, order: string): Promise<string> {
  const inputs = { run, order };
  await lab.as('ada', 'POST', '/actions/workflows/ferrybot-launch.yml/dispatches', { ref: 'main', inputs });
  return lab.runJobs();
}

/** All jobs that ferrybot ever started there. */
export async function startedIn({ jobs }: Pick<BundleWorld, 'jobs'>): Promise<readonly string[]> {
  const names = await readdir(jobs).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.startsWith('ferrybot-'));
}

/** Saves state and refs; the returned function restores both. */
export async function bookmark({ world, git }: BundleWorld): Promise<() => Promise<void>> {
  const state = structuredClone(world.state);
  const refs = await git('for-each-ref', '--format=%(refname) %(objectname)');
  return async () => {
    // The counters are kept, because the runners remember the ids of their jobs.
    Object.assign(world.state, structuredClone(state), { counters: world.state.counters });
    const now = await git('for-each-ref', '--format=%(refname)');
    for (const ref of now.split('\n').filter((one) => one !== '')) await git('update-ref', '-d', ref);
    for (const line of refs.split('\n')) {
      const [ref = '', sha = ''] = line.split(' ');
      await git('update-ref', ref, sha);
    }
  };
}

async function closeAll(
  actions: Actions,
  closeServer: () => Promise<void>,
  root: string,
  bugs: readonly unknown[],
): Promise<void> {
  await actions.stop();
  await closeServer();
  await rm(root, { recursive: true, force: true });
  if (bugs.length > 0) throw new AggregateError(bugs, 'the playground broke');
}

/** The action as a lab gets it: only action.yml and a bundle of the current source. */
export async function bundledAction(root: string): Promise<string> {
  const action = join(root, 'action');
  await mkdir(join(action, 'dist'), { recursive: true });
  const { files } = await buildAction(ROOT);
  for (const [name, code] of Object.entries(files)) await writeFile(join(action, 'dist', name), code);
  await writeFile(join(action, 'package.json'), '{"type":"module"}');
  await cp(join(ROOT, 'action.yml'), join(action, 'action.yml'));
  await cp(join(ROOT, '.github/workflows'), join(action, '.github/workflows'), { recursive: true });
  return action;
}

/** The example lab with a job of a second, which gets one secret under a harmless name. */
async function tellingLab(
  root: string,
  config: Required<BundleWorldOptions>['config'],
  files: Required<BundleWorldOptions>['files'],
): Promise<string> {
  const lab = join(root, 'lab');
  await cp(join(ROOT, 'fixtures/lab'), lab, { recursive: true, filter: (path) => !path.includes('__pycache__') });
  for (const [path, text] of Object.entries({ 'scripts/tell.py': TELL, ...files }))
    await writeFile(join(lab, path), text);
  await edit(join(lab, '.github/ferrybot.yml'), [
    ['checksBeforePush: repository', 'checksBeforePush: []'],
    ['command: [python3, experiments/ferries/daily.py]', `command: [python3, scripts/tell.py, ${HARBOUR}]`],
    ['passSecrets: []', 'passSecrets: [HARBOUR]'],
    ...config,
  ]);
  await edit(join(lab, '.github/workflows/ferrybot-launch.yml'), [
    [
      'FERRYBOT_RUNNER_KEY: ${{ secrets.FERRYBOT_RUNNER_KEY }}',
      'FERRYBOT_RUNNER_KEY: ${{ secrets.FERRYBOT_RUNNER_KEY }}\n          HARBOUR: ${{ secrets.HARBOUR }}',
    ],
  ]);
  return lab;
}

async function edit(path: string, changes: readonly (readonly [string, string])[]): Promise<void> {
  let text = await readFile(path, 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
    text = text.replace(from, () => to);
  }
  await writeFile(path, text);
}

function giveSecret(world: World): void {
  for (const [id, repo] of Object.entries(world.state.repos)) {
    const environments = repo.environments.map((one) => ({ ...one, secrets: { ...one.secrets, HARBOUR } }));
    world.state.repos[id] = { ...repo, environments };
  }
}

/** The App's side in this process, through the same HTTP and git as everyone else. */
function control(world: World, origin: string, keys: LabKeys, workDirectory: string): Lab {
  const installation = Object.values(world.state.installations)[0];
  if (installation === undefined) throw new Error('the App is not installed');
  const token = async (): Promise<string> =>
    mintInstallationToken(world, installation, installation.permissions, null).token;
  return composeLab({
    repository: `${REPOSITORY.owner}/${REPOSITORY.name}`,
    baseUrl: `${origin}/api/v3`,
    serverUrl: origin,
    token,
    workDirectory,
    environment: { ...process.env, FERRYBOT_CONTROL_KEY: keys.roles.control.privatePem },
    now: world.clock.now,
    sleep: (durationMs) => world.clock.sleep(durationMs),
    log: () => undefined,
  });
}

function personIn(world: World): BundleWorld['as'] {
  return async (login, method, path, body) => {
    const [token] =
      Object.entries(world.state.tokens).find(
        ([, row]) => row.kind === 'user' && world.state.users[row.userId]?.login === login,
      ) ?? [];
    const response = await world.fetch(
      new Request(`${world.baseUrl}/api/v3/repos/${REPOSITORY.owner}/${REPOSITORY.name}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  };
}
