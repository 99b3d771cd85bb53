// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** The doctor: what is in order, what is missing, and that what it cannot see is never called ok. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Octokit } from '@octokit/core';
import { describe, expect, it } from 'vitest';
import { examine } from '../../src/app/cli/doctor/examine.ts';
import { DOCTOR_CHECKS, type Finding, fine } from '../../src/app/cli/doctor/finding.ts';
import { judgeJobUser, judgeKeys } from '../../src/app/cli/doctor/judge-keys.ts';
import { judgeSettings, type SettingsFacts } from '../../src/app/cli/doctor/judge-settings.ts';
import { createJudgeTrackers, judgeTrackers } from '../../src/app/cli/doctor/judge-trackers.ts';
import { registrySecretsOf, trackerSecretsOf } from '../../src/app/cli/doctor/judge-workflow-keys.ts';
import { judgeWorkflows, launchLocation } from '../../src/app/cli/doctor/judge-workflows.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { APP_PERMISSIONS } from '../../src/app/server/app-permissions.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { createClient } from '../../src/github/call.ts';
import type { TagRuleset } from '../../src/github/settings.ts';
import type { LabConfig } from '../../src/run/lane-scope.ts';
import { irisConfig } from '../support/iris-config.ts';
import { NOON } from '../support/run-facts.ts';
import { inLane } from '../support/run-parts.ts';
import { slurmConfig } from '../support/slurm-config.ts';

const LAB = join(import.meta.dirname, '../../fixtures/lab/.github');
const text = readFileSync(join(LAB, 'ferrybot.yml'), 'utf8');
const LAUNCH = '.github/workflows/ferrybot-launch.yml';
const CHAT = '.github/workflows/ferrybot-chat.yml';
const WATCH = '.github/workflows/ferrybot-watch.yml';
const STOP = '.github/workflows/ferrybot-stop.yml';
/** A workflow of the example with the commit of a release in the place of the placeholder. */
/** What the chat of an older release looks like: it hands on a secret of the repository. */
const CALLS = [
  '    uses: ferrybot/ferrybot/.github/workflows/chat.yml@0123456789abcdef0123456789abcdef01234567',
  '    secrets: {FERRYBOT_CONTROL_KEY: "${{ secrets.FERRYBOT_CONTROL_KEY }}"}\n',
].join('\n');
function adopted(example: string): string {
  return example.replaceAll(PLACEHOLDER, 'fedcba98'.repeat(5));
}
const PLACEHOLDER = '0123456789abcdef0123456789abcdef01234567';
const WORKFLOWS = new Map(
  readdirSync(join(LAB, 'workflows')).map((name) => [
    `.github/workflows/${name}`,
    adopted(readFileSync(join(LAB, 'workflows', name), 'utf8')),
  ]),
);
const FIXED = [{ type: 'non_fast_forward' }, { type: 'deletion' }];
const reviewed = (required_approving_review_count: number, require_last_push_approval: boolean) => ({
  type: 'pull_request',
  parameters: { required_approving_review_count, require_last_push_approval },
});
const GOOD: SettingsFacts = {
  defaultBranch: 'main',
  logbookBranch: 'ferrybot/logbook',
  launchWorkflow: `lab/ferries/${LAUNCH}@refs/heads/main`,
  repository: known({ default_branch: 'main', private: false }),
  appPermissions: known(
    Object.fromEntries(Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level])),
  ),
  runnerGroups: known([
    {
      name: 'launchers',
      restricted_to_workflows: true,
      selected_workflows: [`lab/ferries/${LAUNCH}@refs/heads/main`],
    },
  ]),
  workflowPermissions: known({
    default_workflow_permissions: 'read',
    can_approve_pull_request_reviews: true,
  }),
  forkApproval: known('all_external_contributors'),
  controlRefs: known([{ name: 'main', type: 'branch' }]),
  environmentRefs: known([{ name: 'main', type: 'branch' }]),
  watchRefs: known([{ name: 'main', type: 'branch' }]),
  careRefs: known([{ name: 'main', type: 'branch' }]),
  passedSecrets: ['HARBOUR'],
  clusterSecrets: ['RAY_AUTH_TOKEN'],
  channelSecrets: ['FERRYBOT_OPS_WEBHOOK'],
  trackerSecrets: ['WANDB_WATCH_KEY'],
  registrySecrets: ['REGISTRY_KEY'],
  controlSecrets: known(['FERRYBOT_CONTROL_KEY', 'FERRYBOT_OPS_WEBHOOK', 'REGISTRY_KEY']),
  launchSecrets: known(['FERRYBOT_RUNNER_KEY', 'RAY_AUTH_TOKEN', 'REGISTRY_KEY', 'HARBOUR']),
  watchSecrets: known([
    'FERRYBOT_WATCH_KEY',
    'RAY_AUTH_TOKEN',
    'FERRYBOT_OPS_WEBHOOK',
    'WANDB_WATCH_KEY',
    'HARBOUR',
  ]),
  careSecrets: known(['FERRYBOT_RUNNER_KEY']),
  repositorySecrets: known(['SOMETHING_OF_THE_LAB']),
  organizationSecrets: known([]),
  runnerLabels: known([['self-hosted', 'ferrybot-launch']]),
  defaultBranchRules: known([reviewed(1, true), ...FIXED]),
  logbookRules: known(FIXED),
  tagRulesets: known([
    {
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/tags/ferry/**/*'], exclude: [] } },
      rules: [{ type: 'update' }, { type: 'deletion' }],
    },
  ]),
};

