// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** The doctor: what is in order, what is missing, and that an unreadable setting is never reported as ok. */

import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Octokit } from '@octokit/core';
import { describe, expect, it } from 'vitest';
import { DOCTOR_CHECKS, runDoctorChecks } from '../../src/app/cli/doctor/checks.ts';
import type { Environment, Facts, WorkflowFiles } from '../../src/app/cli/doctor/facts.ts';
import type { Finding } from '../../src/app/cli/doctor/verdict.ts';
import { examineLab } from '../../src/app/cli/verbs/doctor.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { APP_PERMISSIONS } from '../../src/app/server/discovery.ts';
import { known, unknown } from '../../src/domain/values.ts';
import { createClient } from '../../src/github/call.ts';
import type { TagRuleset } from '../../src/github/settings.ts';
import type { LabConfig } from '../../src/run/lane.ts';
import { DISK_CLUSTER } from '../support/disk-lab.ts';
import { irisConfig } from '../support/iris-config.ts';
import { NOON } from '../support/run-facts.ts';
import { inLane } from '../support/run-parts.ts';

const LAB = join(import.meta.dirname, '../../fixtures/lab/.github');
const text = readFileSync(join(LAB, 'ferrybot.yml'), 'utf8');
const LAUNCH = '.github/workflows/ferrybot-launch.yml';
const CHAT = '.github/workflows/ferrybot-chat.yml';
const WATCH = '.github/workflows/ferrybot-watch.yml';
const STOP = '.github/workflows/ferrybot-stop.yml';
/** A workflow of the example with a release commit instead of the placeholder. */
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
const MAIN = known([{ name: 'main', type: 'branch' }]);
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  'ferrybot-control': ['FERRYBOT_CONTROL_KEY', 'OPS_WEBHOOK', 'REGISTRY_KEY'],
  'ferrybot-launch': ['FERRYBOT_RUNNER_KEY', 'IRIS_TOKEN', 'REGISTRY_KEY', 'HARBOUR'],
  'ferrybot-watch': ['FERRYBOT_WATCH_KEY', 'IRIS_TOKEN', 'OPS_WEBHOOK', 'WANDB_WATCH_KEY', 'HARBOUR'],
  'ferrybot-care': ['FERRYBOT_RUNNER_KEY'],
};

/** The example lab with its own keys, and with a secret of every kind. */
function config(): LabConfig {
  const reading = readLabConfig(text);
  if (reading.kind !== 'valid') throw new Error('the example config is not valid');
  const lab = reading.config;
  const { lane } = inLane(lab);
  const registry = { address: null, alsoHosts: [], user: 'ferrybot', keyFrom: 'REGISTRY_KEY' };
  return {
    ...lab,
    keys: lab.keys.map((key, index) => ({ ...key, public: Buffer.alloc(32, index).toString('base64') })),
    clusters: { ...lab.clusters, iris: irisConfig({ tokenFrom: 'IRIS_TOKEN' }) },
    onCall: { ...lab.onCall, channels: { ops: { kind: 'slack', address: 'OPS_WEBHOOK' } } },
    containers: { ...lab.containers, registries: { 'registry.example.org': registry } },
    lanes: {
      daily: {
        ...lane,
        passSecrets: ['HARBOUR'],
        tracker: { ...lane.tracker, kind: 'wandb', keyFrom: 'WANDB_WATCH_KEY' },
      },
    },
  };
}

/** Adds every secret of this config to every job of the example. */
function workflows(change: (texts: Map<string, string>) => unknown = () => undefined): WorkflowFiles {
  const texts = new Map(
    [...WORKFLOWS].map(([path, content]) => {
      const names = ['IRIS_TOKEN', 'OPS_WEBHOOK', 'REGISTRY_KEY', 'HARBOUR', 'WANDB_WATCH_KEY'];
      const given = names.map((name) => `          ${name}: \${{ secrets.${name} }}\n`).join('');
      return [path, content.replaceAll('        env:\n', `        env:\n${given}`)];
    }),
  );
  change(texts);
  return texts;
}

