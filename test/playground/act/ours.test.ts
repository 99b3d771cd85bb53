/**
 * Every workflow of ours, those that a lab copies and those that it calls, with the real bundle on our runner and on act:
 * the same jobs, ends and results. Takes about a minute.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintInstallationToken } from '../../../playground/identity/tokens.ts';
import { describeWith } from '../../support/outside-tools.ts';
import { type BundleLab, openBundleLab } from '../../trust/bundle-lab.ts';
import { bookmark, HOSTED, HOSTED_TOO, LAUNCHER } from '../../trust/bundle-world.ts';
import { runAct, type Told } from './run-act.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LAB = 'fixtures/lab/.github/workflows';
const FOLDER = '.github/workflows';
const EXAMPLE = '0123456789abcdef0123456789abcdef01234567';
const MACHINES = ['watch', 'stop', 'care'].map((name) => ({
  name,
  labels: ['self-hosted', `ferrybot-${name}`],
}));

/** A thin caller, as a lab with a mirror of ferrybot in its own organisation has it. */
const mirrored = (name: string, inputs: Readonly<Record<string, string>>, keys: readonly string[]): string =>
  [
    'on:\n  workflow_dispatch:\n    inputs:',
    ...Object.keys(inputs).map((input) => `      ${input}: {type: string}`),
    `permissions: {}\njobs:\n  go:\n    permissions: ${JSON.stringify(RIGHTS)}`,
    `    uses: lab/ferrybot/${FOLDER}/${name}.yml@${EXAMPLE}`,
    `    with: {${Object.keys(inputs).map((input) => `${input}: "\${{ inputs.${input} }}"`)}}`,
    `    secrets: {${keys.map((key) => `${key}: "\${{ secrets.${key} }}"`)}}\n`,
  ].join('\n');
const RIGHTS = { checks: 'write', contents: 'write', issues: 'write', 'pull-requests': 'write' };
const RUNNER_KEY = ['FERRYBOT_RUNNER_KEY'];
const WATCH_KEY = ['FERRYBOT_WATCH_KEY'];
const NOTHING = `sha256:${'0'.repeat(64)}`;

