/**
 * A lab whose runner runs the real bundle of the action, on real git and real processes, with one ferry that is
 * proposed, approved, ordered and dispatched: the launch job waits, and a test changes the world before it runs.
 */

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Octokit } from '@octokit/core';
import { execa } from 'execa';
import { type Actions, createActions } from '../../playground/actions/actions.ts';
import type { Runner } from '../../playground/actions/runner/runner-types.ts';
import { createProgramStore } from '../../playground/git/program-store.ts';
import { createGitDoor } from '../../playground/http/git-door.ts';
import { createOffsetClock, type OffsetClock } from '../../playground/http/offset-clock.ts';
import { listen } from '../../playground/http/server.ts';
import { type LabKeys, labKeys } from '../../playground/start/keys.ts';
import { openLabFolder } from '../../playground/start/lab-folder.ts';
import { REPOSITORY, seedLab } from '../../playground/start/seed-lab.ts';
import { createWorld } from '../../playground/world/create-world.ts';
import { mintInstallationToken } from '../../playground/world/tokens.ts';
import type { World } from '../../playground/world/world.ts';
import { buildBundle } from '../../scripts/bundle/build-bundle.ts';
import { composeLab } from '../../src/app/compose-lab.ts';
import { createWorker } from '../../src/app/control/worker.ts';
import type { Lab } from '../../src/app/lab.ts';
import { createLabOpener } from '../../src/app/open-lab.ts';
import { propose } from '../../src/app/propose/propose.ts';
import { parseSigningKey } from '../../src/host/keys.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOSTED = { name: 'hosted-1', labels: ['ubuntu-latest'] };
const LAUNCHER = { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] };
export const HARBOUR = 'brine-and-barnacles-1743';
/** What the lab's job is here: it tells its environment, each value of it, and ends. */
const TELL = "import json, os, sys\nprint('ENVIRONMENT ' + json.dumps(dict(os.environ)))\nsys.exit(0)\n";

