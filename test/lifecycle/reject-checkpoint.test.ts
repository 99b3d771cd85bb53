/** `/reject-checkpoint`: permissions, answers, and its effect on the card, the record and restarts. */

import { expect, it } from 'vitest';
import { buildRecordedLineage } from '../../src/checkpoints/lineage.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, propose, readEventsOf, readState, until } from '../support/play.ts';
import { commentAndReadCode, postedEvents } from '../support/recorded.ts';
import { listBotComments, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

const MINUTE_MS = 60_000;

it('an approver rejects a step, and the run is not restarted if the job would resume from it', async () => {
  const line = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';
  const script = (): JobScript => ferryScript({ ...SHORT_FERRY, failAt: { step: 790, line, exitCode: 1 } });
  const lab = await openVirtualLab({ script });
  const { run, pull, issue } = await propose(lab);
  const reject = (step: number, who: 'ada' | 'mira' = 'mira') =>
    commentAndReadCode(lab, who, issue, `/reject-checkpoint step=${step} reason="the loss had spiked"`, MINUTE_MS);
  expect(await reject(400)).toBe('not-now');
  await approve(lab, 'mira', pull);
  await until(lab, 'the first checkpoint', async () =>
    (await readEventsOf(lab, run)).some(
      ({ type, data }) => type === 'observed' && 'checkpointStep' in data && data.checkpointStep === 400,
    ),
  );
  expect(await reject(400, 'ada')).toBe('not-permitted');
  expect(await reject(80_000)).toBe('reject-not-reached');
  expect(await reject(400)).toBe('checkpoint-rejected');
  expect(await reject(410)).toBe('reject-already');
  await until(lab, 'the end of the attempt', async () =>
    (await readEventsOf(lab, run)).some(({ type }) => type === 'ended'),
  );
  await lab.clock.advance(20 * MINUTE_MS);
  // Without the rejection, the run would be restarted after a preemption.
  expect(lab.engine.startCount()).toBe(1);
  expect(await postedEvents(lab, 'incident')).toContain('relaunch-refused: checkpoint-rejected');
  expect(await commentAndReadCode(lab, 'mira', issue, '/relaunch reason="try it"')).toBe('relaunch-never');
  await lab.clock.advance(20 * MINUTE_MS);
  expect(lab.engine.startCount()).toBe(1);
  const state = await readState(lab, run);
  if (state === null) throw new Error('no such run');
  expect(buildRecordedLineage(state)).toMatchObject({
    attempts: [{ attempt: 1, startStep: 0, newestStep: 400, status: 'FAILED' }],
    rejections: [{ step: 400, reason: 'the loss had spiked', actor: { login: 'mira' } }],
  });
  const card = listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
  expect(card).toContain('| step 400 | FAILED |');
  expect(card).toContain('the loss had spiked');
  await lab.close();
});

it('a rejection is accepted before any step of the run was observed', async () => {
  const script = (): JobScript => ({ ...ferryScript(SHORT_FERRY), pendingMs: 30 * MINUTE_MS });
  const lab = await openVirtualLab({ script });
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'a job that waits', async () => (await readState(lab, run))?.submission != null);
  const words = '/reject-checkpoint step=800 reason="it goes wrong there"';
  expect(await commentAndReadCode(lab, 'mira', issue, words)).toBe('checkpoint-rejected');
  await lab.close();
});
