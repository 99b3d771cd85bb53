/**
 * The doctor over real HTTP: a freshly copied lab, and the same lab after everything the doctor lists was
 * done.
 */

import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Octokit } from '@octokit/core';
import { afterEach, describe, expect, it } from 'vitest';
import { importTree } from '../../packages/playground/git/store/import-tree.ts';
import { createMemoryStore } from '../../packages/playground/git/store/memory-store.ts';
import { listen } from '../../packages/playground/http/server.ts';
import { mintUserToken } from '../../packages/playground/identity/tokens.ts';
import { createWorld } from '../../packages/playground/world/create-world.ts';
import { addUser, type Seeded, seedWorld } from '../../packages/playground/world/seed.ts';
import type { World } from '../../packages/playground/world/world.ts';
import { APP_PERMISSIONS } from '../../src/app/server/discovery.ts';
import { callVerb } from '../app/cli/call-verb.ts';
import { createKeyPair } from '../support/key-pair.ts';

const LAB = join(import.meta.dirname, '../../fixtures/lab');
const at = { owner: 'lab', repo: 'ferries' } as const;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Lab = {
  readonly world: World;
  readonly seeded: Seeded;
  readonly origin: string;
  /** Token of an owner of the organisation and the repository. */
  readonly owner: string;
  readonly asOwner: Octokit;
};

/** The example lab with its own keys, after its files were copied and before any setting. */
async function copiedLab(): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-doctor-'));
  closers.push(() => rm(folder, { recursive: true }));
  await cp(LAB, folder, { recursive: true });
  const path = join(folder, '.github/ferrybot.yml');
  const config = await readFile(path, 'utf8');
  await writeFile(
    path,
    config.replaceAll(/(public:\s*)(\S+)/g, (_, name: string) => name + createKeyPair().public),
  );
  const workflows = join(folder, '.github/workflows');
  for (const name of await readdir(workflows)) {
    const text = await readFile(join(workflows, name), 'utf8');
    await writeFile(join(workflows, name), text.replaceAll(/@0123456789abcdef\w+/g, `@${'fedcba98'.repeat(5)}`));
  }
  const heard = await listen(0);
  if (!heard.ok) throw new Error(heard.reason);
  const store = createMemoryStore();
  const world = createWorld({
    clock: { now: Date.now, sleep: async () => undefined },
    gitStores: () => store,
    baseUrl: heard.origin,
  });
  const seeded = seedWorld(world, {
    secrets: { FERRYBOT_CONTROL_KEY: 'c', FERRYBOT_WATCH_KEY: 'w', FERRYBOT_RUNNER_KEY: 'left here by mistake' },
    app: {
      publicKeyPem: 'nobody signs',
      permissions: { contents: 'write', workflows: 'write' },
      events: [],
      webhook: null,
    },
  });
  await importTree(store, { directory: folder, message: 'The lab', skip: (one) => one.includes('__pycache__') });
  const { id } = addUser(world, 'olga', 'User', 'Olga Owner');
  const { repo } = seeded;
  world.state.owners[repo.ownerId] = [id];
  world.state.repos[repo.id] = { ...repo, collaborators: { ...repo.collaborators, [id]: 'admin' } };
  heard.serve({ world, clock: null, onBug: (error) => closers.push(() => Promise.reject(error)) });
  closers.push(heard.close);
  const owner = mintUserToken(world, id);
  const asOwner = new Octokit({ auth: owner, baseUrl: `${heard.origin}/api/v3` });
  return { world, seeded, origin: heard.origin, owner, asOwner };
}

type Told = { readonly code: number; readonly states: Readonly<Record<string, string>> };

async function doctor(lab: Lab, token: string): Promise<Told> {
  const { code, out } = await callVerb('doctor', tmpdir(), ['--json'], '', {
    GITHUB_TOKEN: token,
    GITHUB_REPOSITORY: 'lab/ferries',
    GITHUB_API_URL: `${lab.origin}/api/v3`,
  });
  const { findings } = JSON.parse(out) as {
    readonly findings: readonly { readonly check: string; readonly state: string; readonly found: string }[];
  };
  return { code, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])) };
}

