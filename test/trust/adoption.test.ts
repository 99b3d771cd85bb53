/**
 * docs/adopt.md, run completely: from an empty repository on the playground to a seal. Files,
 * commands, tables and labels are read from the page; the real bundle runs on every machine, without a
 * server.
 */

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Octokit } from '@octokit/core';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actions, createActions } from '../../packages/playground/actions/actions.ts';
import { createProgramStore } from '../../packages/playground/git/store/program-store.ts';
import { createGitDoor } from '../../packages/playground/http/git-door.ts';
import { createOffsetClock, type OffsetClock } from '../../packages/playground/http/offset-clock.ts';
import { listen } from '../../packages/playground/http/server.ts';
import { mintUserToken } from '../../packages/playground/identity/tokens.ts';
import { createWorld } from '../../packages/playground/world/create-world.ts';
import { addUser, seedWorld } from '../../packages/playground/world/seed.ts';
import type { World } from '../../packages/playground/world/world.ts';
import { callVerb } from '../app/cli/call-verb.ts';
import { copied, keyCommands, keyPlaces, labels } from './adoption-page.ts';
import { bundledAction } from './bundle-world.ts';

const ROOT = join(import.meta.dirname, '../..');
const at = { owner: 'lab', repo: 'ferries' } as const;
const RELEASE = 'fedcba98'.repeat(5);
const EXAMPLE_COMMIT = '0123456789abcdef0123456789abcdef01234567';

let root: string;
let world: World;
let clock: OffsetClock;
let actions: Actions;
let asOwner: Octokit;
let ownersToken: string;
let close: () => Promise<void>;
const bugs: unknown[] = [];
let tokens: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ferrybot-adoption-'));
  const bound = await listen(0);
  if (!bound.ok) throw new Error(bound.reason);
  const repository = join(root, 'git/lab/ferries.git');
  clock = createOffsetClock();
  world = createWorld({
    clock,
    baseUrl: bound.origin,
    gitStores: () => createProgramStore({ directory: repository }),
  });
  const seeded = seedWorld(world);
  tokens = seeded.tokens;
  // GitHub creates the repository; nobody has pushed to it yet.
  expect((await world.gitOf(seeded.repo).refs()).size).toBe(0);
  // The adopter is an owner of the organisation.
  const { id } = addUser(world, 'olga', 'User', 'Olga Owner');
  world.state.owners[seeded.repo.ownerId] = [id];
  world.state.repos[seeded.repo.id] = {
    ...seeded.repo,
    collaborators: { ...seeded.repo.collaborators, [id]: 'admin' },
  };
  ownersToken = mintUserToken(world, id);
  asOwner = new Octokit({ auth: ownersToken, baseUrl: `${bound.origin}/api/v3` });
  bound.serve({
    world,
    clock,
    git: createGitDoor(world, { directoryOf: () => repository }),
    onBug: (error) => bugs.push(error),
  });
  const action = await bundledAction(root);
  actions = createActions({
    world,
    runners: [
      { name: 'hosted-1', labels: ['ubuntu-latest'] },
      { name: 'hosted-2', labels: ['ubuntu-latest'] },
      ...labels().map((label) => ({ name: label, labels: ['self-hosted', label] })),
    ],
    executor: { kind: 'process' },
    actionDirectories: { 'ferrybot/ferrybot': action },
    nodeProgram: process.execPath,
    workDirectory: join(root, 'runners'),
    serverUrl: bound.origin,
  });
  close = async () => {
    await actions.stop();
    await bound.close();
  };
});
afterAll(async () => {
  await close?.();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
  expect(bugs).toEqual([]);
});

const repo = () => Object.values(world.state.repos)[0] ?? expect.unreachable('there is no repository');

/** The lab's own checkout on olga's machine. */
const checkout = (): string => join(root, 'checkout');
const git = (...args: readonly string[]) => execa('git', [...args], { cwd: checkout() });

