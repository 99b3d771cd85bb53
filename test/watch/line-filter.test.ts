/** The filter in front of the log reader: it tells of every line that says something, and counts the others. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineFilter, type LineFilter } from '../../src/watch/line-filter.ts';
import { finishLog, NO_LOG_FACTS, readLogBytes } from '../../src/watch/log-facts.ts';
import { SIGNATURES } from '../../src/watch/signatures.ts';
import { readLogText } from '../support/log-text.ts';

const letters = fc.constantFrom('a', 'B', 'b', 'c', 'C', 'F', '\n', '\n', '\u000b', 'é', '€', '🚀');
const needle = fc.string({ unit: fc.constantFrom('a', 'b', 'C'), minLength: 6, maxLength: 9 });
const needles = fc.array(needle, { minLength: 1, maxLength: 6 });
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The lines that a filter tells of, each with the number of lines before it, and how many lines there are. */
function told(
  filter: LineFilter,
  text: string,
): { readonly lines: readonly string[]; readonly count: number } {
  const bytes = utf8(text);
  const end = bytes.lastIndexOf(10) + 1;
  const lines: string[] = [];
  let count = 0;
  for (let from = 0; ; ) {
    const line = filter(bytes, from, end);
    count += line.passed;
    if (line.start === end) return { lines, count };
    lines.push(`${count} ${new TextDecoder().decode(bytes.subarray(line.start, line.end))}`);
    count += 1;
    from = line.end + 1;
  }
}

describe('the filter', () => {
  it('tells of every line with a needle or an opening, wherever it stands and however it is written', () => {
    const noise = fc.string({ unit: letters, maxLength: 40 });
    fc.assert(
      fc.property(needles, fc.array(fc.tuple(noise, fc.nat(9)), { maxLength: 8 }), (all, parts) => {
        const text = parts.map(([before, pick]) => `${before}${all[pick] ?? ''}`).join('');
        const lines = text.split('\n').slice(0, -1);
        const folded = all.map((one) => one.toLowerCase());
        const telling = lines.flatMap((line, number) =>
          line.startsWith('F') || folded.some((one) => line.toLowerCase().includes(one))
            ? [`${number} ${line}`]
            : [],
        );
        expect(told(createLineFilter(all, ['F']), text)).toEqual({ lines: telling, count: lines.length });
      }),
      { numRuns: 3_000 },
    );
  });

  it('tells of a needle with the newline that ends it, and of one by what follows it', () => {
    const filter = createLineFilter(['Error\n', { text: 'eval/', followedBy: 'ab' }], []);
    for (let before = 0; before < 8; before += 1) {
      const dull = '.'.repeat(before);
      const text = `${dull}Error\n${dull}Errors\n${dull}eval/b\n${dull}eval!c\n${dull}ERROR\n`;
      expect(told(filter, text)).toEqual({
        lines: [`0 ${dull}Error`, `2 ${dull}eval/b`, `4 ${dull}ERROR`],
        count: 5,
      });
    }
  });

  it('tells of nothing in what is nothing like a needle', () => {
    const filter = createLineFilter(['OwnerDiedError', 'SystemExit'], ['F']);
    expect(told(filter, 'I20261121 step 4 loss 2.31\n'.repeat(99))).toEqual({ lines: [], count: 99 });
    expect(told(filter, '')).toEqual({ lines: [], count: 0 });
  });

  it('takes no needle that it could miss, and no bytes whose words it would misread', () => {
    expect(() => createLineFilter(['short'], [])).toThrow('characters at least');
    expect(() => createLineFilter(['größe'], [])).toThrow('ASCII');
    const askew = utf8('  OwnerDiedError\n').subarray(1);
    expect(() => createLineFilter(['OwnerDiedError'], [])(askew, 0, askew.length)).toThrow(
      'multiple of four',
    );
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

/** The last place at or before `cut` at which no character is divided. */
function wholeCharacters(bytes: Uint8Array, cut: number): number {
  let place = Math.min(cut, bytes.length);
  while (((bytes[place] ?? 0) & 0xc0) === 0x80) place -= 1;
  return place;
}

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

  it('says the same as reading each line for itself, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.nat(2_000), { maxLength: 5 }), (lines, cuts) => {
        const bytes = utf8(lines.map((line) => `${line}\n`).join(''));
        // A log that ends in this line reads it without the filter: the last line is never filtered.
        const alone = lines.reduce((facts, line) => {
          const read = finishLog(readLogText(facts, line));
          // An empty one is no unfinished line.
          return line === '' ? { ...read, lines: read.lines + 1 } : read;
        }, NO_LOG_FACTS);
        const places = [...cuts, bytes.length]
          .map((cut) => wholeCharacters(bytes, cut))
          .toSorted((a, b) => a - b);
        let facts = NO_LOG_FACTS;
        let from = 0;
        for (const to of places) {
          facts = readLogBytes(facts, bytes.subarray(from, to));
          from = to;
        }
        expect(finishLog(facts)).toEqual(alone);
      }),
    );
  });
});