const GOOD: Facts = {
  config: config(),
  signingKeys: {},
  now: NOON,
  repository: 'lab/ferries',
  defaultBranch: 'main',
  isPrivate: false,
  files: known(workflows()),
  clusters: [{ name: 'iris', needsKey: known(true) }],
  appPermissions: known(Object.fromEntries(Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]))),
  runnerGroups: known([
    { name: 'launchers', restricted_to_workflows: true, selected_workflows: [`lab/ferries/${LAUNCH}@refs/heads/main`] },
  ]),
  workflowPermissions: known({ default_workflow_permissions: 'read', can_approve_pull_request_reviews: true }),
  forkApproval: known('all_external_contributors'),
  environments: Object.entries(SECRETS).map(([name, secrets]) => ({ name, refs: MAIN, secrets: known(secrets) })),
  repositorySecrets: known(['SOMETHING_OF_THE_LAB']),
  organizationSecrets: known([]),
  runnerLabels: known(['launch', 'watch', 'stop', 'care'].map((name) => ['self-hosted', `ferrybot-${name}`])),
  variables: known(
    new Map([
      ['FERRYBOT_STATE_DIR', '/var/ferrybot'],
      ['FERRYBOT_SERVER', 'off'],
    ]),
  ),
  server: unknown('not asked'),
  pin: { at: `ferrybot/ferrybot@${'fedcba98'.repeat(5)}`, exists: known(true) },
  paths: known(new Set(['experiments', 'experiments/ferries/daily.py', 'lib', 'scripts'])),
  plan: known('team'),
  defaultBranchRules: known([reviewed(1, true), ...FIXED]),
  logbookRules: known(FIXED),
  tagRulesets: known([tags(['refs/tags/ferry/**/*', 'refs/tags/ferrybot-mark-*'], [])]),
};

function tags(include: string[], exclude: string[]): TagRuleset {
  const rules = [{ type: 'update' }, { type: 'deletion' }];
  return { enforcement: 'active', conditions: { ref_name: { include, exclude } }, rules };
}

/** The environments with one of them changed. */
function environment(name: string, change: Partial<Environment>): Partial<Facts> {
  return {
    environments: GOOD.environments.map((one) => (one.name === `ferrybot-${name}` ? { ...one, ...change } : one)),
  };
}

const without = (name: string, secret: string): Partial<Facts> =>
  environment(name, { secrets: known((SECRETS[`ferrybot-${name}`] ?? []).filter((one) => one !== secret)) });
const refs = (name: string, found: readonly { readonly name: string; readonly type?: string }[]) =>
  environment(name, { refs: known(found) });

function serverOn(server: Facts['server']): Partial<Facts> {
  return { variables: known(new Map([...value(GOOD.variables), ['FERRYBOT_SERVER', 'on']])), server };
}

function judge(change: Partial<Facts>, check: string): Finding {
  const found = runDoctorChecks({ ...GOOD, ...change }).find((finding) => finding.check === check);
  if (found === undefined) throw new Error(`no check is called ${check}`);
  return found;
}

