/**
 * Defences of hero runs, removed one at a time as in permissive.test.ts: checkpoints, restarts, approvals and
 * clean-ups.
 */

import { describe, expect, it, vi } from 'vitest';
import { type AskedHero, COURSES, type Course } from './hero.ts';
import { playHero } from './hero-sequence.ts';
import { showDefences } from './permissive.ts';

const { gone, WITHOUT } = await vi.hoisted(() => import('./permissive.ts'));

vi.mock('../../src/run/authors.ts', async (original) => WITHOUT.interested(await original()));
vi.mock('../../src/run/open-brakes.ts', async (original) => {
  const real = await original<typeof import('../../src/run/open-brakes.ts')>();
  const isUnrecordedRejection: typeof real.isUnrecordedRejection = (...asked) =>
    !gone.has('rejections in the thread') && real.isUnrecordedRejection(...asked);
  return { ...real, isUnrecordedRejection };
});

vi.mock('../../src/checkpoints/lineage.ts', async (original) => {
  const real = await original<typeof import('../../src/checkpoints/lineage.ts')>();
  const judgeLineage: typeof real.judgeLineage = (lineage, written) =>
    real.judgeLineage(gone.has('rejected lineage') ? { ...lineage, rejections: [] } : lineage, written);
  return { ...real, judgeLineage };
});

vi.mock('../../src/app/brakes.ts', async (original) => WITHOUT.brakes(await original()));
vi.mock('../../src/domain/launch/next-attempt.ts', async (original) => WITHOUT.restarts(await original()));
vi.mock('../../src/actions/earlier-jobs.ts', async (original) => WITHOUT.earlierJobs(await original()));
vi.mock('../../src/kinds/hero/gates.ts', async (original) => {
  const real = await original<typeof import('../../src/kinds/hero/gates.ts')>();
  const { driAcceptedGate } = real;
  const evaluate: typeof driAcceptedGate.evaluate = (facts) => {
    const verdict = driAcceptedGate.evaluate(facts);
    return gone.has('the DRI says yes') ? { ...verdict, outcome: 'pass' } : verdict;
  };
  return { ...real, driAcceptedGate: { ...driAcceptedGate, evaluate } };
});

describe.each(Object.keys(COURSES) as Course[])('a hero run with the course %s', (course) => {
  it('is launched after a valid approval without a reported fault', async () => {
    const moves = ['mira approves', 'time passes', 'time passes'];
    const { faults, starts } = await playHero(1, { asker: 'ada', course, moves });
    expect({ faults, isLaunched: starts > 0 }).toEqual({ faults: [], isLaunched: true });
  });
});

it('is restarted from its newest checkpoint, rolled back, cleaned up and continued as another run', async () => {
  const approved = ['mira approves', 'time passes', 'time passes', 'time passes'];
  const back = ['goes back', 'time passes', ...approved, 'a clean-up', 'mira consents', 'time passes'];
  const moves = [...approved, ...back, 'goes on as another', ...approved];
  const { faults, starts } = await playHero(3, {
    asker: 'ada',
    server: true,
    course: 'a preemption, then a divergence',
    moves,
  });
  expect(faults).toEqual([]);
  expect(starts).toBeGreaterThan(2);
});

const AGAIN = ['mira approves', 'time passes', 'time passes'];

const DEFENCES: readonly (readonly [gone: readonly string[], asked: AskedHero])[] = [
  [['who asked is interested'], { asker: 'noor', moves: ['noor approves', 'time passes'] }],
  [['the DRI says yes'], { asker: 'ada for noor', moves: ['mira approves', 'time passes'] }],
  [['rejections in the thread'], { course: 'a preemption', moves: ['mira approves', 'a late rejection'] }],
  [['rejected lineage'], { course: 'a divergence', moves: [...AGAIN, 'rejects', 'goes back', ...AGAIN] }],
  [['brakes in the threads'], { course: 'a preemption', moves: ['mira approves', 'a late brake'] }],
  [
    ['a look at earlier jobs'],
    { course: 'well', moves: ['mira approves', 'time passes', 'watch key: failed', 'time passes'] },
  ],
  [
    ['restarts that were approved'],
    {
      course: 'preempted again and again',
      countsPreemptions: true,
      moves: [...AGAIN, ...Array.from({ length: 4 }, () => ['ada relaunches', 'time passes']).flat()],
    },
  ],
];

showDefences(DEFENCES, (seed, asked) => playHero(seed, { asker: 'ada', ...asked }));
