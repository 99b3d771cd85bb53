/** The same of jobs that were launched by hand: who takes them over, who stops them, and what is launched in their place. */

import { describe, expect, it, vi } from 'vitest';
import { known } from '../../src/domain/observed.ts';
import { type AskedAdopted, COURSES, type Course } from './adopted.ts';
import { playAdopted } from './adopted-sequence.ts';
import { firstBroken, SEEDS } from './permissive.ts';

const { gone } = vi.hoisted(() => ({ gone: new Set<string>() }));

vi.mock('../../src/run/authors.ts', async (original) => {
  const real = await original<typeof import('../../src/run/authors.ts')>();
  const interestedIn: typeof real.interestedIn = (...asked) =>
    gone.has('who asked is interested') ? [] : real.interestedIn(...asked);
  return { ...real, interestedIn };
});

vi.mock('../../src/commands/direct-watch.ts', async (original) => {
  const real = await original<typeof import('../../src/commands/direct-watch.ts')>();
  const mayDirect: typeof real.mayDirect = (context) =>
    gone.has('whose the job is') ? null : real.mayDirect(context);
  return { ...real, mayDirect };
});

vi.mock('../../src/app/brakes.ts', async (original) => {
  const real = await original<typeof import('../../src/app/brakes.ts')>();
  const gatherBrakes: typeof real.gatherBrakes = (...asked) =>
    gone.has('brakes in the threads') ? Promise.resolve(known([])) : real.gatherBrakes(...asked);
  return { ...real, gatherBrakes };
});

vi.mock('../../src/actions/earlier-jobs.ts', async (original) => {
  const real = await original<typeof import('../../src/actions/earlier-jobs.ts')>();
  const earlierJobFault: typeof real.earlierJobFault = (...asked) =>
    gone.has('a look at earlier jobs') ? Promise.resolve(null) : real.earlierJobFault(...asked);
  return { ...real, earlierJobFault };
});

describe.each(Object.keys(COURSES) as Course[])('a job by hand whose course is %s', (course) => {
  it('is taken over, handed on and looked after to its end, and that is no fault', async () => {
    const moves = [
      'the asker accepts',
      'hands it over',
      'noor accepts',
      'time passes',
      'a stop',
      'time passes',
    ];
    expect((await playAdopted(1, { asker: 'ada', course, moves })).faults).toEqual([]);
  });
});

const AGAIN = ['the asker accepts', 'time passes', 'time passes'];

it.each(['a slip', 'a lost connection'] as const)(
  'after %s it is launched again, once that is approved',
  async (course) => {
    const moves = [...AGAIN, 'mira approves', 'time passes', 'time passes'];
    const { faults, starts } = await playAdopted(2, { asker: 'ada', server: true, course, moves });
    expect({ faults, starts }).toEqual({ faults: [], starts: 1 });
  },
);

const DEFENCES: readonly (readonly [gone: readonly string[], asked: AskedAdopted])[] = [
  [
    ['who asked is interested'],
    { asker: 'noor', course: 'a lost connection', moves: [...AGAIN, 'noor approves', 'time passes'] },
  ],
  [['whose the job is'], { asker: 'noor', course: 'runs on', moves: [...AGAIN, 'a stop', 'time passes'] }],
  [
    ['brakes in the threads'],
    { course: 'a lost connection', moves: [...AGAIN, 'an approval and a late brake'] },
  ],
  [
    ['a look at earlier jobs'],
    {
      course: 'runs on',
      moves: [...AGAIN, 'watch key: failed', 'time passes', 'mira approves', 'time passes'],
    },
  ],
];

describe.each(DEFENCES)('without %o, %o', (defences, asked) => {
  it('breaks a promise, and with it none', async () => {
    const play = (seed: number) => playAdopted(seed, { asker: 'ada', ...asked });
    for (const defence of defences) gone.add(defence);
    const found = await firstBroken(play, SEEDS);
    gone.clear();
    expect(found, 'the campaign does not see that the defence is gone').not.toBeNull();
    expect(await firstBroken(play, found?.seed ?? 0)).toBeNull();
  });
});