describe('settings', () => {
  it('are a warning without an App, because any workflow that may write posts under the same name', () => {
    const found = judge({ appPermissions: known(null) }, 'app-permissions');
    expect(found.state).toBe('warning');
    expect(found.found).toContain('any workflow with write permission can post under that name');
    expect(found.remedy).toContain('Register an App');
  });

  it('are missing if the config names a team that neither the App nor a workflow can read', () => {
    const approvals = { ...GOOD.config.approvals, users: [{ written: '@lab/oncall', ids: [] }] };
    const named = { ...GOOD.config, approvals };
    expect(judge({ config: named }, 'app-permissions').found).toBe('lacks members: read');
    expect(judge({ config: named, appPermissions: known(null) }, 'app-permissions')).toMatchObject({
      state: 'missing',
      found: expect.stringContaining('cannot read @lab/oncall'),
    });
    const reads = known({ ...value(GOOD.appPermissions), members: 'read' });
    expect(judge({ config: named, appPermissions: reads }, 'app-permissions').state).toBe('ok');
  });

  it('are ok if everything is set up', () => {
    expect(runDoctorChecks(GOOD).filter((finding) => finding.state !== 'ok')).toEqual([]);
  });

  it.each([
    ['app-permissions', { appPermissions: known({ contents: 'write' }) }],
    ['app-permissions', { appPermissions: known({ ...value(GOOD.appPermissions), workflows: 'write' }) }],
    ['cluster-keys', { clusters: [{ name: 'iris', needsKey: known(false) }] }],
    ['runner-group', { runnerGroups: known([]) }],
    ['workflow-permissions', { workflowPermissions: permissions('write', true) }],
    ['workflow-permissions', { workflowPermissions: permissions('read', false) }],
    ['fork-approval', { forkApproval: known('first_time_contributors') }],
    ['environment-branches', refs('launch', [{ name: '*' }])],
    ['environment-branches', refs('launch', [])],
    ['environment-branches', refs('launch', [{ name: 'main', type: 'tag' }])],
    ['environment-branches', refs('control', [{ name: 'main' }, { name: 'dev' }])],
    ['environment-branches', refs('watch', [{ name: 'dev', type: 'branch' }])],
    ['environment-branches', refs('care', [])],
    ['environment-secrets', without('control', 'FERRYBOT_CONTROL_KEY')],
    ['environment-secrets', without('launch', 'FERRYBOT_RUNNER_KEY')],
    ['environment-secrets', without('watch', 'FERRYBOT_WATCH_KEY')],
    ['environment-secrets', without('care', 'FERRYBOT_RUNNER_KEY')],
    ['environment-secrets', without('launch', 'HARBOUR')],
    ['environment-secrets', without('watch', 'HARBOUR')],
    ['environment-secrets', without('launch', 'IRIS_TOKEN')],
    ['environment-secrets', without('watch', 'IRIS_TOKEN')],
    ['environment-secrets', without('control', 'OPS_WEBHOOK')],
    ['environment-secrets', without('watch', 'OPS_WEBHOOK')],
    ['environment-secrets', without('watch', 'WANDB_WATCH_KEY')],
    ['environment-secrets', without('control', 'REGISTRY_KEY')],
    ['environment-secrets', without('launch', 'REGISTRY_KEY')],
    ...['REGISTRY_KEY', 'OPS_WEBHOOK', 'WANDB_WATCH_KEY', 'FERRYBOT_CONTROL_KEY', 'RAY_AUTH_TOKEN'].map(
      (name) => ['no-key-outside', { repositorySecrets: known([name]) }] as const,
    ),
    ['variables', { variables: known(new Map()) }],
    ['pin', { pin: { at: 'ferrybot/ferrybot@fedcba98', exists: known(false) } }],
    ['paths', { paths: known(new Set(['experiments', 'lib', 'scripts'])) }],
    ['paths', { paths: known(new Set(['experiments', 'experiments/ferries/daily.py', 'scripts'])) }],
    ['plan', { isPrivate: true, plan: known('free') }],
    ['server', { ...serverOn(known(true)), appPermissions: known(null) }],
    ['server', serverOn(known(false))],
    ['no-key-outside', { organizationSecrets: known(['FERRYBOT_WATCH_KEY']) }],
    [
      'no-key-outside',
      { repositorySecrets: known(['IRIS_TOKEN']), organizationSecrets: unknown('GitHub answers 403') },
    ],
    ['ruleset-default-branch', { defaultBranchRules: known([{ type: 'deletion' }]) }],
    ['ruleset-default-branch', { defaultBranchRules: known([reviewed(0, true), ...FIXED]) }],
    ['ruleset-default-branch', { defaultBranchRules: known([reviewed(1, false), ...FIXED]) }],
    ['ruleset-logbook', { logbookRules: known([]) }],
    ['ruleset-seal-tags', { tagRulesets: known([]) }],
    // The pattern is one level deep; a seal's tag has four levels.
    ['ruleset-seal-tags', { tagRulesets: known([tags(['refs/tags/ferry/**'], [])]) }],
    ['ruleset-seal-tags', { tagRulesets: known([tags(['~ALL'], ['refs/tags/ferry/**/*'])]) }],
    ['ruleset-mark-tags', { tagRulesets: known([tags(['refs/tags/ferry/**/*'], [])]) }],
  ] as const satisfies readonly (readonly [string, Partial<Facts>])[])('%s is missing with %o', (check, change) => {
    expect(judge(change, check)).toMatchObject({ state: 'missing', remedy: expect.stringMatching(/\w/) });
  });

  it('are missing with the secret and the environment named', () => {
    expect(judge(without('watch', 'HARBOUR'), 'environment-secrets').found).toBe(
      'there is no HARBOUR in ferrybot-watch',
    );
  });

  it('are ok if a passed secret is a repository secret, because every job has it then', () => {
    const change = { ...without('watch', 'HARBOUR'), repositorySecrets: known(['HARBOUR']) };
    expect(judge(change, 'environment-secrets').state).toBe('ok');
    expect(judge(change, 'no-key-outside').state).toBe('ok');
  });

  it('that cannot be read are unknown, each with a next step', () => {
    const away = unknown('GitHub answers 403');
    const blind = runDoctorChecks({
      ...GOOD,
      files: away,
      clusters: [{ name: 'iris', needsKey: away }],
      appPermissions: away,
      runnerGroups: away,
      workflowPermissions: away,
      forkApproval: away,
      environments: GOOD.environments.map((one) => ({ ...one, refs: away, secrets: away })),
      repositorySecrets: away,
      organizationSecrets: away,
      runnerLabels: away,
      variables: away,
      server: away,
      pin: { at: 'ferrybot/ferrybot@fedcba98', exists: away },
      paths: away,
      plan: away,
      defaultBranchRules: away,
      logbookRules: away,
      tagRulesets: away,
    });
    const seen = blind.filter(({ state }) => state !== 'unknown');
    expect(seen.map(({ check, state }) => [check, state])).toEqual([
      ['config', 'ok'],
      ['keys', 'ok'],
      ['pin', 'warning'],
    ]);
    expect(blind.filter(({ state, remedy }) => state === 'unknown' && remedy === '')).toEqual([]);
  });
});

