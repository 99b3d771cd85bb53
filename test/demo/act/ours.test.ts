/**
 * Every workflow that a lab copies or calls, with the real bundle on the playground's runner and on act: the
 * same jobs, steps, conclusions, outputs and results. Takes about a minute.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActReport } from '../../../packages/playground/test/act/run-act.ts';
import { describeWith } from '../../../packages/playground/test/support/outside-tools.ts';
import { type BundleLab, openBundleLab } from '../../trust/bundle-lab.ts';
import { bookmark, HOSTED, HOSTED_TOO, LAUNCHER } from '../../trust/bundle-world.ts';
import { EXAMPLE, LAB_WORKFLOWS, type PlayWorkflow, playOnAct, playOnOurRunner, toComparable } from './two-runners.ts';

const FOLDER = '.github/workflows';
const ROOT = join(import.meta.dirname, '../../..');
const MACHINES = ['watch', 'stop', 'care'].map((name) => ({ name, labels: ['self-hosted', `ferrybot-${name}`] }));

/** A thin caller, as in a lab with a mirror of ferrybot in its own organisation. */
const mirrored = (name: string, inputs: Readonly<Record<string, string>>, keys: readonly string[]): string =>
  [
    // An empty mapping if there are none: GitHub rejects a workflow with null inputs.
    `on:\n  workflow_dispatch:\n    inputs: {${Object.keys(inputs).map((input) => `${input}: {type: string}`)}}`,
    `permissions: {}\njobs:\n  go:\n    permissions: ${JSON.stringify(RIGHTS)}`,
    `    uses: lab/ferrybot/${FOLDER}/${name}.yml@${EXAMPLE}`,
    `    with: {${Object.keys(inputs).map((input) => `${input}: "\${{ inputs.${input} }}"`)}}`,
    `    secrets: {${keys.map((key) => `${key}: "\${{ secrets.${key} }}"`)}}\n`,
  ].join('\n');
const RIGHTS = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  'pull-requests': 'write',
  statuses: 'read',
};
const CONTROL_KEY = ['FERRYBOT_CONTROL_KEY'];
const RUNNER_KEY = ['FERRYBOT_RUNNER_KEY'];
const WATCH_KEY = ['FERRYBOT_WATCH_KEY'];
const NOTHING = `sha256:${'0'.repeat(64)}`;

describeWith('act', "ferrybot's workflows on the playground's runner and on act", () => {
  let lab: BundleLab;
  let folder: string;
  let rewind: () => Promise<void>;
  beforeAll(async () => {
    // On the default branch before the ferry, because a stale ferry is not launched.
    const files = Object.entries(mirrors()).map(([name, text]) => [`${FOLDER}/${name}`, text]);
    lab = await openBundleLab({ files: Object.fromEntries(files) });
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-act-'));
    for (const [id, repo] of Object.entries(lab.world.state.repos))
      lab.world.state.repos[id] = { ...repo, variables: { ...repo.variables, FERRYBOT_SERVER: 'off' } };
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
    'mirror-chat.yml': mirrored('chat', { run: '' }, CONTROL_KEY),
    'mirror-propose.yml': mirrored('propose', {}, CONTROL_KEY),
    'mirror-record.yml': mirrored('record', { run: '' }, CONTROL_KEY),
    'mirror-watchdog.yml': mirrored('watchdog', {}, CONTROL_KEY),
    'mirror-launch.yml': mirrored('launch', { run: '', order: '' }, RUNNER_KEY),
    'mirror-watch.yml': mirrored('watch', { cluster: '' }, WATCH_KEY),
    'mirror-stop.yml': mirrored('stop', { run: '' }, WATCH_KEY),
    'mirror-care.yml': mirrored('care', { run: '', action: '' }, RUNNER_KEY),
    'mirror-disk-scan.yml': mirrored('disk-scan', { cluster: '' }, WATCH_KEY),
  });

  const CASES: readonly (readonly [string, () => Readonly<Record<string, string>>, readonly string[]])[] = [
    ['ferrybot-chat.yml', () => ({ run: '' }), ['reconciled']],
    ['ferrybot-daily.yml', () => ({}), ['already', 'reconciled']],
    ['ferrybot-watch.yml', () => ({ cluster: 'us-central1' }), ['idle', 'reconciled']],
    ['ferrybot-stop.yml', () => ({ run: lab.run }), ['no-job', 'reconciled']],
    ['ferrybot-watchdog.yml', () => ({}), ['reconciled']],
    ['ferrybot-care.yml', () => ({ run: lab.run, action: NOTHING }), []],
    ['ferrybot-disk-scan.yml', () => ({ cluster: 'us-central1' }), ['no-disk-care', 'reconciled']],
    ['mirror-chat.yml', () => ({ run: '' }), ['reconciled']],
    ['mirror-propose.yml', () => ({}), ['already']],
    ['mirror-record.yml', () => ({ run: '' }), ['reconciled']],
    ['mirror-watchdog.yml', () => ({}), ['checked']],
    ['mirror-launch.yml', () => ({ run: lab.run, order: lab.order }), ['wrong-origin']],
    ['mirror-watch.yml', () => ({ cluster: 'us-central1' }), ['idle']],
    ['mirror-stop.yml', () => ({ run: lab.run }), ['wrong-origin']],
    ['mirror-care.yml', () => ({ run: lab.run, action: NOTHING }), ['wrong-origin']],
    ['mirror-disk-scan.yml', () => ({ cluster: 'us-central1' }), ['no-disk-care']],
    // Last, because the job it starts runs for a moment.
    ['ferrybot-launch.yml', () => ({ run: lab.run, order: lab.order }), ['reconciled', 'submitted']],
  ];

  it('are all in the table', () => {
    const played = CASES.map(([file]) => file);
    // A fixer's job uploads its answer with one of GitHub's actions, which act would have to download.
    const playable = readdirSync(LAB_WORKFLOWS).filter((name) => name !== 'ferrybot-fix.yml');
    expect(played).toEqual(expect.arrayContaining(playable));
    // Called workflows are played through their callers; ferrybot's own CI needs actions and a network that
    // no test has.
    const callers = [
      ...playable.map((name) => readFileSync(join(LAB_WORKFLOWS, name), 'utf8')),
      ...Object.values(mirrors()),
    ];
    const called = (name: string): boolean => callers.some((text) => text.includes(`/${FOLDER}/${name}@`));
    expect(readdirSync(join(ROOT, FOLDER)).filter((name) => !called(name))).toEqual([
      'ci.yml',
      'code-scanning.yml',
      'fix.yml',
      'release.yml',
    ]);
  });

  it.each(CASES)('%s has the same result on both', async (file, inputs, results) => {
    const told = async (play: PlayWorkflow): Promise<ActReport> => {
      // Jobs that the last workflow started end in its own world.
      await lab.runJobs();
      await rewind();
      await rm(lab.jobs, { recursive: true, force: true, maxRetries: 5 });
      return play(file, inputs());
    };
    const byOurs = await told(playOnOurRunner(lab));
    const ours = toComparable(byOurs);
    expect(toComparable(await told(playOnAct(lab, folder, mirrors())), byOurs.outputs)).toEqual(ours);
    expect(Object.values(ours.steps).flat().length).toBeGreaterThan(0);
    if (results.length > 0) expect(ours).toMatchObject({ results });
    // The result output of a job is the code that ferrybot logged.
    for (const { result } of Object.values(ours.outputs)) expect(ours.results).toContain(result);
  });
});