export type BundleLab = {
  readonly world: World;
  readonly clock: OffsetClock;
  readonly keys: LabKeys;
  /** The bare repository that everybody pushes to. */
  readonly repository: string;
  readonly jobs: string;
  readonly run: string;
  readonly pull: number;
  readonly approval: number;
  readonly order: string;
  /** One request in somebody's name; throws when GitHub refuses. */
  readonly as: (login: string, method: string, path: string, body?: object) => Promise<unknown>;
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Lets control look at everything once. */
  readonly sweep: () => Promise<void>;
  /** Starts the launch workflow on main, for the ferry's order unless told otherwise, and gives what its jobs printed. */
  readonly launch: (inputs?: { readonly run: string; readonly order: string }) => Promise<string>;
  /** Lets the runners take what waits, until nothing runs; gives what the jobs since the last call printed. */
  readonly runJobs: () => Promise<string>;
  /** The world as it was when the order had been dispatched. */
  readonly rewind: () => Promise<void>;
  /** A new folder for what an attacker prepares; it goes with the lab. */
  readonly scratch: () => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Opens it. `close` removes every file. */
export async function openBundleLab(): Promise<BundleLab> {
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
  await seedLab({ world, folder, keys, lab: await tellingLab(folder.root), server: true });
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
      actionDirectories: { 'ferrybot/ferrybot': action },
      nodeProgram: process.execPath,
      workDirectory: folder.runners,
      serverUrl: bound.origin,
    });
  const registering = withRunners(HOSTED);
  await registering.tick();
  const lab = control(world, bound.origin, keys, join(folder.server, 'control'));
  const git = async (...args: readonly string[]): Promise<string> =>
    (await execa('git', ['-C', repository, ...args])).stdout;
  const as = personIn(world);
  const ordered = await untilOrdered(world, clock, lab, as);
  await cancelWaiting(world, as);
  await registering.idle();
  await registering.stop();
  const actions = withRunners(HOSTED, LAUNCHER);
  const rewind = await bookmark(world, git);
  let seenJob = 0;
  const runJobs = async (): Promise<string> => {
    await actions.tick();
    await actions.idle();
    const jobs = Object.keys(world.state.jobs).map(Number);
    const fresh = jobs.filter((id) => id > seenJob);
    seenJob = Math.max(seenJob, ...jobs);
    return fresh.map((id) => (world.state.logs[id] ?? '').replaceAll(/^\S+Z /gm, '')).join('\n');
  };
  return {
    world,
    clock,
    keys,
    repository,
    jobs: join(folder.jobs, 'jobs'),
    ...ordered,
    as,
    git,
    sweep: () => createWorker(lab, 'main', ['runner']).handle([{ kind: 'sweep' }]),
    launch: async (inputs = { run: ordered.run, order: ordered.order }) => {
      const path = '/actions/workflows/ferrybot-launch.yml/dispatches';
      await as('ada', 'POST', path, { ref: 'main', inputs });
      return runJobs();
    },
    runJobs,
    rewind,
    scratch: () => mkdtemp(join(folder.root, 'scratch-')),
    close: () => closeAll(actions, bound.close, folder.root, bugs),
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

/** The action as a lab would get it: action.yml, the bundle made from today's source, and nothing else. */
async function bundledAction(root: string): Promise<string> {
  const action = join(root, 'action');
  await mkdir(join(action, 'dist'), { recursive: true });
  const { code } = await buildBundle(ROOT, 'src/app/action/main.ts');
  await writeFile(join(action, 'dist/index.js'), code);
  await writeFile(join(action, 'package.json'), '{"type":"module"}');
  await cp(join(ROOT, 'action.yml'), join(action, 'action.yml'));
  await cp(join(ROOT, '.github/workflows'), join(action, '.github/workflows'), { recursive: true });
  return action;
}

/** The example lab with a job of a second, which gets one secret under a name that does not say so. */
async function tellingLab(root: string): Promise<string> {
  const lab = join(root, 'lab');
  await cp(join(ROOT, 'fixtures/lab'), lab, {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  await writeFile(join(lab, 'scripts/tell.py'), TELL);
  await edit(join(lab, '.github/ferrybot.yml'), [
    ['command: [python3, experiments/ferries/daily.py]', `command: [python3, scripts/tell.py, ${HARBOUR}]`],
    ['passSecrets: []', 'passSecrets: [HARBOUR]'],
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
    const environments = repo.environments.map((one) => ({
      ...one,
      secrets: { ...one.secrets, HARBOUR },
    }));
    world.state.repos[id] = { ...repo, environments };
  }
}

/** The App's side in this process, over the same HTTP and git as everybody's. */
function control(world: World, origin: string, keys: LabKeys, workDirectory: string): Lab {
  const installation = Object.values(world.state.installations)[0];
  if (installation === undefined) throw new Error('the App is not installed');
  const token = async (): Promise<string> =>
    mintInstallationToken(world, installation, installation.permissions, null).token;
  const octokit = new Octokit({ authStrategy: null, baseUrl: `${origin}/api/v3` });
  octokit.hook.before('request', async (request) => {
    request.headers.authorization = `Bearer ${await token()}`;
  });
  const key = parseSigningKey(keys.roles.control.privatePem);
  if (!key.ok) throw new Error(key.error);
  return composeLab({
    repository: `${REPOSITORY.owner}/${REPOSITORY.name}`,
    octokit,
    baseUrl: `${origin}/api/v3`,
    serverUrl: origin,
    token,
    signingKeys: { control: key.value },
    workDirectory,
    environment: process.env,
    now: world.clock.now,
    sleep: (durationMs) => world.clock.sleep(durationMs),
    log: () => undefined,
  });
}

function personIn(world: World): BundleLab['as'] {
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

async function untilOrdered(
  world: World,
  clock: OffsetClock,
  lab: Lab,
  as: BundleLab['as'],
): Promise<Pick<BundleLab, 'run' | 'pull' | 'approval' | 'order'>> {
  const opener = createLabOpener(lab, 'main');
  const opening = await opener.open();
  if (opening.kind !== 'open') throw new Error(`the lab has no config: ${opening.config.why}`);
  const proposed = await propose(opening.open);
  if (proposed.kind !== 'proposed') throw new Error(`proposed: ${JSON.stringify(proposed)}`);
  const worker = createWorker(lab, 'main', ['runner']);
  await worker.handle([{ kind: 'sweep' }]);
  // GitHub tells whole seconds: an approval of the very second in which the manifest was shown is none.
  clock.advance(5_000);
  const pull = Object.values(world.state.issues).find((issue) => issue.pull !== null)?.number ?? 0;
  const said = (await as('mira', 'POST', `/issues/${pull}/comments`, { body: '/approve-launch' })) as {
    readonly id: number;
  };
  await worker.handle([{ kind: 'sweep' }]);
  const again = await opener.open();
  const state = again.kind === 'open' ? again.open.keeper.current().runs[0] : undefined;
  if (state?.order?.status !== 'open') throw new Error(`no order: ${JSON.stringify(state?.commands)}`);
  return { run: state.run, pull, approval: said.id, order: state.order.digest };
}

/** Remembers state and refs; the function that it gives puts both back. */
async function bookmark(world: World, git: BundleLab['git']): Promise<() => Promise<void>> {
  const state = structuredClone(world.state);
  const refs = await git('for-each-ref', '--format=%(refname) %(objectname)');
  return async () => {
    // Numbers go on: the runners remember those of the jobs that they had.
    Object.assign(world.state, structuredClone(state), { counters: world.state.counters });
    const now = await git('for-each-ref', '--format=%(refname)');
    for (const ref of now.split('\n').filter((one) => one !== '')) await git('update-ref', '-d', ref);
    for (const line of refs.split('\n')) {
      const [ref = '', sha = ''] = line.split(' ');
      await git('update-ref', ref, sha);
    }
  };
}

/** No runner took the launch that control dispatched, and it goes: each test starts its own, at its own moment. */
async function cancelWaiting({ state }: World, as: BundleLab['as']): Promise<void> {
  const runs = Object.values(state.runs).filter((run) => run.path.endsWith('ferrybot-launch.yml'));
  if (runs.length !== 1) throw new Error(`control dispatched ${runs.length} launches`);
  for (const run of runs) await as('mira', 'POST', `/actions/runs/${run.id}/cancel`);
}
