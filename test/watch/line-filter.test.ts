/** The filter in front of the log reader: it passes every line with information, and counts the others. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SIGNATURES } from '../../src/diagnosis/rows.ts';
import { finishLog, NO_LOG_FACTS, readLogBytes } from '../../src/watch/log-facts.ts';
import { findSignalWord } from '../../src/watch/signal-lines.ts';
import { readLogText } from '../support/log-text.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('every signature', () => {
  it.each(SIGNATURES.map((row) => [row.signature, row] as const))(
    '%s contains a telling word in each text that it matches',
    (_signature, { pattern }) => {
      const matching = fc.stringMatching(new RegExp(pattern.source.replaceAll('\\b', '')), { size: 'small' });
      fc.assert(
        fc.property(matching, (line) => {
          // The generator supports neither `\b` nor `i`: test the pattern itself.
          fc.pre(pattern.test(line) && !line.includes('\n'));
          const bytes = utf8(`\n${line}\n`);
          expect(findSignalWord(bytes, 0, bytes.length)).not.toBe(-1);
        }),
        { numRuns: 30 },
      );
    },
  );
});

/** The last offset at or before `cut` that does not split a character. */
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
    'OwnerDiedError',
  ];
  const dull = ['', 'F', 'fine', 'é€😀', 'I2026 step', 'Progress', 'x'.repeat(50)];
  const logs = fc.array(fc.constantFrom(...telling, ...dull), { maxLength: 40 });

  it('yields the same facts as reading each line separately, for any cuts', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.nat(2_000), { maxLength: 5 }), (lines, cuts) => {
        const bytes = utf8(lines.map((line) => `${line}\n`).join(''));
        // A log that ends with this line reads it unfiltered, because the last line is never filtered.
        const alone = lines.reduce((facts, line) => {
          const read = finishLog(readLogText(facts, line));
          // An empty line is not an unfinished line.
          return line === '' ? { ...read, lines: read.lines + 1 } : read;
        }, NO_LOG_FACTS);
        const places = [...cuts, bytes.length].map((cut) => wholeCharacters(bytes, cut)).toSorted((a, b) => a - b);
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
