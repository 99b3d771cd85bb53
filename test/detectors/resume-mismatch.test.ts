/**
 * Repeated steps after a resume: the first must match within 0.002, later ones within one per cent, and each
 * mismatch is reported once.
 */

import { expect, it } from 'vitest';
import type { Evidence, Finding } from '../../src/detectors/detector.ts';
import { detectResumeMismatch } from '../../src/detectors/measures.ts';
import { readTrainingLine } from '../../src/diagnosis/training-line.ts';
import {
  addReplayedStep,
  compareReplayed,
  goBackInReplay,
  NO_REPLAY,
  ownTrace,
  type Replay,
  startReplay,
} from '../../src/watch/training.ts';

const STEPS = Array.from({ length: 200 }, (_, index) => index + 1);
const sound = (step: number): number => 2 + 1 / step;

function withStep(replay: Replay, step: number, loss: number): Replay {
  const line = readTrainingLine(`step ${step} loss ${loss.toFixed(5)}`);
  if (line === null) throw new Error('no training line');
  return addReplayedStep(replay, line);
}

/** The findings after each repeated step. */
function foundBy(again: (step: number) => number): readonly Finding[] {
  const past = STEPS.map((step) => ({ step, loss: sound(step).toFixed(5) }));
  let replay: Replay = startReplay(past, undefined);
  return STEPS.map((step) => {
    replay = withStep(replay, step, again(step));
    return detectResumeMismatch({ replayed: compareReplayed(replay.pairs) } as Evidence);
  });
}

const occasions = (found: readonly Finding[]): readonly string[] => [
  ...new Set(found.flatMap((one) => (one.kind === 'alarm' ? [one.since] : []))),
];

// rule HR-46
it('is reported once if losses differ at the start or drift apart later', () => {
  expect(occasions(foundBy(sound))).toEqual([]);
  expect(occasions(foundBy((step) => sound(step) + 0.004))).toEqual(['1']);
  expect(occasions(foundBy((step) => sound(step) * (step > 50 ? 1.02 : 1)))).toEqual(['later']);
  expect(occasions(foundBy((step) => sound(step) * (step > 50 ? 1.008 : 1)))).toEqual([]);
});

it('keeps the steps from before the rollback until all of them were repeated', () => {
  const made = (replay: Replay, from: number, to: number): Replay =>
    STEPS.slice(from - 1, to).reduce((next, step) => withStep(next, step, sound(step)), replay);
  const back = goBackInReplay(made(NO_REPLAY, 1, 90), undefined);
  expect(ownTrace(back)).toHaveLength(90);
  expect(ownTrace(made(back, 60, 89))).toHaveLength(90);
  expect(ownTrace(made(back, 60, 90))).toEqual([]);
  expect(ownTrace(startReplay([{ step: 1, loss: '3.0' }], undefined))).toEqual([]);
});
