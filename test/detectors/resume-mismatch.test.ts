/** Steps that a run makes again: the first of them are held to 0.002, the later ones to one per cent, and either is told once. */

import { expect, it } from 'vitest';
import type { Finding } from '../../src/detectors/detector.ts';
import type { Evidence } from '../../src/detectors/evidence.ts';
import { resumeMismatch } from '../../src/detectors/resume-mismatch.ts';
import { addReplayed, comparedOf, type Replay, replayOf } from '../../src/watch/replayed.ts';
import { parseTrainingLine } from '../../src/watch/training-line.ts';

const STEPS = Array.from({ length: 200 }, (_, index) => index + 1);
const sound = (step: number): number => 2 + 1 / step;

/** What is found after each step that is made again. */
function foundBy(again: (step: number) => number): readonly Finding[] {
  const past = STEPS.map((step) => ({ step, loss: sound(step).toFixed(5) }));
  let replay: Replay = replayOf(past, undefined);
  return STEPS.map((step) => {
    const line = parseTrainingLine(`step ${step} loss ${again(step).toFixed(5)}`);
    if (line === null) throw new Error('no training line');
    replay = addReplayed(replay, line);
    return resumeMismatch.judge({ replayed: comparedOf(replay.pairs) } as Evidence);
  });
}

const occasions = (found: readonly Finding[]): readonly string[] => [
  ...new Set(found.flatMap((one) => (one.kind === 'alarm' ? [one.since] : []))),
];

it('is told of where they move apart only after the catch-up, and once', () => {
  expect(occasions(foundBy(sound))).toEqual([]);
  expect(occasions(foundBy((step) => sound(step) + 0.004))).toEqual(['1']);
  expect(occasions(foundBy((step) => sound(step) * (step > 50 ? 1.02 : 1)))).toEqual(['later']);
  expect(occasions(foundBy((step) => sound(step) * (step > 50 ? 1.008 : 1)))).toEqual([]);
});
