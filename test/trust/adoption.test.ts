/** `ferrybot init --apply` and the steps that it prints, from an empty repository on the playground to its first sealed ferry. */

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callVerb } from '../app/cli/call-verb.ts';
import { type Adoption, openAdoption } from './adoption-world.ts';
import { bundledAction } from './bundle-world.ts';

const ANSWERS = ['--hours', '0.01', '--metric', 'eval/loss lower 2', '--pin', 'fedcba98'.repeat(5)];

let root: string;
let lab: Adoption;
let steps: readonly string[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ferrybot-adoption-'));
  lab = await openAdoption(root, await bundledAction(root), ([verb = '', ...args], { cwd, env }) =>
    callVerb(verb, cwd, args, '', env),
  );
});
afterAll(async () => {
  await lab?.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
  expect(lab?.bugs).toEqual([]);
});

const state = () => {
  const [repo] = Object.values(lab.world.state.repos);
  if (repo === undefined) throw new Error('there is no repository');
  const { environments, variables, actions, actionsMayCreatePulls } = repo;
  return { environments, variables, actions, actionsMayCreatePulls, rulesets: lab.world.state.rulesets };
};

describe('a lab that adopts ferrybot by init', () => {
  it('prints the changes and makes none without a yes', async () => {
    const before = JSON.stringify(state());
    const plan = JSON.parse((await lab.init([...ANSWERS, '--apply', '--json'])).out);
    expect(plan.changes.length).toBeGreaterThan(8);
    await expect(stat(join(root, 'home'))).rejects.toThrow('ENOENT');
    expect((await lab.init([])).code).toBe(2);
    expect(plan.changes.every((change: { readonly state: string }) => change.state === 'open')).toBe(true);
    const refused = await lab.init([...ANSWERS, '--apply']);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('Create the ruleset "ferrybot: logbook": not done without --yes');
    expect(JSON.stringify(state())).toBe(before);
  });

  it('has environments, sealed secrets, the variable, rulesets and settings after --apply --yes', async () => {
    const done = await lab.init([...ANSWERS, '--apply', '--yes', '--json']);
    const answer = JSON.parse(done.out);
    expect([done.code, answer.changes.filter((change: { readonly state: string }) => change.state !== 'done')]).toEqual(
      [0, []],
    );
    steps = answer.steps;
    const { environments, rulesets, ...rest } = state();
    expect(environments.map(({ name, refs, secrets }) => [name, refs, Object.keys(secrets)])).toEqual(
      [
        ['ferrybot-control', 'FERRYBOT_CONTROL_KEY'],
        ['ferrybot-launch', 'FERRYBOT_RUNNER_KEY'],
        ['ferrybot-watch', 'FERRYBOT_WATCH_KEY'],
      ].map(([name, key]) => [name, [{ name: 'main', type: 'branch' }], [key]]),
    );
    for (const { secrets } of environments)
      expect(Object.values(secrets)).toEqual([expect.stringMatching(/^-----BEGIN PRIVATE KEY-----\n/)]);
    expect(rest).toMatchObject({
      variables: { FERRYBOT_STATE_DIR: join(root, 'state') },
      actions: { forkApproval: 'all_external_contributors' },
      actionsMayCreatePulls: true,
    });
    // The ruleset of the default branch would block the push of the files.
    expect(Object.values(rulesets).map(({ name }) => name)).toEqual(
      ['logbook', 'seals', 'marks'].map((name) => `ferrybot: ${name}`),
    );
    expect(done.out + done.err).not.toContain('PRIVATE KEY');
  });

  it('changes nothing twice', async () => {
    const before = JSON.stringify(state());
    expect(JSON.parse((await lab.init(['--apply', '--yes', '--json'])).out)).toMatchObject({ ok: true, changes: [] });
    expect(JSON.stringify(state())).toBe(before);
  });

  it('proposes, launches and seals its first ferry by the printed steps alone, at most twelve', async () => {
    expect(steps.length).toBeLessThanOrEqual(12);
    for (const step of steps) await lab.takeStep(step);
    expect(Object.values(lab.world.state.rulesets).map(({ name }) => name)).toContain('ferrybot: default branch');
    expect(await lab.sealTags()).toEqual([expect.stringMatching(/^ferry\/daily\/\d{8}\//)]);
  }, 600_000);
});
