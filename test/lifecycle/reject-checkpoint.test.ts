/** A person takes a step out of the lineage of a run: who may, what is answered, and what the card and the record have of it. */

import { expect, it } from 'vitest';
import { lineageOf } from '../../src/checkpoints/lineage.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, eventsOf, propose, stateOf, until } from '../support/play.ts';
import { answersTo, botComments, SHORT_FERRY, say, told } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE_MS = 60_000;

async function answer(
  lab: VirtualLab,
  who: Parameters<typeof say>[1],
  thread: number,
  line: string,
): Promise<string> {
  const comment = await say(lab, who, thread, line);
  await lab.clock.advance(2 * MINUTE_MS);
  return answersTo(lab, comment).join('\n');
}

it('is rejected by who may approve, with a reason; the same is not started again where the job would take it by itself', async () => {
  const line = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';
  const script = (): JobScript => ferryScript({ ...SHORT_FERRY, failAt: { step: 1_100, line, exitCode: 1 } });
  const lab = await openVirtualLab({ script });
  const { run, pull, issue } = await propose(lab);
  const early = await answer(lab, 'mira', issue, '/reject-checkpoint step=400 reason="too early"');
  expect(early).toContain('no job of this run was submitted');
  await approve(lab, 'mira', pull);
  await until(lab, 'the second checkpoint', async () =>
    (await eventsOf(lab, run)).some(
      ({ type, data }) => type === 'observed' && 'checkpointStep' in data && data.checkpointStep === 800,
    ),
  );
  const byWriter = await answer(lab, 'ada', issue, '/reject-checkpoint step=800 reason="spike"');
  expect(byWriter).toContain('maintain permission');
  const beyond = await answer(lab, 'mira', issue, '/reject-checkpoint step=80000 reason="spike"');
  expect(beyond).toContain('no attempt was seen at step 80000');
  const said = await answer(lab, 'mira', issue, '/reject-checkpoint step=800 reason="the loss had spiked"');
  expect(said).toContain('the checkpoints from step 800 on');
  const again = await answer(lab, 'mira', issue, '/reject-checkpoint step=810 reason="again"');
  expect(again).toContain('has rejected everything from step 800 on already');
  await until(lab, 'the end of the attempt', async () =>
    (await eventsOf(lab, run)).some(({ type }) => type === 'ended'),
  );
  await lab.clock.advance(20 * MINUTE_MS);
  // After a preemption it would be started again by itself.
  expect(lab.engine.startCount()).toBe(1);
  expect(told(lab, 'incident').join('\n')).toContain('The checkpoints from step 800 on were rejected');
  const asked = await answer(lab, 'mira', issue, '/relaunch reason="try it"');
  expect(asked).toContain('not started again: the checkpoints from step 800 on were rejected');
  await lab.clock.advance(20 * MINUTE_MS);
  expect(lab.engine.startCount()).toBe(1);
  const state = await stateOf(lab, run);
  if (state === null) throw new Error('no such run');
  expect(lineageOf(state)).toMatchObject({
    attempts: [{ attempt: 1, startStep: 0, newestStep: 800, status: 'FAILED' }],
    rejections: [{ step: 800, reason: 'the loss had spiked', actor: { login: 'mira' } }],
  });
  const card = botComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
  expect(card).toContain('flowchart LR');
  expect(card).toContain('the loss had spiked');
  await lab.close();
});

it('is rejected and answered where nobody has seen a step of any attempt', async () => {
  const script = (): JobScript => ({ ...ferryScript(SHORT_FERRY), pendingMs: 30 * MINUTE_MS });
  const lab = await openVirtualLab({ script });
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'a job that waits', async () => (await stateOf(lab, run))?.submission != null);
  const said = await answer(lab, 'mira', issue, '/reject-checkpoint step=800 reason="it goes wrong there"');
  expect(said).toContain('the checkpoints from step 800 on');
  await lab.close();
});
