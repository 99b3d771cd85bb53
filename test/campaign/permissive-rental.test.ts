/** The same of rented machines: who may have one, how often it is tried again, and when it goes. */

import { describe, expect, it, vi } from 'vitest';
import { known } from '../../src/domain/observed.ts';
import { firstBroken, SEEDS } from './permissive.ts';
import { type AskedRental, COURSES, type Course } from './rental.ts';
import { playRental } from './rental-sequence.ts';

const { gone } = vi.hoisted(() => ({ gone: new Set<string>() }));

vi.mock('../../src/run/authors.ts', async (original) => {
  const real = await original<typeof import('../../src/run/authors.ts')>();
  const interestedIn: typeof real.interestedIn = (...asked) =>
    gone.has('who asked is interested') ? [] : real.interestedIn(...asked);
  return { ...real, interestedIn };
});

vi.mock('../../src/actions/earlier-jobs.ts', async (original) => {
  const real = await original<typeof import('../../src/actions/earlier-jobs.ts')>();
  const earlierJobFault: typeof real.earlierJobFault = (...asked) =>
    gone.has('a look at earlier jobs') ? Promise.resolve(null) : real.earlierJobFault(...asked);
  return { ...real, earlierJobFault };
});

vi.mock('../../src/app/brakes.ts', async (original) => {
  const real = await original<typeof import('../../src/app/brakes.ts')>();
  const gatherBrakes: typeof real.gatherBrakes = (...asked) =>
    gone.has('brakes in the threads') ? Promise.resolve(known([])) : real.gatherBrakes(...asked);
  return { ...real, gatherBrakes };
});

vi.mock('../../src/domain/launch/relaunch.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/launch/relaunch.ts')>();
  const restartsLeft: typeof real.restartsLeft = (state) =>
    gone.has('restarts that were approved') ? 9 : real.restartsLeft(state);
  return { ...real, restartsLeft };
});

// One reason after the other for which a machine goes is none.
vi.mock('../../src/rental/tear-down.ts', async (original) => {
  const real = await original<typeof import('../../src/rental/tear-down.ts')>();
  const decideTearDown: typeof real.decideTearDown = (input) => {
    const decided = real.decideTearDown(input);
    return {
      ...decided,
      destroy: decided.destroy.filter(({ reason }) => !gone.has(`a machine goes: ${reason}`)),
    };
  };
  return { ...real, decideTearDown };
});

describe.each(Object.keys(COURSES) as Course[])('a rental whose course is %s', (course) => {
  it('is launched by an approval that stands, and that is no fault', async () => {
    const { faults, starts } = await playRental(1, { course, moves: ['mira approves', 'time passes'] });
    expect({ faults, isLaunched: starts > 0 }).toEqual({ faults: [], isLaunched: true });
  });
});

const APPROVED = ['mira approves', 'time passes'];

const DEFENCES: readonly (readonly [gone: readonly string[], asked: AskedRental])[] = [
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
  [
    ['a machine goes: cost'],
    { course: 'well', moves: ['mira approves', 'keeps it', ...APPROVED, ...APPROVED] },
  ],
  [
    ['a machine goes: asked', 'a machine goes: ended'],
    { course: 'well', moves: ['mira approves', 'lets it go'] },
  ],
];

describe.each(DEFENCES)('without %o, %o', (defences, asked) => {
  it('breaks a promise, and with it none', async () => {
    const play = (seed: number) => playRental(seed, asked);
    for (const defence of defences) gone.add(defence);
    const found = await firstBroken(play, SEEDS);
    gone.clear();
    expect(found, 'the campaign does not see that the defence is gone').not.toBeNull();
    expect(await firstBroken(play, found?.seed ?? 0)).toBeNull();
  });
});
