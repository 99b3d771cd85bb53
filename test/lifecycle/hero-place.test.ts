/** The output root and cost in a hero contract are compared with the store and the config. */

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkpointFolders } from '../support/checkpoint-folders.ts';
import { type Answers, HERO_LANE, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, readState, untilState } from '../support/play.ts';
import { listBotTexts, MINUTE } from '../support/talk.ts';
import { MORNING, type VirtualLab } from '../support/virtual-lab.ts';

async function gated(lab: VirtualLab, answers: Answers): Promise<{ issue: number; gates: readonly string[] }> {
  onTestFinished(() => lab.close());
  const issue = await openHeroIssue(lab, { answers });
  await untilState(lab, RUN, (state) => state.gate != null, { limitMs: 60 * MINUTE });
  await lab.clock.advance(5 * MINUTE);
  const state = await readState(lab, RUN);
  return { issue, gates: state === null ? [] : listOpenGates(state) };
}

it('the output-root gate blocks a root with existing checkpoints, because the job would resume from them', async () => {
  const folders = await checkpointFolders();
  onTestFinished(() => folders.close());
  await folders.write(700, MORNING - 60 * MINUTE, false);
  const lab = await openHeroLab();
  const { gates } = await gated(lab, { 'Output root': folders.root });
  expect(gates).toEqual(['output-root-own used']);
  expect(listBotTexts(lab, 'card').at(-1)).toContain(join(folders.root, 'checkpoints/step-700'));
});

// rule HR-08
it('the output-root gate blocks a root that the command does not name', async () => {
  const lab = await openHeroLab();
  const { gates } = await gated(lab, { Command: 'python3 experiments/ferries/daily.py' });
  expect(gates).toEqual(['output-root-own not-in-command']);
});

it("the contract's accelerator-hours determine the number of approvals if they exceed the config's", async () => {
  const lab = await openHeroLab({
    config: (text) =>
      `${text.replace('quorumByCost: []', "quorumByCost: [{ fromAcceleratorHours: '1000', people: 2 }]").trimEnd()}\n${HERO_LANE}`,
  });
  const { issue, gates } = await gated(lab, { 'Accelerator-hours': '70000' });
  expect(gates).toEqual([]);
  expect(listBotTexts(lab, 'card').at(-1)).toContain(
    '**70000 accelerator-hours** (by its contract, which is more than the table in the config)',
  );
  await approve(lab, 'mira', issue, RUN);
  await lab.clock.advance(10 * MINUTE);
  expect((await readState(lab, RUN))?.order).toBeNull();
  expect(listBotTexts(lab, 'answer').at(-1)).toContain('1 of 2 approvals');
});

it("the config's accelerator-hours count if the contract names fewer", async () => {
  const lab = await openHeroLab();
  await gated(lab, { 'Accelerator-hours': '0.001' });
  const { cost } = (await readState(lab, RUN))?.gate?.manifest ?? {};
  expect(cost).toEqual({ acceleratorHours: '0.01', source: 'config' });
});
