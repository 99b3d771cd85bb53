/** The filter in front of the log reader: it may stop too often, and it never passes a line by that says something. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineFilter } from '../../src/watch/line-filter.ts';
import { finishLog, NO_LOG_FACTS, readLogText } from '../../src/watch/log-facts.ts';
import { SIGNATURES } from '../../src/watch/signatures.ts';

const letters = fc.constantFrom('a', 'B', 'b', 'c', 'C', 'c', 'a', '\n', 'é');
const needle = fc.string({ unit: fc.constantFrom('a', 'b', 'C'), minLength: 6, maxLength: 9 });
const needles = fc.array(needle, { minLength: 1, maxLength: 6 });

describe('the filter', () => {
  it('finds the first needle, wherever it stands and however it is written', () => {
    fc.assert(
      fc.property(needles, fc.string({ unit: letters, maxLength: 60 }), fc.nat(20), (all, noise, from) => {
        const text = `${noise}${all[0]}${noise}`;
        const found = createLineFilter(all)(text, from);
        const folded = text.toLowerCase();
        const starts = all.map((one) => folded.indexOf(one.toLowerCase(), from)).filter((at) => at !== -1);
        // Two that overlap stand in one line: either will do.
        const first = Math.min(...starts, text.length);
        if (starts.length === 0) expect(found).toBe(-1);
        else expect(Math.abs(found - first)).toBeLessThan(4);
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds nothing in what is nothing like a needle', () => {
    expect(
      createLineFilter(['OwnerDiedError', 'SystemExit'])('I20261121 step 4 loss 2.31\n'.repeat(99), 0),
    ).toBe(-1);
  });

  it('takes no needle that it could miss', () => {
    expect(() => createLineFilter(['short'])).toThrow('characters at least');
    expect(() => createLineFilter(['größe'])).toThrow('ASCII');
  });
});

describe('every signature', () => {
  it.each(SIGNATURES.map((signature) => [signature.id, signature] as const))(
    '%s holds one of its needles in whatever it matches',
    (_id, { pattern, needles: own, opens }) => {
      const matching = fc.stringMatching(new RegExp(pattern.source.replaceAll('\\b', '')), { size: 'small' });
      fc.assert(
        fc.property(matching, (line) => {
          // The generator knows neither `\b` nor `i`: ask the pattern itself.
          fc.pre(pattern.test(line));
          const folded = line.toLowerCase();
          expect(
            own.some((one) => folded.includes(one.toLowerCase())) || line.startsWith(opens ?? '\n'),
          ).toBe(true);
        }),
        { numRuns: 30 },
      );
    },
  );
});

describe('reading through the filter', () => {
  const telling = [
    'I1 Progress on:train 5.00it/9.00it rate:1.0it/s remaining:00:04 elapsed:00:05 postfix:loss=2.5',
    'Progress on:eval 9.00it/9.00it rate:1.0it/s',
    'First train step completed',
    'wandb: 🚀 View run at https://wandb.ai/a/b/runs/c-1',
    'Saved checkpoint to gs://x/y for step 40',
    'Loading checkpoint from gs://x/y',
    'EVAL/paloma/loss=3.25',
    'F20260807 03:14:15 x',
    'MARKED DEAD BECAUSE the detector has missed',
    "KeyError: 'x'",
    'a.b.SystemExit',
    'OwnerDiedError',
  ];
  const dull = ['', 'F', 'fine', 'é€😀', 'I2026 step', 'Progress', 'x'.repeat(50)];
  const logs = fc.array(fc.constantFrom(...telling, ...dull), { maxLength: 40 });

  it('says the same as reading each line for itself', () => {
    fc.assert(
      fc.property(logs, (lines) => {
        const whole = finishLog(readLogText(NO_LOG_FACTS, lines.map((line) => `${line}\n`).join('')));
        // A log that ends in this line reads it without the filter: the last line is never filtered.
        const alone = lines.reduce((facts, line) => {
          const read = finishLog(readLogText(facts, line));
          return line === '' ? { ...read, lines: read.lines + 1 } : read;
        }, NO_LOG_FACTS);
        expect(whole).toEqual(alone);
      }),
    );
  });
});
