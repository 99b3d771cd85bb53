/**
 * Defences of rented machines, removed one at a time as in permissive.test.ts: permissions, restarts, and
 * destruction.
 */

import { describe, expect, it, vi } from 'vitest';
import { showDefences } from './permissive.ts';
import { COURSES, type Course, type RentalOptions } from './rental.ts';
import { playRental } from './rental-sequence.ts';

const { gone, WITHOUT } = await vi.hoisted(() => import('./permissive.ts'));

vi.mock('../../src/run/authors.ts', async (original) => WITHOUT.interested(await original()));
vi.mock('../../src/actions/earlier-jobs.ts', async (original) => WITHOUT.earlierJobs(await original()));
vi.mock('../../src/app/brakes.ts', async (original) => WITHOUT.brakes(await original()));
vi.mock('../../src/domain/launch/next-attempt.ts', async (original) => WITHOUT.restarts(await original()));
// Replaces the reasons to destroy a machine, one at a time.
vi.mock('../../src/rental/tear-down.ts', async (original) => {
  const real = await original<typeof import('../../src/rental/tear-down.ts')>();
  const decideTearDown: typeof real.decideTearDown = (input) =>
    real.decideTearDown(input).filter(({ reason }) => !gone.has(`a machine goes: ${reason}`));
  return { ...real, decideTearDown };
});

describe.each(Object.keys(COURSES) as Course[])('a rental with the course %s', (course) => {
  it('is launched after a valid approval without a reported fault', async () => {
    const { faults, starts } = await playRental(1, { course, moves: ['mira approves', 'time passes'] });
    expect({ faults, isLaunched: starts > 0 }).toEqual({ faults: [], isLaunched: true });
  });
});

const APPROVED = ['mira approves', 'time passes'];

const DEFENCES: readonly (readonly [gone: readonly string[], asked: RentalOptions])[] = [
  [['who asked is interested'], { renter: 'noor', moves: ['the asker approves', 'time passes'] }],
  [['a look at earlier jobs'], { course: 'well', moves: ['mira approves', 'watch key: failed'] }],
  [['brakes in the threads'], { moves: ['a brake at the last moment'] }],
  [
    ['restarts that were approved'],
    {
      course: 'crash after crash',
      moves: [...APPROVED, ...Array.from({ length: 4 }, () => ['ada relaunches', 'time passes']).flat()],
    },
  ],
  [['a machine goes: ended'], { course: 'a short one', moves: APPROVED }],
  [['a machine goes: cost'], { course: 'well', moves: ['mira approves', 'keeps it', ...APPROVED, ...APPROVED] }],
  [['a machine goes: asked', 'a machine goes: ended'], { course: 'well', moves: ['mira approves', 'lets it go'] }],
];

showDefences(DEFENCES, (seed, asked) => playRental(seed, asked));
