/** A ferry shows its compute, and one far from its lane's target fails the gate. */

import { afterEach, expect, it } from 'vitest';
import { propose, readState } from '../support/play.ts';
import { listBotTexts, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;

afterEach(() => lab.close());

/** The gate's verdict on a proposal in a lab with this config. */
async function scaleOf(config: (text: string) => string): Promise<unknown> {
  lab = await openVirtualLab({ ferry: SHORT_FERRY, config });
  const { run } = await propose(lab);
  return (await readState(lab, run))?.gate?.verdicts.find(({ gate }) => gate === 'scale-stable');
}

it('a ferry shows its parameters and model FLOPs', async () => {
  expect(await scaleOf((text) => text)).toMatchObject({
    outcome: 'pass',
    found: { parameters: '2254', flops: '7.8e8', target: '7.8e8' },
  });
  expect(listBotTexts(lab, 'card').join()).toContain(
    'the scale does not change: 2254 parameters, 7.8e8 model FLOPs of 7.8e8',
  );
});

// rule DF-38
it('a ferry fails the scale gate if its lane has another FLOP target', async () => {
  expect(await scaleOf((text) => text.replace('flops: "7.8e8"', 'flops: "1e9"'))).toMatchObject({
    outcome: 'fail',
    code: 'off-target',
    found: { flops: '7.8e8', target: '1e9', percent: '-22.1', tolerance: '20' },
  });
});

it('a ferry fails the scale gate if its FLOPs cannot be computed', async () => {
  expect(await scaleOf((text) => text.replace('6, DEFAULT_NUM_TRAIN_STEPS', '6, STEPS_OF_ANOTHER_FILE'))).toMatchObject(
    { outcome: 'fail', code: 'not-computed', found: { why: 'the experiment has no number at STEPS_OF_ANOTHER_FILE' } },
  );
});