const KEY_OF: Readonly<Record<string, string>> = {
  'ferrybot-control': 'FERRYBOT_CONTROL_KEY',
  'ferrybot-launch': 'FERRYBOT_RUNNER_KEY',
  'ferrybot-watch': 'FERRYBOT_WATCH_KEY',
  'ferrybot-care': 'FERRYBOT_RUNNER_KEY',
};

/** What an administrator of the lab would click, through the API. */
async function setUp({ world, seeded, asOwner }: Lab): Promise<void> {
  const install = Object.values(world.state.installations)[0];
  if (install === undefined) throw new Error('no installation');
  const permissions = Object.fromEntries(Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]));
  world.state.installations[install.id] = { ...install, permissions };
  for (const name of ['ferrybot-control', 'ferrybot-launch', 'ferrybot-watch', 'ferrybot-care']) {
    const environment = { ...at, environment_name: name };
    await asOwner.request('PUT /repos/{owner}/{repo}/environments/{environment_name}', {
      ...environment,
      deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
    });
    await asOwner.request('POST /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies', {
      ...environment,
      name: 'main',
    });
  }
  await asOwner.request('PUT /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval', {
    ...at,
    approval_policy: 'all_external_contributors',
  });
  await asOwner.request('PUT /repos/{owner}/{repo}/actions/permissions/workflow', {
    ...at,
    default_workflow_permissions: 'read',
    can_approve_pull_request_reviews: true,
  });
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
  const reviewed = {
    type: 'pull_request',
    parameters: {
      required_approving_review_count: 1,
      dismiss_stale_reviews_on_push: true,
      require_code_owner_review: false,
      require_last_push_approval: true,
      required_review_thread_resolution: false,
    },
  };
  await ruleset('main', 'branch', '~DEFAULT_BRANCH', [...fixed, reviewed]);
  await ruleset('logbook', 'branch', 'refs/heads/ferrybot/logbook', fixed);
  const unmoved = [{ type: 'update' }, { type: 'deletion' }];
  await ruleset('seals', 'tag', 'refs/tags/ferry/**/*', unmoved);
  await ruleset('marks', 'tag', 'refs/tags/ferrybot-mark-*', unmoved);
  // Secrets, runners and groups have no route here: GitHub accepts only sealed secrets, and runners register
  // themselves.
  const repo = world.state.repos[seeded.repo.id] ?? seeded.repo;
  const environments = repo.environments.map((one) => ({ ...one, secrets: { [KEY_OF[one.name] ?? '']: 'new' } }));
  world.state.repos[repo.id] = {
    ...repo,
    secrets: {},
    environments,
    variables: { FERRYBOT_STATE_DIR: '/var/ferrybot' },
  };
  const labels = ['launch', 'watch', 'stop', 'care'].map((name) => `ferrybot-${name}`);
  world.state.runners[1] = { id: 1, repoId: repo.id, name: 'box', os: 'Linux', labels };
  const launch = 'lab/ferries/.github/workflows/ferrybot-launch.yml@refs/heads/main';
  world.state.runnerGroups[2] = { id: 2, ownerId: repo.ownerId, name: 'launchers', workflows: [launch] };
}

describe('the doctor over HTTP', () => {
  it('lists what a copied lab lacks, and passes once all of it is done', async () => {
    const lab = await copiedLab();
    const before = await doctor(lab, lab.owner);
    expect(before.code).toBe(1);
    expect(before.states).toMatchSnapshot();
    await setUp(lab);
    const after = await doctor(lab, lab.owner);
    // The playground has no repository ferrybot/ferrybot.
    expect(Object.entries(after.states).filter(([, state]) => state !== 'ok')).toEqual([['pin', 'warning']]);
    expect(after.code).toBe(0);
  });

  it("reports settings as unknown if a writer's token cannot see them", async () => {
    const lab = await copiedLab();
    await setUp(lab);
    const { code, states } = await doctor(lab, lab.seeded.tokens.ada);
    expect(code).toBe(1);
    expect(states).toMatchObject({
      'ruleset-logbook': 'ok',
      'ruleset-seal-tags': 'ok',
      'ruleset-mark-tags': 'ok',
      'environment-branches': 'ok',
      'app-permissions': 'unknown',
      'runner-group': 'unknown',
      'runner-label': 'unknown',
      'fork-approval': 'unknown',
      'workflow-permissions': 'unknown',
    });
    expect(Object.values(lab.world.state.unserved)).toEqual([]);
  });
});