function tags(include: string[], exclude: string[]): TagRuleset {
  const rules = [{ type: 'update' }, { type: 'deletion' }];
  return { enforcement: 'active', conditions: { ref_name: { include, exclude } }, rules };
}

function config(): LabConfig {
  const reading = readLabConfig(text);
  if (reading.kind !== 'valid') throw new Error('the example config is not valid');
  return reading.config;
}

function stateOf(findings: readonly Finding[], check: string): string | undefined {
  return findings.find((finding) => finding.check === check)?.state;
}

describe('settings', () => {
  it('warn where no App is installed, since every workflow that may write posts under the same name', () => {
    const [found] = judgeSettings({ ...GOOD, appPermissions: known(null) }).filter(
      ({ state }) => state !== 'ok',
    );
    expect(found).toMatchObject({ check: 'app-permissions', state: 'warning' });
    expect(found?.found).toContain('any workflow with write permission can post under that name');
    expect(found?.todo).toContain('Register an App');
  });

  it('are ok where everything is set up', () => {
    expect(judgeSettings(GOOD).filter((finding) => finding.state !== 'ok')).toEqual([]);
  });

  it.each([
    ['app-permissions', { appPermissions: known({ contents: 'write' }) }],
    ['app-permissions', { appPermissions: known({ ...value(GOOD.appPermissions), workflows: 'write' }) }],
    ['runner-group', { runnerGroups: known([]) }],
    [
      'default-workflow-permissions',
      {
        workflowPermissions: known({
          default_workflow_permissions: 'write',
          can_approve_pull_request_reviews: false,
        }),
      },
    ],
    [
      'actions-open-pulls',
      {
        workflowPermissions: known({
          default_workflow_permissions: 'read',
          can_approve_pull_request_reviews: false,
        }),
      },
    ],
    ['fork-approval', { forkApproval: known('first_time_contributors') }],
    ['environment-branches', { environmentRefs: known(null) }],
    ['environment-branches', { environmentRefs: known([]) }],
    ['environment-branches', { environmentRefs: known([{ name: '*' }]) }],
    ['environment-branches', { environmentRefs: known([{ name: 'main', type: 'tag' }]) }],
    ['environment-control', { controlRefs: known('absent') }],
    ['environment-control', { controlRefs: known(null) }],
    ['environment-control', { controlRefs: known([{ name: 'main' }, { name: 'dev' }]) }],
    ['environment-secrets', { controlSecrets: known([]) }],
    ['environment-secrets', { launchSecrets: known([]) }],
    ['environment-secrets', { watchSecrets: known(['RAY_AUTH_TOKEN']) }],
    ['environment-secrets', { careSecrets: known([]), controlSecrets: unknown('GitHub answers 403') }],
    ['job-secrets', { launchSecrets: known(['FERRYBOT_RUNNER_KEY', 'RAY_AUTH_TOKEN', 'REGISTRY_KEY']) }],
    ['job-secrets', { launchSecrets: known(['FERRYBOT_RUNNER_KEY', 'HARBOUR', 'REGISTRY_KEY']) }],
    ['job-secrets', { watchSecrets: known(['FERRYBOT_WATCH_KEY', 'RAY_AUTH_TOKEN']) }],
    ['job-secrets', { watchSecrets: known(['HARBOUR']), launchSecrets: unknown('403') }],
    ['channel-secrets', { controlSecrets: known(['FERRYBOT_CONTROL_KEY', 'REGISTRY_KEY']) }],
    ['channel-secrets', { watchSecrets: known(['FERRYBOT_WATCH_KEY']), controlSecrets: unknown('403') }],
    ['tracker-secrets', { watchSecrets: known(['FERRYBOT_WATCH_KEY', 'FERRYBOT_OPS_WEBHOOK']) }],
    ['registry-secrets', { controlSecrets: known(['FERRYBOT_CONTROL_KEY', 'FERRYBOT_OPS_WEBHOOK']) }],
    ['registry-secrets', { launchSecrets: known(['FERRYBOT_RUNNER_KEY']), controlSecrets: unknown('403') }],
    ['no-key-outside', { repositorySecrets: known(['REGISTRY_KEY']) }],
    ['no-key-outside', { repositorySecrets: known(['FERRYBOT_OPS_WEBHOOK']) }],
    ['no-key-outside', { repositorySecrets: known(['WANDB_WATCH_KEY']) }],
    ['no-key-outside', { repositorySecrets: known(['FERRYBOT_CONTROL_KEY']) }],
    ['no-key-outside', { repositorySecrets: known(['FERRYBOT_RUNNER_KEY']) }],
    ['no-key-outside', { repositorySecrets: known(['RAY_AUTH_TOKEN']) }],
    ['no-key-outside', { clusterSecrets: ['IRIS_TOKEN'], repositorySecrets: known(['IRIS_TOKEN']) }],
    ['no-key-outside', { organizationSecrets: known(['FERRYBOT_WATCH_KEY']) }],
    [
      'no-key-outside',
      {
        repositorySecrets: known(['FERRYBOT_CONTROL_KEY']),
        organizationSecrets: unknown('GitHub answers 403'),
      },
    ],
    ['ruleset-default-branch', { defaultBranchRules: known([{ type: 'deletion' }]) }],
    ['ruleset-default-branch', { defaultBranchRules: known([reviewed(0, true), ...FIXED]) }],
    ['ruleset-default-branch', { defaultBranchRules: known([reviewed(1, false), ...FIXED]) }],
    ['environment-watch', { watchRefs: known(null) }],
    ['environment-watch', { watchRefs: known([{ name: 'dev', type: 'branch' }]) }],
    ['environment-care', { careRefs: known(null) }],
    ['ruleset-logbook', { logbookRules: known([]) }],
    ['ruleset-seal-tags', { tagRulesets: known([]) }],
    // One level deep, and a seal is four.
    ['ruleset-seal-tags', { tagRulesets: known([tags(['refs/tags/ferry/**'], [])]) }],
    ['ruleset-seal-tags', { tagRulesets: known([tags(['~ALL'], ['refs/tags/ferry/**/*'])]) }],
  ] as const satisfies readonly (readonly [string, Partial<SettingsFacts>])[])(
    '%s is missing with %o',
    (check, change) => {
      expect(stateOf(judgeSettings({ ...GOOD, ...change }), check)).toBe('missing');
    },
  );

  it('that cannot be seen are unknown, each with what to do', () => {
    const away = unknown('GitHub answers 403');
    const blind = judgeSettings({
      ...GOOD,
      appPermissions: away,
      runnerGroups: away,
      workflowPermissions: away,
      forkApproval: away,
      environmentRefs: away,
      watchRefs: away,
      careRefs: away,
      controlRefs: away,
      controlSecrets: away,
      launchSecrets: away,
      watchSecrets: away,
      careSecrets: away,
      repositorySecrets: away,
      organizationSecrets: away,
      runnerLabels: away,
      defaultBranchRules: away,
      logbookRules: away,
      tagRulesets: away,
    });
    expect(new Set(blind.map((finding) => finding.state))).toEqual(new Set(['unknown']));
    expect(blind.filter((finding) => finding.todo === '')).toEqual([]);
  });
});

