/**
 * A lab that adopts ferrybot by `init` alone, from an empty repository on the playground to its first sealed ferry. It does the steps that
 * `init` prints, in their order, and nothing else; the real bundle runs on every machine, without a server.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Octokit } from '@octokit/core';
import { execa } from 'execa';
import { type Actions, createActions } from '../../packages/playground/actions/actions.ts';
import { createProgramStore } from '../../packages/playground/git/store/program-store.ts';
import { createGitDoor } from '../../packages/playground/http/git-door.ts';
import { createOffsetClock } from '../../packages/playground/http/offset-clock.ts';
import { listen } from '../../packages/playground/http/server.ts';
import { mintUserToken } from '../../packages/playground/identity/tokens.ts';
import { createWorld } from '../../packages/playground/world/create-world.ts';
import { addUser, seedWorld } from '../../packages/playground/world/seed.ts';
import type { World } from '../../packages/playground/world/world.ts';

const at = { owner: 'lab', repo: 'ferries' } as const;
const LABELS = ['ferrybot-launch', 'ferrybot-watch', 'ferrybot-stop'];

/** A trainer that prints its steps and an evaluation, and takes a second. */
const LAB: Readonly<Record<string, string>> = {
  'train.py': `import sys, time
exec(open(sys.argv[1]).read())
for step in range(1, max_iters + 1):
    loss = 4 - 2 * step / max_iters
    print(f"step:{step}/{max_iters} train_loss:{loss:.4f} train_time:{step * 20}ms step_avg:20.00ms", flush=True)
    time.sleep(0.02)
print(f"step:{max_iters}/{max_iters} val_loss:{loss + 0.1:.4f} train_time:{max_iters * 20}ms step_avg:20.00ms", flush=True)
`,
  'config/daily.py': 'learning_rate = 6e-4\nmax_iters = 40\n',
  'README.md': '# The lab\n',
};

export type Ferrybot = (
  args: readonly string[],
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Promise<{ readonly code: number; readonly out: string; readonly err: string }>;

export type Adoption = {
  readonly world: World;
  /** Runs `init` in the lab's checkout as its administrator. */
  readonly init: (args: readonly string[]) => ReturnType<Ferrybot>;
  readonly doctor: () => ReturnType<Ferrybot>;
  /** Does one printed step. Throws for a step that no person could do by its text. */
  readonly takeStep: (step: string) => Promise<void>;
  readonly sealTags: () => Promise<readonly string[]>;
  readonly bugs: readonly unknown[];
  readonly close: () => Promise<void>;
};

/** An empty repository, its owner, and runners; `action` is the folder of the action, `ferrybot` runs the command line. */
export async function openAdoption(root: string, action: string, ferrybot: Ferrybot): Promise<Adoption> {
  const bound = await listen(0);
  if (!bound.ok) throw new Error(bound.reason);
  const repository = join(root, 'git/lab/ferries.git');
  const clock = createOffsetClock();
  const world = createWorld({
    clock,
    baseUrl: bound.origin,
    gitStores: () => createProgramStore({ directory: repository }),
  });
  const seeded = seedWorld(world);
  const { id } = addUser(world, 'olga', 'User', 'Olga Owner');
  world.state.owners[seeded.repo.ownerId] = [id];
  world.state.repos[seeded.repo.id] = {
    ...seeded.repo,
    collaborators: { ...seeded.repo.collaborators, [id]: 'admin' },
  };
  const token = mintUserToken(world, id);
  const bugs: unknown[] = [];
  const git = createGitDoor(world, { directoryOf: () => repository });
  bound.serve({ world, clock, git, onBug: (error) => bugs.push(error) });
  const actions = createActions({
    world,
    runners: [
      { name: 'hosted-1', labels: ['ubuntu-latest'] },
      { name: 'hosted-2', labels: ['ubuntu-latest'] },
      ...LABELS.map((label) => ({ name: label, labels: ['self-hosted', label] })),
    ],
    executor: { kind: 'process' },
    actionDirectories: { 'ferrybot/ferrybot': action },
    nodeProgram: process.execPath,
    workDirectory: join(root, 'runners'),
    serverUrl: bound.origin,
  });
  const checkout = join(root, 'checkout');
  await createLab(checkout, `${bound.origin}/lab/ferries.git`, token);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(root, 'home'),
    GITHUB_TOKEN: token,
    GITHUB_REPOSITORY: 'lab/ferries',
    GITHUB_API_URL: `${bound.origin}/api/v3`,
  };
  const stateDir = join(root, 'state');
  const doctor = () => ferrybot(['doctor', '--json'], { cwd: checkout, env });
  const init = (args: readonly string[]) =>
    ferrybot(['init', '--state-dir', stateDir, ...args], { cwd: checkout, env });
  const asMira = new Octokit({ auth: seeded.tokens.mira, baseUrl: env.GITHUB_API_URL });
  const asOlga = new Octokit({ auth: token, baseUrl: env.GITHUB_API_URL });
  const takeStep = stepTaker({
    world,
    actions,
    checkout,
    init,
    doctor,
    asMira,
    asOlga,
    advance: () => clock.advance(5_000),
  });
  return {
    ...{ world, init, doctor, bugs, takeStep },
    sealTags: async () => {
      const { stdout } = await execa('git', ['-C', repository, 'tag', '--list', 'ferry/*']);
      return stdout.split('\n').filter((tag) => tag !== '');
    },
    close: async () => {
      await actions.stop();
      await bound.close();
    },
  };
}

