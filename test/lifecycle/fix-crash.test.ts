/**
 * A process crashes at any step between the push of a fix and its launch: one launch, and one answer per
 * command.
 */

import { describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { approve, propose, readState, until } from '../support/play.ts';
import {
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const LIBRARY = 'lib/smalllab/optimizer.py';
const ERROR_LINE = "NameError: name 'warmup_stepz' is not defined";

type Played = {
  readonly lab: VirtualLab;
  readonly run: string;
  /** Boundaries from the push of the fix to the second job. */
  readonly met: readonly string[];
};

/**
 * Plays a ferry that fails and is fixed, and kills the process at boundary number `crashAt` after the push.
 */
async function played(server: boolean, crashAt: number | null): Promise<Played> {
  const met: string[] = [];
  let isOn = false;
  let started = 0;
  const lab = await openVirtualLab({
    server,
    sweepMs: 5 * MINUTE,
    script: () => {
      started += 1;
      const failAt = started === 1 ? { step: 100, line: ERROR_LINE, exitCode: 1 } : null;
      return ferryScript({ ...SHORT_FERRY, failAt });
    },
    atBoundary: (process, kind, moment) => {
      if (!isOn) return;
      met.push(`${moment} ${kind} in ${process}`);
      if (met.length - 1 === crashAt) throw new Crash(`killed ${met.at(-1)}`);
    },
  });
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the failure', async () => (await readState(lab, run))?.end?.attempt === 1);
  await lab.clock.advance(2 * MINUTE);
  isOn = true;
  const branch = `ferrybot/proposal/${run}`;
  await pushFile(lab, 'ada', branch, LIBRARY, `${(await readBranchFile(lab, branch, LIBRARY)) ?? ''}# mended\n`);
  await postComment(lab, 'ada', issue, 'The name was misspelt in the library; mended on the branch.');
  await lab.clock.advance(8 * MINUTE);
  await approve(lab, 'mira', pull, run);
  const isSecond = async (): Promise<boolean> => (await readState(lab, run))?.submission?.attempt === 2;
  await until(lab, 'the second job', isSecond, { limitMs: 3 * 60 * MINUTE });
  isOn = false;
  await lab.clock.advance(20 * MINUTE);
  return { lab, run, met };
}

async function expectOneFix({ lab, run }: Played): Promise<void> {
  expect(lab.engine.startCount()).toBe(2);
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(listBotTexts(lab, 'launch')).toHaveLength(2);
  const state = await readState(lab, run);
  expect(state?.attempts.map(({ end }) => end.status)).toEqual(['FAILED']);
  expect(state?.order?.order).toMatchObject({ attempt: 2, parent: { run, attempt: 1 } });
}

describe.each([
  ['with a server', true],
  ['without a server', false],
])('a crash at each boundary of a fix, %s', (_, server) => {
  it('results in exactly one second job', { timeout: 600_000 }, async () => {
    const plain = await played(server, null);
    await expectOneFix(plain);
    await plain.lab.close();
    expect(plain.met).toEqual(
      expect.arrayContaining([expect.stringContaining('append'), expect.stringContaining('submit-job in launch')]),
    );
    for (const [index, boundary] of plain.met.entries()) {
      const crashed = await played(server, index);
      try {
        await expectOneFix(crashed);
      } catch (error) {
        throw new Error(`after a crash ${boundary} (${index})`, { cause: error });
      }
      await crashed.lab.close();
    }
  });
});
