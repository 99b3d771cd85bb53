/** Progress lines, compared with real output of tqdm_loggable 4.70.1. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTrainingLine } from '../../src/diagnosis/training-line.ts';

const golden = readFileSync(new URL('../../fixtures/progress/tqdm-loggable-lines.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

describe('a progress line', () => {
  it('is read in every golden line', () => {
    const read = golden.map((line) => readTrainingLine(line));
    expect(read).not.toContain(null);
    expect(read.map((line) => [line?.step?.value, line?.step?.exact, line?.total?.exact])).toEqual([
      [undefined, undefined, true],
      ...Array(2).fill([1, true, false]),
      ...Array(2).fill([3, true, false]),
      ...Array(2).fill([51, true, false]),
      ...Array(2).fill([1000, false, false]),
      ...Array(2).fill([2000, false, false]),
      ...Array(2).fill([5160, false, false]),
      [undefined, undefined, true],
      ...Array(2).fill([83_300, false, false]),
      [5160, false, false],
      [83_300, false, false],
    ]);
    expect(read.map((line) => line?.secondsPerStep)).toContain(1 / 1930.9);
    expect(read[0]).toMatchObject({
      total: { value: 5155, exact: true },
      secondsPerStep: null,
      remainingSeconds: null,
    });
    expect(read[1]).toMatchObject({ remainingSeconds: 1035, measures: {} });
    expect(read[6]).toMatchObject({ measures: { loss: '3.47' } });
  });

  it('supports slow rates, hours and missing totals', () => {
    const slow = 'Progress on:train 11.0it/18.0it rate:34.5s/it remaining:04:01 elapsed:17:46 postfix:loss=15.5';
    expect(readTrainingLine(slow)).toEqual({
      work: 'training',
      step: { value: 11, exact: true },
      total: { value: 18, exact: true },
      measures: { loss: '15.5' },
      secondsPerStep: 34.5,
      tokensPerSecond: null,
      samplesPerSecond: null,
      evalLoss: null,
      elapsedSeconds: 1066,
      remainingSeconds: 241,
      memory: null,
    });
    expect(readTrainingLine('Progress on:train 189it')).toMatchObject({ step: { value: 189 }, total: null });
    const long =
      'I20261121 03:00:00 1 x Progress on:train 3.1kit/5.16kit rate:1.0s/it remaining:1:05:15 elapsed:30:00:01';
    expect(readTrainingLine(long)).toMatchObject({ remainingSeconds: 3915, elapsedSeconds: 108_001 });
    expect(readTrainingLine('Progress on:train 5.00it/9.00it postfix:loss=nan')).toMatchObject({
      measures: { loss: 'nan' },
    });
  });

  it('is not read from other text', () => {
    for (const line of ['', 'Progress on:train', 'Progress on:train ../..it', 'no Progress on: train 1it'])
      expect(readTrainingLine(line)?.step ?? null).toBeNull();
  });
});
