/** The schedule proposes while a person requests a run for a pull request: two processes, one lane. */

import { describe, expect, it } from 'vitest';
import { isOver } from '../../src/domain/logbook/run-state.ts';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
import { Crash } from '../support/crash.ts';
import { addLabels, openLab, openOwnPull, ownRunName } from '../support/own-pull.ts';
import { readState, todaysRun, until } from '../support/play.ts';
import { listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

/** The first process, and the boundary at which the other one starts or the first one crashes too. */
type Play = { readonly first: 'schedule' | 'person'; readonly at: number; readonly dies: boolean };

async function played({ first, at, dies }: Play) {
  let [met, isOn] = [0, false];
  const beside: Promise<unknown>[] = [];
  const lab = await openLab({
    sweepMs: 5 * MINUTE,
    atBoundary: (process) => {
      if (!isOn || process !== (first === 'schedule' ? 'propose' : 'server')) return;
      met += 1;
      if (met - 1 !== at) return;
      beside.push(other());
      if (dies) throw new Crash();
    },
  });
  const pull = await openOwnPull(lab);
  const begin = { schedule: () => lab.dispatchDaily(), person: () => addLabels(lab, 'ada', pull) };
  const other = (): Promise<unknown> => begin[first === 'schedule' ? 'person' : 'schedule']();
  isOn = true;
  await begin[first]();
  await lab.clock.advance(20 * MINUTE);
  isOn = false;
  await Promise.all(beside);
  const isMet = beside.length > 0;
  if (!isMet) await other();
  const names = [todaysRun(lab), `${todaysRun(lab)}-2`, ownRunName(pull), `${ownRunName(pull)}-2`];
  const runs = async () => (await Promise.all(names.map((run) => readState(lab, run)))).filter((run) => run !== null);
  await until(lab, 'a run with its gates', async () => (await runs()).some(({ gate }) => gate?.digest != null), {
    limitMs: 3 * 3_600_000,
  });
  await lab.clock.advance(30 * MINUTE);
  return { lab, runs, isMet };
}

/** Open threads by the bot that belong to no open run. */
async function orphans({ lab, runs }: Pick<Awaited<ReturnType<typeof played>>, 'lab' | 'runs'>) {
  const open = (await runs()).filter((run) => !isOver(run)).flatMap(({ proposal }) => [proposal.issue, proposal.pull]);
  const { issues, users } = lab.world.state;
  return Object.values(issues)
    .filter(
      ({ number, state, authorId }) => state === 'open' && users[authorId]?.type === 'Bot' && !open.includes(number),
    )
    .map(({ number, title }) => `${number} ${title}`);
}

async function approveAll({
  lab,
  runs,
}: {
  readonly lab: VirtualLab;
  readonly runs: Awaited<ReturnType<typeof played>>['runs'];
}) {
  for (const { run, proposal } of await runs())
    if (findShownApprovalLine(lab, run) !== null)
      await postComment(lab, 'mira', proposal.pull, requireApprovalLine(lab, run));
  await lab.clock.advance(10 * MINUTE);
}

describe.each(['schedule', 'person'] as const)('while the %s proposes a run in a lane, the other process', (first) => {
  it.each([false, true])(
    'proposes no second run, at any boundary of the first (which crashes there: %s)',
    async (dies) => {
      const wrong: string[] = [];
      let at = 0;
      for (; at < 60; at += 1) {
        const world = await played({ first, at, dies });
        const going = (await world.runs()).filter((run) => !isOver(run));
        if (going.length !== 1) wrong.push(`${at}: ${going.map(({ run }) => run).join(' and ')}`);
        const left = await orphans(world);
        if (left.length > 0) wrong.push(`${at}: left over ${left.join(', ')}`);
        const twice = listRepeatedComments(world.lab);
        if (twice.length > 0) wrong.push(`${at}: twice ${twice.join()}`);
        await approveAll(world);
        const starts = world.lab.engine.startCount();
        if (starts !== 1) wrong.push(`${at}: ${starts} jobs`);
        await world.lab.close();
        if (!world.isMet) break;
      }
      console.log(first, dies, at, wrong);
      expect(wrong).toEqual([]);
    },
  );
});