function permissions(default_workflow_permissions: string, can_approve_pull_request_reviews: boolean) {
  return known({ default_workflow_permissions, can_approve_pull_request_reviews });
}

function value<Value>(
  observed: { readonly kind: 'known'; readonly value: Value } | { readonly kind: 'unknown' },
): Value {
  if (observed.kind !== 'known') throw new Error('not known');
  return observed.value;
}

describe('workflows', () => {
  const edited = (path: string, from: string | RegExp, to: string): Partial<Facts> => ({
    files: known(
      workflows((texts) => {
        const before = texts.get(path) ?? '';
        expect(before.replace(from, to)).not.toBe(before);
        texts.set(path, before.replace(from, to));
      }),
    ),
  });

  it.each([
    ['workflows', LAUNCH, /@fedcba98\w*/, '@v1'],
    ['workflows', LAUNCH, /fedcba98\w*/, PLACEHOLDER],
    ['workflows', CHAT, /ferrybot@\w+/, 'ferrybot@main'],
    ['workflow-secrets', LAUNCH, 'secrets.HARBOUR', 'secrets.HARBOUR_PILOT'],
    ...[
      [LAUNCH, 'HARBOUR'],
      [WATCH, 'HARBOUR'],
      [STOP, 'HARBOUR'],
      [LAUNCH, 'IRIS_TOKEN'],
      [WATCH, 'IRIS_TOKEN'],
      [STOP, 'IRIS_TOKEN'],
      [CHAT, 'OPS_WEBHOOK'],
      [WATCH, 'OPS_WEBHOOK'],
      [CHAT, 'REGISTRY_KEY'],
      [LAUNCH, 'REGISTRY_KEY'],
      [WATCH, 'WANDB_WATCH_KEY'],
    ].map(([path = '', name = '']) => ['workflow-secrets', path, `secrets.${name}`, 'secrets.OTHER'] as const),
  ] as const)('%s is missing after an edit of %s: %s', (check, path, from, to) => {
    expect(judge(edited(path, from, to), check).state).toBe('missing');
  });

  it('are missing if a workflow file does not exist, and the file is named', () => {
    const files = known(workflows((texts) => texts.delete(STOP)));
    expect(judge({ files }, 'workflows')).toMatchObject({ state: 'missing', found: 'there is no ferrybot-stop.yml' });
  });

  it.each(['chat', 'daily', 'watchdog'])('are missing without ferrybot-%s.yml in a lab without a server', (name) => {
    const files = known(workflows((texts) => texts.delete(`.github/workflows/ferrybot-${name}.yml`)));
    expect(judge({ files }, 'workflows').found).toBe(`there is no ferrybot-${name}.yml`);
    const isNeeded = name !== 'chat';
    expect(judge({ files, ...serverOn(known(true)) }, 'workflows').state).toBe(isNeeded ? 'missing' : 'ok');
  });

  it('are missing without the care and disk-scan files only if a cluster is maintained', () => {
    const files = known(
      workflows((texts) => ['care', 'disk-scan'].map((name) => texts.delete(`.github/workflows/ferrybot-${name}.yml`))),
    );
    expect(judge({ files }, 'workflows').state).toBe('ok');
    const maintained = readLabConfig(text.replace('\nclusters:\n', `\nclusters:${DISK_CLUSTER}`));
    if (maintained.kind !== 'valid') throw new Error(JSON.stringify(maintained.problems));
    const ray = maintained.config;
    expect(judge({ files, config: ray }, 'workflows').found).toBe(
      'there is no ferrybot-care.yml; there is no ferrybot-disk-scan.yml',
    );
    expect(judge({ config: ray }, 'variables').found).toBe('there is no FERRYBOT_DISK_CLUSTERS');
    // The token of a Ray dashboard has this name by default.
    const found = judge({ config: ray }, 'environment-secrets').found;
    expect(found).toContain('there is no RAY_AUTH_TOKEN in ferrybot-launch');
    expect(found).toContain('there is no RAY_AUTH_TOKEN in ferrybot-watch');
  });

  it('name every job that no runner of the repository takes', () => {
    const found = judge({ runnerLabels: known([['self-hosted', 'ferrybot-launch']]) }, 'runner-label');
    expect(found.state).toBe('unknown');
    for (const name of ['watch', 'stop', 'care'])
      expect(found.found).toContain(`.github/workflows/ferrybot-${name}.yml waits for self-hosted, ferrybot-${name}`);
    expect(found.found).not.toContain('ferrybot-launch.yml waits');
  });

  it('are missing if a file lacks a secret, and both are named', () => {
    const change = edited(WATCH, 'secrets.HARBOUR', 'secrets.OTHER');
    expect(judge(change, 'workflow-secrets').found).toBe(
      `a job in ${WATCH} does not name HARBOUR, which jobs get and logs must not show`,
    );
  });

  it('need no tracker key if the lane has no tracker', () => {
    const lab = config();
    const { lane } = inLane(lab);
    const quiet = { ...lab, lanes: { daily: { ...lane, tracker: { ...lane.tracker, kind: 'none' as const } } } };
    const change = { config: quiet, ...without('watch', 'WANDB_WATCH_KEY') };
    expect(judge(change, 'environment-secrets').state).toBe('ok');
  });

  const calling = (owner: string): Partial<Facts> => ({
    files: known(
      workflows((texts) => {
        const before = (texts.get(LAUNCH) ?? '').replace(/jobs:[\s\S]*/, '');
        const uses = `${owner}/ferrybot/.github/workflows/launch.yml@${PLACEHOLDER}`;
        texts.set(LAUNCH, `${before}jobs:\n  launch: {uses: ${uses}}\n`);
      }),
    ),
  });

  it("determine the file in the runner group's hint: the one with the launch job", () => {
    expect(judge({ runnerGroups: known([]) }, 'runner-group').remedy).toContain(
      `lab/ferries/${LAUNCH}@refs/heads/main`,
    );
    expect(judge(calling('lab'), 'runner-group').remedy).toContain(
      `lab/ferrybot/.github/workflows/launch.yml@${PLACEHOLDER}`,
    );
  });
});

