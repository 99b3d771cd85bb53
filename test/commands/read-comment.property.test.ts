/**
 * Random Markdown around random commands: a command is valid only if a second renderer shows it as a plain
 * line.
 */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import type { Reading } from '../../src/commands/grammar/reading.ts';
import { comment, digestOf, written } from './comment-pieces.ts';
import { listPlainLines } from './rendered-lines.ts';
import { TEST_REGISTRY } from './test-registry.ts';

const read = (comment: string): Reading => readComment(comment, TEST_REGISTRY, { otherBots: [] });

/** The suite uses the same seed every time and more runs in CI; set another seed by hand. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_121);
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? (process.env['CI'] === undefined ? 1_200 : 5_000));

describe('random Markdown around commands', () => {
  it('accepts only commands that a reader sees as a plain line, and all of them without HTML', () => {
    let fired = 0;
    let seenOnly = 0;
    fc.assert(
      fc.property(comment, fc.constantFrom('\n', '\r\n'), (lines, lineEnding) => {
        const text = written(lines, lineEnding);
        const seen = listPlainLines(text).flatMap((l) => /^\/approve-launch (a[0-9a-f]{11})$/.exec(l)?.[1] ?? []);
        // A browser drops a tag that closes nothing, also one from Markdown signs; arguments are parsed from
        // the source.
        const isAsSeen = (digest: string): boolean =>
          lines.some(
            (l, n) =>
              'word' in l &&
              digestOf(n) === digest &&
              l.word === '/approve-launch' &&
              !/[<*_~]/.test(`${l.before}${l.after}`),
          );
        const expected = seen.filter(isAsSeen);
        const { commands } = read(text);
        fired += commands.length;
        seenOnly += seen.length - expected.length;
        const digests = commands.map((c) => c.args['digest']);
        if (text.includes('<')) expect(expected).toEqual(expect.arrayContaining(digests));
        else expect(digests).toEqual(expected);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(fired).toBeGreaterThan(60);
    expect(seenOnly).toBeGreaterThan(15);
  });

  it('reports each slash word exactly once, at its position', () => {
    fc.assert(
      fc.property(comment, (lines) => {
        const text = written(lines, '\n');
        const { commands, errors, ignored } = read(text);
        const places = [...commands, ...errors, ...ignored].map((w) => `${w.line}:${w.column}`);
        expect(new Set(places).size).toBe(places.length);
        for (const [n, source] of text.split('\n').entries())
          for (const { index } of source.matchAll(/(?<=^|[\s>])\/approve-launch/g))
            expect(places).toContain(`${n + 1}:${index + 1}`);
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  it('parses a command the same as a separate comment', () => {
    fc.assert(
      fc.property(comment, (lines) => {
        for (const command of read(written(lines, '\n')).commands) {
          const alone = read(command.source).commands;
          expect(alone).toEqual([{ ...command, line: 1, column: 1 }]);
        }
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});

describe('any text', () => {
  const sign = fc.constantFrom(
    ...['/', '/stop', '/hold', ' ', '\n', '\r', '\t', '"', '\\', '=', 'reason', '“', '\u200b', '\u202e', '\0'],
    ...['\ufeff', '&', '&#', '&sol;', ';', '<', '>', '<!--', '-->', '[', ']', '(', ')', '!', '*', '_', '~', '`'],
    ...['|', '-', '+', '1.', '#', '$$', ':', '😀', '\ud83d', 'é', 'о', '／', '[^1]', 'a', 'On ', ' wrote:', '-- '],
  );
  it('is parsed without an exception, and every word has its slash in the source', () => {
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 60 }), (signs) => {
        const text = signs.join('');
        const { commands, errors, ignored } = read(text);
        const lines = text.split(/\r\n|\n|\r/);
        for (const word of [...commands, ...errors, ...ignored])
          expect(lines[word.line - 1]?.slice(word.column - 1)).toMatch(/^(?:[/／]|&)/);
      }),
      { seed: SEED, numRuns: 3_000 },
    );
  });

  it('returns a quoted value unchanged', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), (value) => {
        fc.pre(value.trim() === value && !/<|[\r\n]/.test(value));
        const quoted = value.replace(/["\\]/g, (sign) => `\\${sign}`);
        const reading = read(`/hold reason="${quoted}"`);
        expect(reading.commands.map((c) => c.args)).toEqual([{ reason: value }]);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });
});