describe('a lab that adopts ferrybot by docs/adopt.md', () => {
  it('step 1 and 2: has the files on its default branch and its own key pairs', async () => {
    await mkdir(checkout());
    await git('init', '--quiet', '--initial-branch', 'main');
    // The lab's files from before: experiments and scripts, without ferrybot.
    await cp(join(ROOT, 'fixtures/lab'), checkout(), {
      recursive: true,
      filter: (path) => !path.includes('__pycache__') && !path.includes('/.github'),
    });
    for (const path of copied()) {
      const to = join(checkout(), path.replace('fixtures/lab/', ''));
      await mkdir(dirname(to), { recursive: true });
      await cp(join(ROOT, path), to, { recursive: true });
    }
    for (const file of await workflowFiles()) await edit(file, (text) => text.replaceAll(EXAMPLE_COMMIT, RELEASE));
    for (const role of ['control', 'runner', 'watch', 'care']) await makePair(role);
    await edit(CONFIG(), async (text) => withKeys(text));
    const basic = Buffer.from(`x-access-token:${ownersToken}`).toString('base64');
    await git('add', '--all');
    await git('-c', 'user.name=Olga', '-c', 'user.email=olga@lab.example', 'commit', '--quiet', '-m', 'The lab');
    await git(
      ...['-c', `http.extraHeader=Authorization: Basic ${basic}`],
      ...['push', '--quiet', `${world.baseUrl}/lab/ferries.git`, 'main'],
    );
    expect((await git('ls-files', '.github')).stdout.split('\n')).toHaveLength(10);
  });

  it('step 3: has each key in an environment that only the default branch may use', async () => {
    for (const environment_name of keyPlaces().keys()) {
      await asOwner.request('PUT /repos/{owner}/{repo}/environments/{environment_name}', {
        ...at,
        environment_name,
        deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
      });
      await asOwner.request('POST /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies', {
        ...at,
        environment_name,
        name: 'main',
      });
    }
    // GitHub accepts only sealed secrets, so the test writes them where the settings page would.
    const environments = await Promise.all(
      repo().environments.map(async (one) => ({ ...one, secrets: await secretsFor(one.name) })),
    );
    world.state.repos[repo().id] = { ...repo(), environments };
    expect(environments.map(({ name, secrets }) => [name, Object.keys(secrets)])).toEqual([
      ['ferrybot-control', ['FERRYBOT_CONTROL_KEY']],
      ['ferrybot-launch', ['FERRYBOT_RUNNER_KEY']],
      ['ferrybot-watch', ['FERRYBOT_WATCH_KEY']],
      ['ferrybot-care', ['FERRYBOT_RUNNER_KEY']],
    ]);
  });

  it('step 4: has a runner for each label, and the launch runner in a separate group', () => {
    expect(labels()).toEqual(['ferrybot-launch', 'ferrybot-watch', 'ferrybot-stop', 'ferrybot-care']);
    labels().forEach((label, index) => {
      const id = index + 1;
      world.state.runners[id] = { id, repoId: repo().id, name: label, os: 'Linux', labels: [label] };
    });
    const workflows = ['lab/ferries/.github/workflows/ferrybot-launch.yml@refs/heads/main'];
    world.state.runnerGroups[2] = { id: 2, ownerId: repo().ownerId, name: 'launchers', workflows };
    world.state.repos[repo().id] = { ...repo(), variables: { FERRYBOT_STATE_DIR: join(root, 'state') } };
  });

  it('step 7 and 8: has the rulesets and the Actions settings of the page', async () => {
    const ruleset = async (name: string, target: 'branch' | 'tag', include: string, rules: readonly object[]) =>
      asOwner.request('POST /repos/{owner}/{repo}/rulesets', {
        ...at,
        name,
        target,
        enforcement: 'active',
        conditions: { ref_name: { include: [include], exclude: [] } },
        rules: rules as never,
      });
    const fixed = [{ type: 'non_fast_forward' }, { type: 'deletion' }];
    await ruleset('main', 'branch', '~DEFAULT_BRANCH', [...fixed, REVIEWED]);
    await ruleset('logbook', 'branch', 'refs/heads/ferrybot/logbook', fixed);
    const unmoved = [{ type: 'update' }, { type: 'deletion' }];
    await ruleset('seals', 'tag', 'refs/tags/ferry/**/*', unmoved);
    await ruleset('marks', 'tag', 'refs/tags/ferrybot-mark-*', unmoved);
    await asOwner.request('PUT /repos/{owner}/{repo}/actions/permissions/workflow', {
      ...at,
      default_workflow_permissions: 'read',
      can_approve_pull_request_reviews: true,
    });
    await asOwner.request('PUT /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval', {
      ...at,
      approval_policy: 'all_external_contributors',
    });
  });

  it('step 9: passes all checks of the doctor', async () => {
    const open = (await doctor()).filter(({ state }) => state !== 'ok');
    // Without an App the bot posts as github-actions, which doctor always warns about.
    // The playground has no repository ferrybot/ferrybot.
    expect(open.map(({ check, state }) => [check, state])).toEqual([
      ['app-permissions', 'warning'],
      ['pin', 'warning'],
    ]);
  });

  it('step 10: proposes its first ferry, which an approver launches and seals', async () => {
    await actions.tick();
    await actions.idle();
    await dispatch('ferrybot-daily.yml');
    const [pull] = (await asked('GET /repos/{owner}/{repo}/pulls', at)) as readonly {
      readonly number: number;
    }[];
    if (pull === undefined) throw new Error(`no proposal: ${logs()}`);
    const card = await said(pull.number);
    const [line] = /\/approve-launch sha256:[0-9a-f]{64}|\/approve-launch [0-9a-f]+/.exec(card) ?? [];
    if (line === undefined) throw new Error(`no line to copy: ${card}`);
    clock.advance(5_000);
    await say(pull.number, line);
    expect(await said(pull.number), logs().slice(-4_000)).toContain('/seal');
    await say(pull.number, '/seal');
    const tags = await execa('git', ['-C', join(root, 'git/lab/ferries.git'), 'tag', '--list', 'ferry/*']);
    expect(tags.stdout).toMatch(/^ferry\/daily\//m);
  }, 600_000);
});

const REVIEWED = {
  type: 'pull_request',
  parameters: {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: true,
    require_code_owner_review: false,
    require_last_push_approval: true,
    required_review_thread_resolution: false,
  },
};

const CONFIG = (): string => join(checkout(), '.github/ferrybot.yml');

async function workflowFiles(): Promise<readonly string[]> {
  const folder = join(checkout(), '.github/workflows');
  return (await readdir(folder)).map((name) => join(folder, name));
}

async function edit(path: string, change: (text: string) => string | Promise<string>): Promise<void> {
  await writeFile(path, await change(await readFile(path, 'utf8')));
}

/** Runs the page's own commands, with the role in place of `control`. */
async function makePair(role: string): Promise<void> {
  const folder = join(root, 'keys');
  await mkdir(folder, { recursive: true });
  const commands = keyCommands().replaceAll('control', role);
  const { stdout } = await execa('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder });
  await writeFile(join(folder, `${role}.pub`), stdout.trim());
}

/** The example's config with this lab's public keys, and a second runner key for care. */
async function withKeys(text: string): Promise<string> {
  let config = text;
  const halfOf = (role: string): Promise<string> => readFile(join(root, 'keys', `${role}.pub`), 'utf8');
  for (const role of ['control', 'runner', 'watch']) {
    const half = await halfOf(role);
    config = config.replace(new RegExp(`(role: ${role}\n +public: )\\S+`), (_, before) => before + half);
  }
  const care = `  - id: care\n    role: runner\n    public: ${await halfOf('care')}\n    from: '2020-01-01T00:00:00Z'\n    until: '2040-01-01T00:00:00Z'\n`;
  return config.replace('\nkeys:\n', `\nkeys:\n${care}`);
}

/** The keys of an environment in the page's table, as .pem texts of this lab. */
async function secretsFor(environment: string): Promise<Readonly<Record<string, string>>> {
  const names = keyPlaces().get(environment) ?? [];
  const roleOf = (name: string): string =>
    environment === 'ferrybot-care' ? 'care' : (/FERRYBOT_(\w+)_KEY/.exec(name)?.[1] ?? '').toLowerCase();
  const texts = names.map(async (name) => [name, await readFile(join(root, 'keys', `${roleOf(name)}.pem`), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts)) as Readonly<Record<string, string>>;
}

type Told = { readonly check: string; readonly state: string; readonly found: string };

async function doctor(): Promise<readonly Told[]> {
  const { out } = await callVerb('doctor', checkout(), ['--json'], '', {
    GITHUB_TOKEN: ownersToken,
    GITHUB_REPOSITORY: 'lab/ferries',
    GITHUB_API_URL: `${world.baseUrl}/api/v3`,
  });
  return (JSON.parse(out) as { readonly findings: readonly Told[] }).findings;
}

async function asked(route: string, parameters: object): Promise<unknown> {
  return (await asOwner.request(route, { ...parameters })).data;
}

async function dispatch(workflow_id: string): Promise<void> {
  await asked('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
    ...at,
    workflow_id,
    ref: 'main',
  });
  await quiet();
}

/** Runs everything that is pending. */
async function quiet(): Promise<void> {
  await actions.tick();
  await actions.idle();
}

/** mira, who may approve, comments in a thread; runs everything that follows. */
async function say(issue_number: number, body: string, who = 'mira'): Promise<void> {
  const asPerson = new Octokit({ auth: tokens[who], baseUrl: `${world.baseUrl}/api/v3` });
  await asPerson.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...at,
    issue_number,
    body,
  });
  await quiet();
}

async function said(issue_number: number): Promise<string> {
  const comments = await asked('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...at,
    issue_number,
  });
  return (comments as readonly { readonly body: string }[]).map(({ body }) => body).join('\n\n');
}

const logs = (): string => Object.values(world.state.logs).join('\n');