describe('keys', () => {
  it('of the example are missing, because anyone can derive them', () => {
    const reading = readLabConfig(text);
    const keys = reading.kind === 'valid' ? reading.config.keys : [];
    expect(judge({ config: { ...config(), keys } }, 'keys').found).toContain("the control key is the example's");
  });

  it('are missing if the environment has a different one, or a role has none in force', () => {
    const other = { control: { public: 'x', sign: () => '' } };
    expect(judge({ signingKeys: other }, 'keys').found).toContain('FERRYBOT_CONTROL_KEY');
    const fewer = { ...config(), keys: config().keys.slice(1) };
    expect(judge({ config: fewer }, 'keys').state).toBe('missing');
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

  const here = { cwd: tmpdir(), signingKeys: {}, now: NOON };

  it('returns every check once and in order, and ok only for what it could read', async () => {
    const findings = await examineLab(answering({ ...repository, ...files }), here);
    expect(findings.map((finding) => finding.check)).toEqual([...DOCTOR_CHECKS]);
    const ok = findings.filter((finding) => finding.state === 'ok').map((finding) => finding.check);
    expect(ok).toEqual(['config', 'cluster-keys', 'workflows', 'workflow-secrets', 'fork-approval']);
    expect(findings.find(({ check }) => check === 'keys')?.state).toBe('missing');
    expect(findings.filter((finding) => finding.state !== 'ok' && finding.remedy === '')).toEqual([]);
  });

  it('is unknown if the token cannot see the repository', async () => {
    expect(await examineLab(answering({}), here)).toMatchObject([{ check: 'config', state: 'unknown' }]);
  });

  it('reports an invalid config and skips the checks that depend on it', async () => {
    const broken = { [`${contents}/.github/ferrybot.yml`]: file('version: 2\n') };
    const findings = await examineLab(answering({ ...repository, ...broken }), here);
    expect(findings).toMatchObject([{ check: 'config', state: 'missing' }]);
  });
});

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
