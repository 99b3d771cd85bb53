/**
 * Defences of adopted jobs, removed one at a time as in permissive.test.ts: adoption, stops, and relaunches.
 */

import { describe, expect, it, vi } from 'vitest';
import { type AdoptedOptions, COURSES, type Course } from './adopted.ts';
import { playAdopted } from './adopted-sequence.ts';
import { showDefences } from './permissive.ts';

const { gone, WITHOUT } = await vi.hoisted(() => import('./permissive.ts'));

vi.mock('../../src/run/authors.ts', async (original) => WITHOUT.interested(await original()));
vi.mock('../../src/commands/watching.ts', async (original) => {
  const real = await original<typeof import('../../src/commands/watching.ts')>();
  const refuseUnlessDirector: typeof real.refuseUnlessDirector = (context) =>
    gone.has('whose the job is') ? null : real.refuseUnlessDirector(context);
  return { ...real, refuseUnlessDirector };
});

vi.mock('../../src/app/brakes.ts', async (original) => WITHOUT.brakes(await original()));
vi.mock('../../src/actions/earlier-jobs.ts', async (original) => WITHOUT.earlierJobs(await original()));
describe.each(Object.keys(COURSES) as Course[])('an adopted job that ends as %s', (course) => {
  it('is adopted, handed off and watched to its end without a reported fault', async () => {
    const moves = ['the asker accepts', 'hands it over', 'noor accepts', 'time passes', 'a stop', 'time passes'];
    expect((await playAdopted(1, { asker: 'ada', course, moves })).faults).toEqual([]);
  });
});

const AGAIN = ['the asker accepts', 'time passes', 'time passes'];

it.each(['a slip', 'a lost connection'] as const)(
  'after %s it is launched again with a new approval',
  async (course) => {
    const moves = [...AGAIN, 'mira approves', 'time passes', 'time passes'];
    const { faults, starts } = await playAdopted(2, { asker: 'ada', server: true, course, moves });
    expect({ faults, starts }).toEqual({ faults: [], starts: 1 });
  },
);

const DEFENCES: readonly (readonly [gone: readonly string[], asked: AdoptedOptions])[] = [
  [
    ['who asked is interested'],
    { asker: 'noor', course: 'a lost connection', moves: [...AGAIN, 'noor approves', 'time passes'] },
  ],
  [['whose the job is'], { asker: 'noor', course: 'runs on', moves: [...AGAIN, 'a stop', 'time passes'] }],
  [['brakes in the threads'], { course: 'a lost connection', moves: [...AGAIN, 'an approval and a late brake'] }],
  [
    ['a look at earlier jobs'],
    { course: 'runs on', moves: [...AGAIN, 'watch key: failed', 'time passes', 'mira approves', 'time passes'] },
  ],
];

showDefences(DEFENCES, (seed, asked) => playAdopted(seed, { asker: 'ada', ...asked }));
