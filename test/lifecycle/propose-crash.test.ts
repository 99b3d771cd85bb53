/**
 * A process crashes at each step of a /propose and restarts: one branch, one issue, one pull request, one
 * answer.
 */

import { describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { propose, readState, until } from '../support/play.ts';
import { listAnswersTo, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const RUN = 'ferry-daily-20261121';

type Boundary = { readonly process: string; readonly kind: string; readonly moment: string };
type Played = { readonly lab: VirtualLab; readonly comment: number; readonly met: readonly Boundary[] };

/** Requests a ferry that replaces the open one, with a crash at the n-th boundary after the command. */
async function played(options: VirtualLabOptions, crashAt: number | null): Promise<Played> {
  const met: Boundary[] = [];
  let isOn = false;
  const lab = await openVirtualLab({
    ...options,
    sweepMs: 5 * MINUTE,
    atBoundary: (process, kind, moment) => {
      if (!isOn) return;
      met.push({ process, kind, moment });
      if (met.length - 1 === crashAt) throw new Crash();
    },
  });
  const { pull } = await propose(lab);
  isOn = true;
  const comment = await postComment(lab, 'ada', pull, '/propose learning_rate=4e-3');
  await until(lab, 'the answer', () => listAnswersTo(lab, comment).length > 0, { limitMs: 3 * 3_600_000 });
  await until(lab, 'the gates', async () => ((await readState(lab, `${RUN}-2`))?.gate?.digest ?? null) !== null);
  isOn = false;
  await lab.clock.advance(20 * MINUTE);
  return { lab, comment, met };
}

async function expectOneOfEach({ lab, comment }: Played): Promise<void> {
  expect(listAnswersTo(lab, comment)).toEqual([expect.stringContaining(`proposed as \`${RUN}-2\``)]);
  expect(listRepeatedComments(lab)).toEqual([]);
  const all = Object.values(lab.world.state.issues);
  // The lane's history issue lists the closed run once.
  const issues = all.filter(({ title }) => !title.startsWith('Lane '));
  expect(all.length - issues.length).toBe(1);
  const open = issues.filter((issue) => issue.state === 'open');
  expect(issues.filter((issue) => issue.pull !== null)).toHaveLength(2);
  expect(issues).toHaveLength(4);
  expect(open).toHaveLength(2);
  expect((await readState(lab, RUN))?.closed?.outcome).toBe('withdrawn');
  expect((await readState(lab, `${RUN}-2`))?.proposal.requestedBy?.login).toBe('ada');
  const refs = await lab.store.refs('refs/heads/ferrybot/proposal/');
  expect([...refs.keys()]).toEqual([`refs/heads/ferrybot/proposal/${RUN}`, `refs/heads/ferrybot/proposal/${RUN}-2`]);
}

describe.each([
  ['server', { server: true }, ['before', 'after']],
  // The same code: half of the boundaries are enough to show that another process takes over.
  ['chat workflow', { server: false }, ['after']],
])('a crash at each boundary of the %s', (_, options, moments) => {
  it('results in one proposal and one answer', async () => {
    const plain = await played(options, null);
    await expectOneOfEach(plain);
    await plain.lab.close();
    expect(plain.met.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['append', 'push-branch', 'open-issue', 'open-pull', 'edit-issue']),
    );
    for (const [index, boundary] of plain.met.entries()) {
      if (!moments.includes(boundary.moment)) continue;
      const crashed = await played(options, index);
      try {
        await expectOneOfEach(crashed);
      } catch (error) {
        throw new Error(`after a crash ${boundary.moment} ${boundary.kind} (${index})`, { cause: error });
      }
      await crashed.lab.close();
    }
  });
});