describeWith('act', 'our workflows on our runner and on act', () => {
  let lab: BundleLab;
  let folder: string;
  let rewind: () => Promise<void>;
  beforeAll(async () => {
    lab = await openBundleLab();
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-act-'));
    for (const [id, repo] of Object.entries(lab.world.state.repos))
      lab.world.state.repos[id] = { ...repo, variables: { ...repo.variables, FERRYBOT_SERVER: 'off' } };
    for (const [name, text] of Object.entries(mirrors()))
      await lab.as('mira', 'PUT', `/contents/${FOLDER}/${name}`, {
        message: name,
        content: Buffer.from(text).toString('base64'),
      });
    await lab.runJobs();
    await lab.useRunners(HOSTED, HOSTED_TOO, LAUNCHER, ...MACHINES);
    await lab.runJobs();
    rewind = await bookmark(lab);
  });
  afterAll(async () => {
    await lab?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const mirrors = (): Readonly<Record<string, string>> => ({
    'mirror-launch.yml': mirrored('launch', { run: '', order: '' }, RUNNER_KEY),
    'mirror-watch.yml': mirrored('watch', { cluster: '' }, WATCH_KEY),
    'mirror-stop.yml': mirrored('stop', { run: '' }, WATCH_KEY),
    'mirror-care.yml': mirrored('care', { run: '', mutation: '' }, RUNNER_KEY),
    'mirror-disk-scan.yml': mirrored('disk-scan', { cluster: '' }, WATCH_KEY),
  });

  const byUs = async (file: string, inputs: Readonly<Record<string, string>>): Promise<Told> => {
    await lab.as('ada', 'POST', `/actions/workflows/${file}/dispatches`, { ref: 'main', inputs });
    const id = Math.max(...Object.keys(lab.world.state.runs).map(Number));
    await lab.runJobs();
    const jobs = (lab.world.state.runs[id]?.jobIds ?? []).flatMap((job) => lab.world.state.jobs[job] ?? []);
    const ran = jobs.filter(({ conclusion }) => conclusion !== 'skipped');
    return {
      jobs: Object.fromEntries(ran.map(({ key, conclusion }) => [key.split('/').at(-1), String(conclusion)])),
      lines: ran.flatMap((job) =>
        (lab.world.state.logs[job.id] ?? '').replaceAll(/^\S+Z /gm, '').split('\n'),
      ),
      summary: ran.map(({ summary }) => summary).join(''),
    };
  };

  const byAct = (file: string, inputs: Readonly<Record<string, string>>): Promise<Told> => {
    const { world, action, keys } = lab;
    const app = Object.values(world.state.apps).find(({ slug }) => slug === 'ferrybot');
    const installation = Object.values(world.state.installations).find(({ appId }) => appId === app?.id);
    if (installation === undefined) throw new Error('the App is not installed');
    const text = mirrors()[file] ?? readFileSync(join(ROOT, LAB, file), 'utf8');
    return runAct(folder, {
      files: { [`${FOLDER}/${file}`]: text },
      workflow: `${FOLDER}/${file}`,
      event: 'workflow_dispatch',
      payload: { inputs, repository: { default_branch: 'main' } },
      secrets: {
        GITHUB_TOKEN: mintInstallationToken(world, installation, installation.permissions, null).token,
        FERRYBOT_CONTROL_KEY: keys.roles.control.privatePem,
        FERRYBOT_RUNNER_KEY: keys.roles.runner.privatePem,
        FERRYBOT_WATCH_KEY: keys.roles.watch.privatePem,
      },
      vars: { FERRYBOT_SERVER: 'off', FERRYBOT_STATE_DIR: dirname(lab.jobs) },
      env: {
        GITHUB_API_URL: `${world.baseUrl}/api/v3`,
        GITHUB_SERVER_URL: world.baseUrl,
        GITHUB_REPOSITORY: 'lab/ferries',
        GITHUB_WORKFLOW_REF: `lab/ferries/${FOLDER}/${file}@refs/heads/main`,
      },
      standIns: { 'ferrybot/ferrybot': action, 'lab/ferrybot': action },
      commits: [EXAMPLE, pinOf(action)],
    });
  };

  /** What ferrybot said at the end of each job; both runners mark a failure in a way of their own. */
  const comparable = ({ jobs, lines }: Told): object => ({
    jobs,
    results: [...new Set(lines.flatMap((line) => /ferrybot: ([\w-]+)/.exec(line)?.[1] ?? []))].sort(),
  });

  const CASES: readonly (readonly [string, () => Readonly<Record<string, string>>, readonly string[]])[] = [
    ['ferrybot-chat.yml', () => ({ run: '' }), ['reconciled']],
    ['ferrybot-daily.yml', () => ({}), ['already', 'reconciled']],
    ['ferrybot-watch.yml', () => ({ cluster: 'us-central1' }), ['idle', 'reconciled']],
    ['ferrybot-stop.yml', () => ({ run: lab.run }), ['no-job', 'reconciled']],
    ['ferrybot-watchdog.yml', () => ({}), ['idle']],
    ['ferrybot-care.yml', () => ({ run: lab.run, mutation: NOTHING }), []],
    ['ferrybot-disk-scan.yml', () => ({ cluster: 'us-central1' }), ['no-disk-care', 'reconciled']],
    ['mirror-launch.yml', () => ({ run: lab.run, order: lab.order }), ['wrong-workflow']],
    ['mirror-watch.yml', () => ({ cluster: 'us-central1' }), ['idle']],
    ['mirror-stop.yml', () => ({ run: lab.run }), ['wrong-workflow']],
    ['mirror-care.yml', () => ({ run: lab.run, mutation: NOTHING }), ['wrong-workflow']],
    ['mirror-disk-scan.yml', () => ({ cluster: 'us-central1' }), ['no-disk-care']],
    // Last: what it starts goes on for a moment.
    ['ferrybot-launch.yml', () => ({ run: lab.run, order: lab.order }), ['reconciled', 'submitted']],
  ];

  it('are all in the table', () => {
    const played = CASES.map(([file]) => file);
    expect(played).toEqual(expect.arrayContaining(readdirSync(join(ROOT, LAB))));
  });

  it.each(CASES)('%s comes to the same', async (file, inputs, results) => {
    const runs = [];
    for (const play of [byUs, byAct]) {
      await rewind();
      await rm(lab.jobs, { recursive: true, force: true, maxRetries: 5 });
      runs.push(comparable(await play(file, inputs())));
    }
    const [ours, theirs] = runs;
    expect(theirs).toEqual(ours);
    if (results.length > 0) expect(ours).toMatchObject({ results });
  });
});

/** The commit that the called workflows name. */
function pinOf(action: string): string {
  const pin = /uses: ferrybot\/ferrybot@([0-9a-f]{40})/.exec(
    readFileSync(join(action, FOLDER, 'chat.yml'), 'utf8'),
  )?.[1];
  if (pin === undefined) throw new Error('the chat names no commit');
  return pin;
}
