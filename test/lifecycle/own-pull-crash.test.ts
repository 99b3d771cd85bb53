/**
 * A process crashes at each step of taking up a user's pull request: one run, one issue, one comment with
 * missing parts.
 */

import { describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { addLabels, listBotCommentsIn, openLab, openOwnPull, ownRunName, readGates } from '../support/own-pull.ts';
import { readState, until } from '../support/play.ts';
import { listAnswersTo, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import type { VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';

type Boundary = { readonly kind: string; readonly moment: string };
type Played = {
  readonly lab: VirtualLab;
  readonly pull: number;
  readonly answers: number;
  readonly met: readonly Boundary[];
};

/** Requests a run with the label or the command, and crashes at the n-th boundary after it. */
async function played(options: VirtualLabOptions, by: 'label' | 'command', crashAt: number | null): Promise<Played> {
  const met: Boundary[] = [];
  let isOn = false;
  const lab = await openLab({
    ...options,
    sweepMs: 5 * MINUTE,
    // Without the schedule's own proposal, which another test covers.
    config: (text) => text.replace(/^ {4}schedule:.*\n(?: {6}.*\n)*/m, ''),
    atBoundary: (_, kind, moment) => {
      if (!isOn) return;
      met.push({ kind, moment });
      if (met.length - 1 === crashAt) throw new Crash();
    },
  });
  const pull = await openOwnPull(lab, { body: 'A longer warmup.' });
  isOn = true;
  const comment = by === 'command' ? await postComment(lab, 'ada', pull, '/propose') : null;
  if (comment === null) await addLabels(lab, 'ada', pull);
  await readGates(lab, ownRunName(pull));
  if (comment !== null)
    await until(lab, 'the answer', () => listAnswersTo(lab, comment).length > 0, { limitMs: 3 * 3_600_000 });
  isOn = false;
  await lab.clock.advance(20 * MINUTE);
  return { lab, pull, met, answers: comment === null ? 1 : listAnswersTo(lab, comment).length };
}

async function expectOneOfEach({ lab, pull, answers }: Played): Promise<void> {
  expect(answers).toBe(1);
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(listBotCommentsIn(lab, pull)).toEqual([expect.stringContaining('lacks parts that a launch needs')]);
  expect(Object.values(lab.world.state.issues)).toHaveLength(2);
  expect(await readState(lab, `${ownRunName(pull)}-2`)).toBeNull();
}

describe.each([
  ['label, with a server', { server: true }, 'label', ['before', 'after']],
  ['label, without a server', { server: false }, 'label', ['after']],
  ['command, with a server', { server: true }, 'command', ['after']],
] as const)('a crash at each boundary after a %s', (_, options, by, moments) => {
  it('results in exactly one run', async () => {
    const plain = await played(options, by, null);
    await expectOneOfEach(plain);
    await plain.lab.close();
    expect(plain.met.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['open-issue', 'post-comment', 'append']));
    for (const [index, boundary] of plain.met.entries()) {
      if (!moments.some((one) => one === boundary.moment)) continue;
      const crashed = await played(options, by, index);
      try {
        await expectOneOfEach(crashed);
      } catch (error) {
        throw new Error(`after a crash ${boundary.moment} ${boundary.kind} (${index})`, { cause: error });
      }
      await crashed.lab.close();
    }
  });
});

it('two servers that receive one label event take the pull request up once', async () => {
  const lab = await openLab({ servers: 2 });
  const pull = await openOwnPull(lab, { body: 'A longer warmup.' });
  await addLabels(lab, 'ada', pull);
  await readGates(lab, ownRunName(pull));
  await lab.clock.advance(20 * MINUTE);
  const { issue } = (await readState(lab, ownRunName(pull)))?.proposal ?? {};
  const open = Object.values(lab.world.state.issues).filter(({ state }) => state === 'open');
  expect(open.map(({ number }) => number).toSorted()).toEqual([pull, issue]);
  expect(listBotCommentsIn(lab, pull)).toHaveLength(1);
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});
