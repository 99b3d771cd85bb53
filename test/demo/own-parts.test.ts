/** The parts of a rehearsal on a lab's own checkout: config, name, runners. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LabKeys, labKeys } from '../../demo/keys.ts';
import { parseRepository } from '../../demo/own/checkout.ts';
import { ownRunners } from '../../demo/own/own-runners.ts';
import { rehearsalConfig } from '../../demo/own/rehearsal-config.ts';
import { listWorkflowProblems } from '../../demo/own/workflow-problems.ts';
import { readLabConfig } from '../../src/app/config-source.ts';

const EXAMPLE = join(import.meta.dirname, '../../fixtures/lab/.github/ferrybot.yml');
let folder = '';
let keys: LabKeys;
let example = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-parts-'));
  keys = await labKeys(join(folder, 'keys.json'));
  example = await readFile(EXAMPLE, 'utf8');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the workflows of a rehearsal', () => {
  it('are checked at the start for everything that the playground does not support', () => {
    const steps = 'steps: [{uses: actions/checkout@v7}, {uses: actions/cache@v4}, {uses: ./mine}, {run: ls}]';
    const texts = new Map([
      ['a.yml', `on: push\njobs: {t: {runs-on: ubuntu-latest, ${steps}}}`],
      ['b.yml', 'on: release\njobs: {t: {runs-on: x, strategy: {matrix: {v: [1]}}, steps: [{run: ls}]}}'],
      ['c.yml', 'on: [push'],
      ['d.yml', 'on: push\njobs: {t: {runs-on: x, steps: [{uses: ferrybot/ferrybot@v1}]}}'],
    ]);
    expect(listWorkflowProblems(texts)).toEqual([
      'a.yml: job t: the action actions/cache@v4 is not here',
      'b.yml: the playground does not know on.release',
      'b.yml: the playground does not know jobs.t.strategy',
      expect.stringMatching(/^c\.yml: .*line 1, column \d+$/),
    ]);
  });
});

describe('the config of a rehearsal', () => {
  it("keeps the lab's keys and comments, adds one key per role, and is valid", () => {
    const changed = rehearsalConfig(example, keys);
    expect(changed?.localClusters).toEqual([]);
    expect(changed?.text).toContain('# Public halves of the keys that sign events');
    const reading = readLabConfig(changed?.text ?? '');
    if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems));
    const ids = reading.config.keys.map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(['control-demo', 'runner-demo', 'watch-demo']);
    expect(ids.slice(3)).toEqual(['rehearsal-control', 'rehearsal-runner', 'rehearsal-watch']);
    expect(reading.config.keys.at(-1)?.public).toBe(keys.roles.watch.public);
  });

  it('replaces every remote cluster by local processes with the same cost', () => {
    const remote = example
      .replace('engine: local', 'engine: ray\n    address: https://head.example')
      .replace("acceleratorHoursPerRun: '0.01'", "acceleratorHoursPerRun: '12.5'");
    const changed = rehearsalConfig(remote, keys);
    expect(changed?.localClusters).toEqual(['us-central1']);
    expect(changed?.text).not.toContain('head.example');
    const reading = readLabConfig(changed?.text ?? '');
    expect(reading.kind === 'valid' ? reading.config.clusters['us-central1'] : reading).toMatchObject({
      engine: 'local',
      acceleratorHoursPerRun: '12.5',
    });
  });

  it.each(['keys: [', 'version: 1', 'keys: 3\nclusters: {}'])('is not changed if it cannot be parsed: %s', (text) => {
    expect(rehearsalConfig(text, keys)).toBeNull();
  });
});

describe('the name of a lab', () => {
  it.each([
    ['https://github.com/marin-community/marin.git', 'marin-community', 'marin'],
    ['git@github.com:marin-community/marin', 'marin-community', 'marin'],
    ['ssh://git@host.example:2222/deep/er/lab/ferries.git', 'lab', 'ferries'],
    ['https://token@host.example/a b/c%20d/', 'a-b', 'c-20d'],
    ['https://github.com/mira/model.git', 'mira-lab', 'model'],
    [null, 'lab', 'my-lab'],
    ['/mnt/lab.git', 'lab', 'my-lab'],
  ])('%s is %s/%s', (origin, owner, name) => {
    expect(parseRepository(origin, '/home/somebody/my lab')).toEqual({ owner, name });
  });
});

describe('the runners', () => {
  it("cover every set of labels in the workflows once, and GitHub's own labels", () => {
    const workflow = (runsOn: string): string => `on: push\njobs:\n  a:\n    runs-on: ${runsOn}\n    steps: []\n`;
    const texts = ['[self-hosted, gpu]', '[gpu, self-hosted]', 'tpu-host', 'ubuntu-latest', '${{ vars.WHERE }}'];
    const sets = ownRunners([...texts.map(workflow), 'jobs: [', '3']).map(({ labels }) => labels);
    expect(sets.filter((labels) => labels.includes('gpu'))).toHaveLength(1);
    expect(sets).toContainEqual(['tpu-host']);
    expect(sets).toContainEqual(['self-hosted', 'ferrybot-launch']);
    expect(sets.flat().some((label) => label.includes('${{'))).toBe(false);
    expect(sets.filter((labels) => labels.includes('ubuntu-latest'))).toHaveLength(2);
  });
});