async function createLab(checkout: string, remote: string, token: string): Promise<void> {
  for (const [path, text] of Object.entries(LAB)) {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), text);
  }
  const git = (...args: readonly string[]) => execa('git', [...args], { cwd: checkout });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('config', 'user.name', 'Olga');
  await git('config', 'user.email', 'olga@lab.example');
  await git('remote', 'add', 'origin', remote);
  await git('config', 'push.autoSetupRemote', 'true');
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  await git('config', 'http.extraHeader', `Authorization: Basic ${basic}`);
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'Train');
}

type Tools = {
  readonly world: World;
  readonly actions: Actions;
  readonly checkout: string;
  readonly init: Adoption['init'];
  readonly doctor: Adoption['doctor'];
  readonly asMira: Octokit;
  readonly asOlga: Octokit;
  readonly advance: () => void;
};

function stepTaker(tools: Tools): Adoption['takeStep'] {
  const { world, actions, checkout, asMira, asOlga, advance } = tools;
  const repo = () => Object.values(world.state.repos)[0] ?? fail('there is no repository');
  const quiet = async (): Promise<void> => {
    await actions.tick();
    await actions.idle();
  };
  const say = async (body: string): Promise<void> => {
    advance();
    await asMira.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...at,
      issue_number: await proposal(),
      body,
    });
    await quiet();
  };
  const proposal = async (): Promise<number> => {
    const { data } = await asOlga.request('GET /repos/{owner}/{repo}/pulls', { ...at, state: 'open' });
    return data[0]?.number ?? fail(`no proposal: ${logs()}`);
  };
  const thread = async (): Promise<string> => {
    const { data } = await asOlga.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...at,
      issue_number: await proposal(),
    });
    return data.map(({ body }) => body).join('\n\n');
  };
  const logs = (): string => Object.values(world.state.logs).join('\n').slice(-4_000);
  return async (step) => {
    const [, command] = /: (git .*)$/.exec(step) ?? [];
    const [, label] = /a runner with the label (\S+) on/.exec(step) ?? [];
    const [, workflow] = /gh workflow run (\S+)/.exec(step) ?? [];
    if (command !== undefined) {
      // A job of a second needs no look after two minutes.
      const path = join(checkout, '.github/ferrybot.yml');
      const cadence = 'cadence: {startupMs: 1000, pollMs: 1000}';
      await writeFile(
        path,
        (await readFile(path, 'utf8')).replace('\n    finalStep: null', `\n    finalStep: null\n    ${cadence}`),
      );
      await execa('bash', ['-c', command], { cwd: checkout });
    } else if (step.includes('npx ferrybot init --apply')) {
      const again = await tools.init(['--apply', '--yes']);
      if (again.code !== 0) fail(again.out + again.err);
    } else if (label !== undefined) {
      const id = Object.keys(world.state.runners).length + 1;
      world.state.runners[id] = { id, repoId: repo().id, name: label, os: 'Linux', labels: [label] };
    } else if (step.startsWith('In an organisation: put the runner ferrybot-launch into a group')) {
      const workflows = ['lab/ferries/.github/workflows/ferrybot-launch.yml@refs/heads/main'];
      world.state.runnerGroups[2] = { id: 2, ownerId: repo().ownerId, name: 'launchers', workflows };
    } else if (step.includes('npx ferrybot doctor')) {
      const answer: { readonly findings: readonly { readonly check: string; readonly state: string }[] } = JSON.parse(
        (await tools.doctor()).out,
      );
      // Without an App the bot posts as github-actions, and the playground has no repository ferrybot/ferrybot.
      const warned = ['app-permissions', 'pin'];
      const open = answer.findings.filter(
        ({ state, check }) => state !== 'ok' && !(state === 'warning' && warned.includes(check)),
      );
      if (open.length > 0) fail(JSON.stringify(open));
    } else if (workflow !== undefined) {
      await quiet();
      await asOlga.request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
        ...at,
        workflow_id: workflow,
        ref: 'main',
      });
      await quiet();
    } else if (step.includes('/approve-launch')) {
      const [line] = /\/approve-launch [\w:]+/.exec(await thread()) ?? fail(`no line to copy: ${await thread()}`);
      await say(line);
    } else if (step.includes('/seal')) {
      if (!(await thread()).includes('/seal')) fail(`the run has not ended: ${await thread()}\n${logs()}`);
      await say('/seal');
    } else fail(`no person can do this by its text: ${step}`);
  };
}

function fail(why: string): never {
  throw new Error(why);
}
