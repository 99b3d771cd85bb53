/**
 * Defences of commands in other threads that name the run, removed one at a time as in permissive.test.ts.
 */

import { expect, it, vi } from 'vitest';
import { known } from '../../src/domain/values.ts';
import { ELSEWHERE } from './elsewhere-scenarios.ts';
import type { Outcome } from './outcome.ts';
import { showDefences } from './permissive.ts';
import { playScenarioAlone } from './sequence.ts';

const { gone } = await vi.hoisted(() => import('./permissive.ts'));

vi.mock('../../src/app/brakes-elsewhere.ts', async (original) => {
  const real = await original<typeof import('../../src/app/brakes-elsewhere.ts')>();
  const listBrakesInOtherThreads: typeof real.listBrakesInOtherThreads = (...asked) =>
    gone.has("the launcher's look elsewhere") ? Promise.resolve(known([])) : real.listBrakesInOtherThreads(...asked);
  return { ...real, listBrakesInOtherThreads };
});

vi.mock('../../src/run/decide-journal.ts', async (original) => {
  const real = await original<typeof import('../../src/run/decide-journal.ts')>();
  const decideNamed: typeof real.decideNamed = (input) => {
    const decided = real.decideNamed(input);
    if (gone.has('answers elsewhere')) return null;
    return decided !== null && gone.has('what is said elsewhere is recorded') ? { ...decided, drafts: [] } : decided;
  };
  return { ...real, decideNamed };
});

vi.mock('../../src/app/stop-by-job-id.ts', async (original) => {
  const real = await original<typeof import('../../src/app/stop-by-job-id.ts')>();
  const findStop: typeof real.findStop = (...asked) =>
    gone.has('stops by the job id') ? Promise.resolve(null) : real.findStop(...asked);
  return { ...real, findStop };
});

vi.mock('../../src/domain/actor.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/actor.ts')>();
  const permits: typeof real.permits = (...asked) => gone.has('the right to lift') || real.permits(...asked);
  return { ...real, permits };
});

type Named = keyof typeof ELSEWHERE;

function playing(what: Named): (seed: number) => Promise<Outcome> {
  return (seed) => playScenarioAlone(seed, { what, ...ELSEWHERE[what] });
}

it('a hold that mira lifts from another thread blocks nothing, and no fault is reported', async () => {
  const { faults, starts } = await playing('mira lifts her hold from elsewhere')(1);
  expect({ faults, starts }).toEqual({ faults: [], starts: 1 });
});

const DEFENCES: readonly (readonly [gone: readonly string[], scenario: Named])[] = [
  [["the launcher's look elsewhere"], 'a brake elsewhere at the last moment'],
  [["the launcher's look elsewhere", 'what is said elsewhere is recorded'], 'a brake elsewhere in time'],
  [['answers elsewhere'], 'a brake elsewhere in time'],
  [['what is said elsewhere is recorded'], 'a job is stopped from elsewhere'],
  [['stops by the job id'], 'a job is stopped from elsewhere without the journal'],
  [['the right to lift'], 'a stranger lifts a hold from elsewhere'],
];

showDefences(DEFENCES, (seed, what) => playing(what)(seed));
