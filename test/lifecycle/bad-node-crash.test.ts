/**
 * Kills each process at each boundary after the consent: at most one deletion, its result is posted, the run
 * resumes.
 */

import { describe, expect, it } from 'vitest';
import { requireActionLine } from '../support/approve.ts';
import { openBadNodeLab, playUntilBad } from '../support/bad-node-lab.ts';
import { Crash } from '../support/crash.ts';
import { readState, until } from '../support/play.ts';
import { listDeletions } from '../support/simulated-cloud.ts';
import { listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';

type Played = {
  /** Boundaries from the consent to the second attempt. */
  readonly met: readonly string[];
  readonly deletions: readonly string[];
  /** How the first proposal ended. */
  readonly first: string | null;
  readonly attempt: number;
  readonly twice: readonly string[];
};

/** Plays from the consent to the second attempt, and kills the process at boundary number `at`. */
async function playWithCrash(at: number | null, server: boolean): Promise<Played> {
  const met: string[] = [];
  let isCounting = false;
  const { lab, cloud } = await openBadNodeLab({
    server,
    atBoundary: (process, kind, moment) => {
      if (!isCounting) return;
      met.push(`${moment} ${kind} in ${process}`);
      if (met.length - 1 === at) throw new Crash(`killed ${met.at(-1)}`);
    },
  });
  const { run, issue } = await playUntilBad(lab);
  isCounting = true;
  await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
  const isThrough = async (): Promise<boolean> => {
    const state = await readState(lab, run);
    const [one] = state?.actions ?? [];
    return state?.submission?.attempt === 2 || one?.ended?.code === 'interrupted';
  };
  await until(lab, 'the end of the care', isThrough, { limitMs: 6 * 60 * MINUTE });
  isCounting = false;
  const first = (await readState(lab, run))?.actions[0]?.ended?.code ?? null;
  if (first === 'interrupted') {
    await until(lab, 'another proposal', async () => (await readState(lab, run))?.actions.length === 2);
    await lab.clock.advance(MINUTE);
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await until(lab, 'the second attempt', async () => (await readState(lab, run))?.submission?.attempt === 2);
  }
  const state = await readState(lab, run);
  const played = {
    met,
    deletions: listDeletions(cloud),
    first,
    attempt: state?.submission?.attempt ?? 0,
    twice: listRepeatedComments(lab),
  };
  await lab.close();
  return played;
}

describe('the replacement of a bad node', () => {
  it.each([{ server: true }, { server: false }])(
    'deletes the node once and starts the second attempt without crashes, server: $server',
    async ({ server }) => {
      expect(await playWithCrash(null, server)).toMatchObject({
        deletions: ['ray-worker-7c21'],
        first: 'replaced',
        attempt: 2,
        twice: [],
      });
    },
  );

  it('survives a crash of its runner at each boundary: one deletion, and an interrupted proposal is made again', async () => {
    const { met } = await playWithCrash(null, true);
    const own = met.flatMap((name, index) => (name.endsWith(' in care') ? [index] : []));
    expect(own.map((at) => met[at])).toEqual([
      // This append loses against the record of the dispatch.
      'before append in care',
      'after append in care',
      'before append in care',
      'after append in care',
      'before delete-tpu-vm in care',
      'after delete-tpu-vm in care',
      'before append in care',
      'after append in care',
    ]);
    const first: (string | null)[] = [];
    for (const at of own) {
      const played = await playWithCrash(at, true);
      expect(played, met[at]).toMatchObject({ deletions: ['ray-worker-7c21'], attempt: 2, twice: [] });
      first.push(played.first);
    }
    expect(first).toEqual([
      'replaced',
      'replaced',
      'replaced',
      'interrupted',
      'interrupted',
      'replaced',
      'replaced',
      'replaced',
    ]);
  });
});
