/**
 * A hero run whose code failed: fixes outside training code continue the run; changes that may affect
 * training need the DRI.
 */

import { expect, it, onTestFinished } from 'vitest';
import { ferryScript } from '../support/ferry-script.ts';
import {
  ANSWERS,
  type Answers,
  branchHead,
  formBody,
  HERO_LANE,
  openHeroIssue,
  openHeroLab,
} from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, approveAndFinish, readState, until, untilState } from '../support/play.ts';
import { listBotTexts, MINUTE, pushFile, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';

const RUN = 'grug-moe-1e23-ep8';
const IN_THE_LOG =
  'Traceback (most recent call last):\n  File "lib/smalllab/log_setup.py", line 12, in format\nKeyError: \'loss\'';
const CODE = '\n\ndef spare():\n    return 1\n';

let issue = 0;

async function failed(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  let jobs = 0;
  const lab = await openHeroLab({
    ...options,
    script: () => {
      jobs += 1;
      const failAt = { step: 300, line: IN_THE_LOG, exitCode: 1 };
      return ferryScript(jobs === 1 ? { ...SHORT_FERRY, failAt } : SHORT_FERRY);
    },
  });
  onTestFinished(() => lab.close());
  issue = await openHeroIssue(lab);
  await approveAndFinish(lab, RUN, issue);
  await lab.clock.advance(10 * MINUTE);
  return lab;
}

/** Ada appends this to the file on main; returns the new commit. */
async function pushed(lab: VirtualLab, path: string, added: string): Promise<string> {
  await pushFile(lab, 'ada', 'main', path, `${(await readBranchFile(lab, 'main', path)) ?? ''}${added}`);
  return branchHead(lab);
}

/** Edits the contract to name another commit; returns its open gates. */
async function named(lab: VirtualLab, commit: string, says: Answers = {}): Promise<readonly string[]> {
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: formBody({ ...ANSWERS, 'Source SHA': commit, ...says }) });
  await untilState(lab, RUN, (state) => state.gate?.commit === commit, { limitMs: 60 * MINUTE });
  await lab.clock.advance(5 * MINUTE);
  const state = await readState(lab, RUN);
  return state === null ? [] : listOpenGates(state);
}

const cardOf = (lab: VirtualLab): string =>
  listBotTexts(lab, 'card').findLast((text) => text.includes(`Run \`${RUN}\``)) ?? '';
const driftOf = async (lab: VirtualLab): Promise<unknown> =>
  (await readState(lab, RUN))?.gate?.verdicts.find(({ gate }) => gate === 'config-drift');

it('a hero run continues after a fix of its logging code and changes to docs and tests', async () => {
  const lab = await failed();
  await pushed(lab, 'lib/README.md', '\nHow it logs.\n');
  await pushed(lab, 'lib/smalllab/tests/test_model.py', 'def test_nothing():\n    pass\n');
  expect(await named(lab, await branchHead(lab))).toEqual([]);
  expect(await driftOf(lab)).toMatchObject({ code: 'as-before' });
  expect(await named(lab, await pushed(lab, 'lib/smalllab/log_setup.py', CODE))).toEqual([]);
  expect(await driftOf(lab)).toMatchObject({
    code: 'beside-training',
    found: { names1: expect.stringContaining('lib/smalllab/log_setup.py') },
  });
  expect(cardOf(lab)).toContain('only logging and evaluation differ');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the second attempt', async () => (await readState(lab, RUN))?.submission?.attempt === 2);
  const manifests = await readState(lab, RUN);
  expect(manifests?.order?.manifest?.tracker).toEqual(manifests?.attempts[0]?.order.manifest?.tracker);
  expect(manifests?.order?.manifest?.outputRoot).toBe(manifests?.attempts[0]?.order.manifest?.outputRoot);
});

it('a hero run waits for the DRI if training code or a config value differs from the failed attempt', async () => {
  const lab = await failed();
  const model = await pushed(lab, 'lib/smalllab/model.py', CODE);
  expect(await named(lab, model)).toEqual(['config-drift may-train-otherwise']);
  expect(cardOf(lab)).toMatch(/code that may change training .* `lib\/smalllab\/model\.py, line \d+` .*`\/resume-as`/);
  const said = { 'Intended changes': 'lib/smalllab/model.py' };
  expect(await named(lab, model, said)).toEqual([]);
  const text = (await readBranchFile(lab, 'main', 'experiments/ferries/daily.py')) ?? '';
  const other = text.replace(/(learning_rate\s*=\s*)[\d.e-]+/, '$10.0123');
  expect(other).not.toBe(text);
  await pushFile(lab, 'ada', 'main', 'experiments/ferries/daily.py', other);
  expect(await named(lab, await branchHead(lab), said)).toEqual(['config-drift drift']);
  expect(await driftOf(lab)).toMatchObject({
    found: { names1: expect.stringMatching(/^experiments\/ferries\/daily\.py: \S*learning_rate \(.+ → 0\.0123\)$/) },
  });
  expect((await readState(lab, RUN))?.submission?.attempt).toBe(1);
});

const CONFIG = '.github/ferrybot.yml';
const SLURM = `  gpu:
    engine: slurm
    folder: /shared/jobs
    gres: gpu:8
    acceleratorHoursPerRun: '0.01'
`;

it.each([
  ['the settings of its cluster', 'gres: gpu:8', 'gres: gpu:4', 'Cluster settings'],
  ['what its lane ships', 'ships: [experiments, lib, scripts]', 'ships: [experiments, lib]', 'Shipped paths'],
])('a hero run waits for the DRI if %s changed since the failed attempt', async (_what, before, after, label) => {
  const lab = await failed({
    config: (text) =>
      `${text.replace('\nclusters:\n', `\nclusters:\n${SLURM}`).trimEnd()}\n${HERO_LANE.replace('us-central1', 'gpu')}`,
  });
  const config = (await readBranchFile(lab, 'main', CONFIG)) ?? '';
  const at = config.lastIndexOf(before);
  expect(at).toBeGreaterThan(0);
  const changed = config.slice(0, at) + after + config.slice(at + before.length);
  await pushFile(lab, 'ada', 'main', CONFIG, changed);
  expect(await named(lab, await branchHead(lab))).toEqual(['config-drift drift']);
  expect(await driftOf(lab)).toMatchObject({ found: { names1: label } });
  expect(cardOf(lab)).toContain(`without being an intended change: \`${label}\``);
  await pushed(lab, 'lib/README.md', '\nAs it is meant.\n');
  expect(await named(lab, await branchHead(lab), { 'Intended changes': label })).toEqual([]);
  expect(await driftOf(lab)).toMatchObject({ code: 'meant' });
});
