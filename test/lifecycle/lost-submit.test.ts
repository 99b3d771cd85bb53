/** A submission with a lost response: what the next launcher does if the job exists or has disappeared. */

import { expect, it } from 'vitest';
import { ferryScript } from '../support/ferry-script.ts';
import { approve, propose, readState } from '../support/play.ts';
import { listAnswersTo, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

/** Approved, claimed and started, but the response to the submission is lost. */
async function submittedUnheard(options: VirtualLabOptions = {}) {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  const { run, pull } = await propose(lab);
  lab.engine.loseNextAnswer('submit');
  await approve(lab, 'mira', pull);
  expect((await readState(lab, run))?.order?.status).toBe('claimed');
  return { lab, run, pull };
}

it('a job that was seen once and disappeared before its adoption is not started again', async () => {
  const { lab, run } = await submittedUnheard();
  const { engine } = lab;
  const observe = engine.observe.bind(engine);
  let looks = 0;
  Object.assign(engine, {
    observe: async (...asked: Parameters<typeof observe>) => {
      const seen = await observe(...asked);
      looks += 1;
      if (seen.kind === 'found') engine.forgetEverything();
      return seen;
    },
  });
  await lab.clock.advance(60 * MINUTE);
  const state = await readState(lab, run);
  expect(looks).toBeGreaterThan(0);
  expect(engine.startCount()).toBe(1);
  expect(state?.submission).toBeNull();
  expect(state?.incidents.map(({ code }) => code)).toContain('submit-unknown');
  await lab.close();
});

it('a pending job is adopted even during a /hold, so that /stop can stop it', async () => {
  const script = () => ({ ...ferryScript(SHORT_FERRY), pendingMs: 180 * MINUTE });
  const { lab, run, pull } = await submittedUnheard({ script });
  await postComment(lab, 'mira', pull, '/hold reason="not today"');
  await lab.clock.advance(60 * MINUTE);
  expect((await readState(lab, run))?.submission).toMatchObject({ adopted: true });
  const stop = await postComment(lab, 'mira', pull, '/stop');
  await lab.clock.advance(30 * MINUTE);
  expect(listAnswersTo(lab, stop)).toHaveLength(1);
  expect((await readState(lab, run))?.end).toMatchObject({ status: 'STOPPED' });
  expect(lab.engine.startCount()).toBe(1);
  await lab.close();
});