function value<Value>(
  observed: { readonly kind: 'known'; readonly value: Value } | { readonly kind: 'unknown' },
): Value {
  if (observed.kind !== 'known') throw new Error('not known');
  return observed.value;
}

describe('workflows', () => {
  const judged = (change: (texts: Map<string, string>) => void, lab = config()): readonly Finding[] => {
    const texts = new Map(WORKFLOWS);
    change(texts);
    return judgeWorkflows(lab, texts, 'lab');
  };
  const edited = (path: string, from: string | RegExp, to: string) =>
    judged((texts) => {
      const before = texts.get(path) ?? '';
      expect(before.replace(from, to)).not.toBe(before);
      texts.set(path, before.replace(from, to));
    });

  it('of the example lab are ok', () => {
    expect(judged(() => undefined).map((finding) => finding.state)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  });

  it.each([
    ['workflow-launch-safe', LAUNCH, '  workflow_dispatch:', '  pull_request:\n  workflow_dispatch:'],
    ['workflow-launch-safe', LAUNCH, '    environment: ferrybot-launch\n', ''],
    ['workflow-launch-safe', LAUNCH, 'permissions: {}', 'permissions: write-all'],
    ['workflow-launch-safe', LAUNCH, '    steps:\n', '    steps:\n      - run: make\n'],
    ['workflow-launch-safe', WATCH, '[self-hosted, ferrybot-watch]', '[self-hosted, ferrybot-launch]'],
    ['workflows-present', LAUNCH, 'jobs:', 'jobs: ['],
    ['workflows-pinned', LAUNCH, /@fedcba98\w*/, '@v1'],
    ['workflows-pinned', LAUNCH, /fedcba98\w*/, PLACEHOLDER],
    ['workflows-pinned', CHAT, /ferrybot@\w+/, 'ferrybot@main'],
    ['workflow-secrets', WATCH, 'FERRYBOT_WATCH_KEY }}', 'FERRYBOT_RUNNER_KEY }}'],
    ['workflow-secrets', CHAT, '    environment: ferrybot-control\n', ''],
    ['workflow-secrets', CHAT, 'jobs:', 'env: {K: "${{ secrets.FERRYBOT_CONTROL_KEY }}"}\njobs:'],
    ['workflow-secrets', CHAT, 'jobs:', 'FERRYBOT_CONTROL_KEY: ['],
    ['workflow-secrets', CHAT, / {4}runs-on:[\s\S]*/, CALLS],
    ['workflow-events', CHAT, '  issues:', '  pull_request_review:\n  issues:'],
    ['workflow-events', CHAT, '  issues:', '  pull_request:\n  issues:'],
    ['workflow-events', WATCH, '  workflow_dispatch:', '  push:\n  workflow_dispatch:'],
  ])('%s is missing after an edit of %s: %s', (check, path, from, to) => {
    expect(stateOf(edited(path, from, to), check)).toBe('missing');
  });

  const CALL =
    '  launch: {uses: OWNER/ferrybot/.github/workflows/launch.yml@0123456789abcdef0123456789abcdef01234567}\n';
  const calling = (owner: string): [string, string] => [
    LAUNCH,
    `${(WORKFLOWS.get(LAUNCH) ?? '').replace(/jobs:[\s\S]*/, '')}jobs:\n${CALL.replace('OWNER', owner)}`,
  ];

  it('may call the launch of a mirror in their own organisation, and no other, which would get no runner', () => {
    const state = (owner: string): string | undefined =>
      stateOf(
        judged((texts) => texts.set(...calling(owner))),
        'workflow-launch-safe',
      );
    expect(state('lab')).toBe('ok');
    expect(state('ferrybot')).toBe('missing');
  });

  it('say what a runner group has to be pinned to: the file in which the launching job stands', () => {
    expect(launchLocation(config(), WORKFLOWS, 'own')).toBe('own');
    expect(launchLocation(config(), new Map([calling('lab')]), 'own')).toBe(
      'lab/ferrybot/.github/workflows/launch.yml@0123456789abcdef0123456789abcdef01234567',
    );
  });

  it('name what jobs are passed in launch, watch and stop, each by its whole name', () => {
    const lab = config();
    const passing = { ...lab, lanes: { daily: { ...inLane(lab).lane, passSecrets: ['HARBOUR'] } } };
    const judgedWith = (name: string, ...paths: readonly string[]): Finding | undefined =>
      judged((texts) => {
        for (const path of paths)
          texts.set(
            path,
            (texts.get(path) ?? '').replace(
              '        env:\n',
              `        env:\n          HARBOUR: \${{ secrets.${name} }}\n`,
            ),
          );
      }, passing).find(({ check }) => check === 'workflow-secrets');
    expect(judgedWith('HARBOUR')?.found.split('; ')).toEqual([
      `launch in ${LAUNCH} is not given HARBOUR, which it passes to jobs, and refuses to launch without`,
      `stop in ${STOP} is not given HARBOUR, and withholds what jobs write`,
      `watch in ${WATCH} is not given HARBOUR, and withholds what jobs write`,
    ]);
    expect(judgedWith('HARBOUR', LAUNCH, STOP)).toMatchObject({ state: 'missing' });
    expect(judgedWith('HARBOUR', WATCH, STOP)).toMatchObject({ state: 'missing' });
    expect(judgedWith('HARBOUR_PILOT', LAUNCH, WATCH, STOP)).toMatchObject({ state: 'missing' });
    expect(judgedWith('HARBOUR', LAUNCH, WATCH, STOP)).toMatchObject({ state: 'ok' });
  });

  it('name the token of each cluster in launch, watch and stop', () => {
    const lab = config();
    const open = { ...lab, clusters: { iris: irisConfig({ tokenFrom: 'IRIS_TOKEN' }) } };
    const found = judged(() => undefined, open).find(({ check }) => check === 'workflow-secrets');
    expect(found?.found.split('; ')).toEqual(
      [
        ['launch', LAUNCH],
        ['stop', STOP],
        ['watch', WATCH],
      ].map(([job, path]) => `${job} in ${path} is not given IRIS_TOKEN, which opens a cluster`),
    );
  });

  it('find a passed secret of the repository in both environments, since every job has it', () => {
    const repository = { repositorySecrets: known(['HARBOUR']), watchSecrets: known(['RAY_AUTH_TOKEN']) };
    expect(stateOf(judgeSettings({ ...GOOD, ...repository }), 'job-secrets')).toBe('ok');
  });

  it('has the watch given the key of each tracker that it asks, and none of a lane that names no tracker', () => {
    const lab = config();
    const { lane } = inLane(lab);
    const asking = (kind: 'wandb' | 'none'): LabConfig => ({
      ...lab,
      lanes: { daily: { ...lane, tracker: { ...lane.tracker, kind, keyFrom: 'WANDB_WATCH_KEY' } } },
    });
    const secrets = (path: string, from: string, to: string, kind: 'wandb' | 'none' = 'wandb') =>
      judged((texts) => texts.set(path, (texts.get(path) ?? '').replace(from, to)), asking(kind)).find(
        ({ check }) => check === 'workflow-secrets',
      );
    expect(secrets(WATCH, 'x', 'x')).toMatchObject({
      state: 'missing',
      found: 'the watch is not given WANDB_WATCH_KEY and asks no tracker with it',
    });
    const given = '        env:\n          WANDB_WATCH_KEY: ${{ secrets.WANDB_WATCH_KEY }}\n';
    expect(secrets(WATCH, '        env:\n', given)).toMatchObject({ state: 'ok' });
    expect(secrets(WATCH, 'x', 'x', 'none')).toMatchObject({ state: 'ok' });
    expect(trackerSecretsOf(asking('wandb'))).toEqual(['WANDB_WATCH_KEY']);
    expect(trackerSecretsOf(asking('none'))).toEqual([]);
    expect(trackerSecretsOf(lab)).toEqual([]);
  });

  it('hand on the key of each registry of containers to control and to the launcher', () => {
    const lab = config();
    const registry = { address: null, alsoHosts: [], user: 'ferrybot', keyFrom: 'REGISTRY_KEY' };
    const asking: LabConfig = {
      ...lab,
      containers: { ...lab.containers, registries: { 'registry.example.org': registry } },
    };
    const judgedWith = (...paths: readonly string[]): Finding | undefined =>
      judged((texts) => {
        for (const path of paths)
          texts.set(
            path,
            (texts.get(path) ?? '').replaceAll(
              '        env:\n',
              '        env:\n          REGISTRY_KEY: ${{ secrets.REGISTRY_KEY }}\n',
            ),
          );
      }, asking).find(({ check }) => check === 'workflow-secrets');
    expect(judgedWith()).toMatchObject({
      state: 'missing',
      found: expect.stringMatching(
        /in \.github\/workflows\/\S+launch\.yml is not given REGISTRY_KEY, with which a registry of containers is asked/,
      ),
    });
    const chats = [...WORKFLOWS]
      .filter(([path, content]) => path !== LAUNCH && /mode: chat/.test(content))
      .map(([path]) => path);
    expect(chats.length).toBeGreaterThan(0);
    expect(judgedWith(LAUNCH)).toMatchObject({ state: 'missing' });
    expect(judgedWith(...chats)).toMatchObject({ state: 'missing' });
    expect(judgedWith(LAUNCH, ...chats)).toMatchObject({ state: 'ok' });
    expect(registrySecretsOf(asking)).toEqual(['REGISTRY_KEY']);
    expect(registrySecretsOf(lab)).toEqual([]);
  });

  it('hand on the address of each channel that the config names, by which the example lab has it or by another', () => {
    const lab = config();
    const told = (address: string): LabConfig => ({
      ...lab,
      onCall: { ...lab.onCall, channels: { ops: { kind: 'slack', address } } },
    });
    const secrets = (address: string): Finding | undefined =>
      judged(() => undefined, told(address)).find(({ check }) => check === 'workflow-secrets');
    expect(secrets('FERRYBOT_OPS_WEBHOOK')).toMatchObject({ state: 'ok' });
    expect(secrets('OTHER_WEBHOOK')).toMatchObject({
      state: 'missing',
      found: expect.stringContaining(`watch in ${WATCH} is not given OTHER_WEBHOOK`),
    });
  });
});

describe('trackers', () => {
  const asking = (keyFrom: string | null): LabConfig => {
    const lab = config();
    const { lane } = inLane(lab);
    return { ...lab, lanes: { daily: { ...lane, tracker: { ...lane.tracker, keyFrom } } } };
  };
  const judgedBy = (status: number, environment = { READS: 'a-key' }, keyFrom: string | null = 'READS') =>
    judgeTrackers(asking(keyFrom), environment, {
      fetch: async () => Response.json({ data: { project: null } }, { status }),
      now: Date.now,
    });

  it('are reached where the key is taken, missing where it is refused, and unknown without it', async () => {
    expect(await judgedBy(200)).toMatchObject({ state: 'ok', found: 'daily: it answers, and takes the key' });
    expect(await judgedBy(401)).toMatchObject({ state: 'missing' });
    expect(await judgedBy(503)).toMatchObject({ state: 'unknown' });
    expect(await judgedBy(200, { READS: '' })).toMatchObject({ state: 'unknown' });
    expect(await judgedBy(503, { READS: '' }, null)).toMatchObject({ state: 'ok' });
  });

  it('are sent no key where the config is not that of the own checkout: it says which variable goes where', async () => {
    let calls = 0;
    const fetch = async (): Promise<Response> => {
      calls += 1;
      return Response.json({ data: { project: null } });
    };
    const judge = (configText: string) =>
      createJudgeTrackers({ cwd: dirname(LAB), environment: { READS: 'a-key' } }, configText, {
        fetch,
        now: Date.now,
      })(asking('READS'));
    expect(await judge(`${text}# of somebody else\n`)).toMatchObject({ state: 'unknown' });
    expect(calls).toBe(0);
    expect(await judge(text)).toMatchObject({ state: 'ok' });
    expect(calls).toBe(1);
  });
});

describe('keys', () => {
  it('of the example are missing: anybody can derive them', () => {
    expect(judgeKeys(config(), {}, NOON)).toMatchObject({ state: 'missing' });
  });

  it('are ok where each role has one in force, and the environment holds no other', () => {
    const lab = config();
    const keys = lab.keys.map((key, index) => ({
      ...key,
      public: Buffer.alloc(32, index).toString('base64'),
    }));
    const own = { ...lab, keys };
    const other = { control: { public: 'x', sign: () => '' } };
    expect(judgeKeys(own, {}, NOON).state).toBe('ok');
    expect(judgeKeys(own, other, NOON).found).toContain('FERRYBOT_CONTROL_KEY');
    expect(judgeKeys({ ...own, keys: keys.slice(1) }, {}, NOON).state).toBe('missing');
  });
});

describe('the user that jobs run as', () => {
  it('is the runner’s own with a local engine, which is said, its account elsewhere with Slurm, and another with Ray', () => {
    expect(judgeJobUser(config()).found).toContain('jobs of us-central1 run as the runner’s own user');
    const ray = { ...config(), clusters: {} };
    expect(judgeJobUser(ray).found).toBe('no job runs as the runner’s user');
    const slurm = { ...config(), clusters: { hpc: slurmConfig({ folder: '/shared/jobs' }) } };
    expect(judgeJobUser(slurm).found).toMatch(
      /^jobs of hpc run on other machines as the account that submits/,
    );
  });

  it('is everybody’s with an Iris controller that no key is sent to, which is said', () => {
    const open = { ...config(), clusters: { iris: irisConfig({ tokenFrom: null }) } };
    expect(judgeJobUser(open).found).toMatch(/^of iris: .*whoever reaches it is its administrator/);
    const closed = { ...config(), clusters: { iris: irisConfig() } };
    expect(judgeJobUser(closed).found).toBe('no job runs as the runner’s user');
  });
});

describe('an examination', () => {
  const answering = (answers: Readonly<Record<string, unknown>>) => {
    const fetchIt = async (url: string): Promise<Response> => {
      const path = decodeURIComponent(new URL(url).pathname);
      const body = answers[path];
      return Response.json(body ?? { message: 'Not Found' }, { status: body === undefined ? 404 : 200 });
    };
    const octokit = new Octokit({ baseUrl: 'http://github.test', request: { fetch: fetchIt }, log: QUIET });
    return createClient({
      octokit,
      owner: 'lab',
      repo: 'ferries',
      baseUrl: 'http://github.test',
      sleep: async () => undefined,
      now: () => NOON,
    });
  };
  const file = (content: string) => ({
    type: 'file',
    encoding: 'base64',
    content: Buffer.from(content).toString('base64'),
  });
  const repository = { '/repos/lab/ferries': { default_branch: 'main', private: true } };
  const contents = '/repos/lab/ferries/contents';
  const files = {
    [`${contents}/.github/ferrybot.yml`]: file(text),
    [`${contents}/.github/workflows`]: [...WORKFLOWS.keys()].map((path) => ({ type: 'file', path })),
    ...Object.fromEntries([...WORKFLOWS].map(([path, content]) => [`${contents}/${path}`, file(content)])),
  };

  it('gives every check once and in order, ok only for what it saw', async () => {
    const findings = await examine(answering({ ...repository, ...files }), {}, NOON, OUTSIDE);
    expect(findings.map((finding) => finding.check)).toEqual([...DOCTOR_CHECKS]);
    const ok = findings.filter((finding) => finding.state === 'ok').map((finding) => finding.check);
    expect(ok).toEqual([
      'config',
      'job-user',
      'script-calls',
      'cluster-keys',
      'workflows-present',
      'workflow-launch-safe',
      'workflows-pinned',
      'workflow-secrets',
      'workflow-events',
      'fork-approval',
      'job-secrets',
      'channel-secrets',
      'tracker-secrets',
      'registry-secrets',
      'tracker-reached',
    ]);
    expect(stateOf(findings, 'keys')).toBe('missing');
    expect(findings.filter((finding) => finding.state !== 'ok' && finding.todo === '')).toEqual([]);
  });

  it('judges the environment of the watch by the keys that the config names', async () => {
    const asking = text.replace('keyFrom: null', 'keyFrom: WANDB_WATCH_KEY');
    expect(asking).not.toBe(text);
    const named = { [`${contents}/.github/ferrybot.yml`]: file(asking) };
    const secrets = (...names: readonly string[]) => ({
      '/repos/lab/ferries/environments/ferrybot-watch/secrets': {
        total_count: names.length,
        secrets: names.map((name) => ({ name })),
      },
    });
    const examined = async (answers: object) =>
      examine(answering({ ...repository, ...files, ...named, ...answers }), {}, NOON, OUTSIDE);
    expect(stateOf(await examined(secrets('FERRYBOT_WATCH_KEY')), 'tracker-secrets')).toBe('missing');
    expect(stateOf(await examined(secrets('WANDB_WATCH_KEY')), 'tracker-secrets')).toBe('ok');
    expect(stateOf(await examined({}), 'tracker-secrets')).toBe('unknown');
  });

  it('of a repository that the token cannot see finds everything unknown', async () => {
    const findings = await examine(answering({}), {}, NOON, OUTSIDE);
    expect(findings.map((finding) => finding.check)).toEqual([...DOCTOR_CHECKS]);
    expect(new Set(findings.map((finding) => finding.state))).toEqual(new Set(['unknown']));
  });

  it('of a broken config says so and judges nothing by it', async () => {
    const broken = { [`${contents}/.github/ferrybot.yml`]: file('version: 2\n') };
    const findings = await examine(answering({ ...repository, ...broken }), {}, NOON, OUTSIDE);
    expect(stateOf(findings, 'config')).toBe('missing');
    expect(findings.filter((finding) => finding.state === 'ok')).toEqual([]);
  });
});

/** The example has no scripts: nothing is measured. */
const OUTSIDE = () => ({
  measure: async () => unknown('nobody should have asked'),
  asksForKey: async () => null,
  judgeTrackers: async () => fine('tracker-reached', 'no lane has its tracker asked'),
});

const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
