/**
 * A run that still holds billed resources after its job ended: it stays watched, unsealed, and blocks its
 * lane.
 */

import { expect, it, vi } from 'vitest';
import type { Holding } from '../../src/domain/logbook/holdings.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { approve, propose, readState, until } from '../support/play.ts';
import { listAnswersTo, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

const machine = vi.hoisted(() => ({ of: '' }));
vi.mock('../../src/domain/logbook/holdings.ts', async (original) => {
  const whole = await original<typeof import('../../src/domain/logbook/holdings.ts')>();
  return {
    ...whole,
    listHoldings: (state: RunState): readonly Holding[] =>
      state.run === machine.of && state.submission !== null
        ? [{ kind: 'job', cluster: state.submission.cluster, jobId: 'instance-1' }]
        : whole.listHoldings(state),
  };
});

it('a run with a billed resource is watched, not sealable, and blocks its lane until the resource is gone', async () => {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY });
  const { run, pull, issue } = await propose(lab);
  machine.of = run;
  await approve(lab, 'mira', pull);
  await until(lab, 'the end', async () => (await readState(lab, run))?.end != null);
  const watches = (): readonly string[] =>
    Object.values(lab.world.state.runs)
      .filter(({ path, status }) => path.endsWith('ferrybot-watch.yml') && status !== 'completed')
      .map(({ path }) => path);
  await lab.clock.advance(10 * MINUTE);
  expect(watches()).toHaveLength(1);
  const early = await postComment(lab, 'mira', issue, '/seal accept="it counts"');
  const next = await postComment(lab, 'mira', issue, '/propose');
  await lab.clock.advance(5 * MINUTE);
  expect(listAnswersTo(lab, early)).toEqual([expect.stringContaining('the run has not ended')]);
  expect(listAnswersTo(lab, next)).toEqual([expect.stringContaining(run)]);
  expect(await readState(lab, `${run}-2`)).toBeNull();
  machine.of = '';
  await lab.clock.advance(2 * MINUTE);
  expect(watches()).toEqual([]);
  await postComment(lab, 'mira', issue, '/seal accept="it counts"');
  await until(lab, 'the seal', async () => (await readState(lab, run))?.seal != null, { limitMs: 60 * MINUTE });
  await lab.close();
});
