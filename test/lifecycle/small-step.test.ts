/** A change that is too large for one step: card, gate and `/why` report it, and a lab can make it block. */

import { expect, it } from 'vitest';
import { readState, until } from '../support/play.ts';
import { listAnswersTo, openExperiment, postComment, pushExperiment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const RUN = 'ferry-daily-20261121';
const blocking = (text: string): string =>
  text.replace(/^ {4}steps:\n(?: {6}.*\n)+/m, '    steps: { enforce: block, knobs: { warmup: { absolute: 30 } } }\n');

async function asked(words: string, config: (text: string) => string): Promise<[VirtualLab, number]> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, config });
  await postComment(lab, 'ada', await openExperiment(lab), words);
  await until(lab, 'the gates', async () => (await readState(lab, RUN))?.gate != null);
  return [lab, (await readState(lab, RUN))?.proposal.pull ?? 0];
}

const budgetOf = async (lab: VirtualLab): Promise<unknown> =>
  (await readState(lab, RUN))?.gate?.verdicts.find(({ gate }) => gate === 'budget');

// rule DF-41
it('a tenfold learning rate is a warning, and blocks in a lab that enforces small steps', async () => {
  const [warned] = await asked('/propose learning_rate=3e-2', (text) => text);
  expect(await budgetOf(warned)).toMatchObject({
    outcome: 'warn',
    code: 'large-step',
    found: { knob: 'learning_rate', before: '3e-3', after: '3e-2', small: 'a factor of 2' },
  });
  await warned.close();
  const [lab, pull] = await asked('/propose warmup=150', blocking);
  expect(await budgetOf(lab)).toMatchObject({ outcome: 'fail', code: 'large-step' });
  expect((await readState(lab, RUN))?.proposal.objective.kind).toBe('integration');
  const why = await postComment(lab, 'ada', pull, '/why');
  await until(lab, 'the answer', () => listAnswersTo(lab, why).length > 0);
  expect(listAnswersTo(lab, why)[0]).toMatch(/`budget`.*warmup.*change fewer values, in smaller steps/);
  await lab.close();
});

it('a change beyond knob values fails the gate in a lab that enforces small steps', async () => {
  const [lab] = await asked('/propose warmup=120', blocking);
  expect(await budgetOf(lab)).toMatchObject({ outcome: 'pass' });
  await pushExperiment(lab, RUN, (text) => text.replace('weight_decay=0.1,', 'weight_decay=0.1,  # as ever'));
  await until(lab, 'the gates again', async () => {
    const verdict = await budgetOf(lab);
    return (verdict as { code?: string } | undefined)?.code === 'leaves-more';
  });
  expect(await budgetOf(lab)).toMatchObject({ outcome: 'fail' });
  await lab.close();
});
