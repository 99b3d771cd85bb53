/** Random Markdown around random commands: what fires is what a second renderer shows as a plain line. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import type { Reading } from '../../src/commands/grammar/reading.ts';
import { plainLinesOf } from './rendered-lines.ts';
import { TEST_REGISTRY } from './test-registry.ts';

const read = (comment: string): Reading => readComment(comment, TEST_REGISTRY, { otherBots: [] });

// No lone `--` and no `$$`: signatures and formulas are not the renderer's business, but the corpus's.
const BEFORE = [
  ...Array.from({ length: 40 }, () => ''),
  ...[' ', '   ', '     ', '\t', '> ', '>', '> > ', '- ', '* ', '+ ', '1. ', '2. ', '12) '],
  ...['- [ ] ', '# ', '#', '## ', '**', '*', '_', '__', '~~', '~', '`', '``', '[', '![', '<b>', '<kbd>'],
  ...['<!-- ', '| ', 'text ', '[^1]: ', '[a]: ', '(', '@bob ', '<img src=x> ', '> - ', '- > '],
  ...[
    'text<br>',
    '<br>',
    '<foo>',
    '</foo>',
    '<u>',
    '</b>',
    '</details>',
    '<!-- a -->',
    '>\t',
    '-\t',
    '> # ',
    '1)\t',
  ],
];
const AFTER = [
  ...Array.from({ length: 40 }, () => ''),
  ...['  ', '\\', '**', '*', '_', '~~', '~', '`', '``', '](x)', ']', '</b>', '</kbd>'],
  ...[' -->', ' |', ' text', '.', '!', '[^1]', ' #', ' <br>', ')'],
];
const LINES = [
  ...[
    '',
    '',
    '',
    '',
    'text',
    'more text',
    '---',
    '===',
    '=',
    '***',
    '```',
    '```js',
    '~~~',
    '````',
    '<details>',
  ],
  ...['</details>', '<div>', '</div>', '<!--', '-->', '<b>', '</b>', '<img src=x>', '<br>', '| a |', '|---|'],
  ...[
    ':-:',
    '| a | b |',
    '|---|---|',
    '[a]: x',
    '[^1]: note',
    '> ',
    '> text',
    '- ',
    '- text',
    '1. text',
    '* a',
  ],
  ...[
    '    code',
    '`a',
    'b`',
    '**a',
    'b**',
    '~~a',
    'b~~',
    '[a',
    'b](x)',
    '![a',
    'b](x)',
    '# title',
    '\\',
    '&amp;',
  ],
  ...[
    'a <b>',
    'b</b> c',
    'a <!-- b',
    'c --> d',
    'text\\',
    'text  ',
    '[a](x "b',
    'c")',
    '<https://x.test>',
    '  - a',
  ],
  ...[
    '> <details>',
    '> <b>',
    '- <details>',
    '- <b>',
    '# a <div>',
    '> </details>',
    'a <kbd>',
    'a <details>',
    '<p title=a>',
  ],
  ...['a <p title=a> b', '## <i>', 'a <div> <span>', '> <span>', '</i>', '</kbd>', 'a </div> b'],
  ...['<foo>', '</foo>', '<span>', '</span>', '<ul><li>', '</ul>', '<pre>', '</pre>', '<u>', '</u>', '</b>'],
  ...[
    '<!-- a -->',
    '<details open><summary>a</summary>',
    '</details></div>',
    '<blockquote>',
    '</blockquote>',
  ],
  ...[
    '>',
    '> ```',
    '> - a',
    '> # a',
    '-',
    '-   ',
    '\t',
    '> > a',
    '1) a',
    '   ',
    '~~~ a',
    '***a',
    'b***',
    'a | b',
  ],
  ...[
    '--|--',
    '| a',
    '[a][b',
    ']',
    '[b]: <x',
    '  "c"',
    'a\\',
    '_a',
    'b_ c',
    '``',
    '~a',
    'b~',
    '[^1]',
    '    - a',
  ],
];

type Line =
  | { readonly text: string }
  | { readonly before: string; readonly word: string; readonly after: string };

const line: fc.Arbitrary<Line> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ text: fc.constantFrom(...LINES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      before: fc.constantFrom(...BEFORE),
      word: fc.constantFrom('/approve-launch', '/approve-launch', '\\/approve-launch', '&sol;approve-launch'),
      after: fc.constantFrom(...AFTER),
    }),
  },
);
const comment = fc
  .array(line, { minLength: 1, maxLength: 14 })
  .filter((lines) => lines.filter((l) => 'word' in l).length <= 10);

/** Each command carries a digest of its own, by which it is known again wherever it ends up. */
function digestOf(index: number): string {
  return index.toString(16).padStart(12, 'a');
}

function written(lines: readonly Line[], lineEnding: string): string {
  return lines
    .map((l, index) => ('text' in l ? l.text : `${l.before}${l.word} ${digestOf(index)}${l.after}`))
    .join(lineEnding);
}

/**
 * The suite asks the same questions every time; another seed by hand asks others. Known to differ, on the safe side: an
 * end tag that was opened in an earlier block ends a strike that it does not belong to, as a browser builds the page, and
 * the command behind it is told as struck instead of run (`- <b>`, then `~/stop</b>`, then `/stop~`).
 */
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_121);

describe('random Markdown around commands', () => {
  it('fires exactly what a reader sees as a plain line and finds so in the source', () => {
    let fired = 0;
    let seenOnly = 0;
    fc.assert(
      fc.property(comment, fc.constantFrom('\n', '\r\n'), (lines, lineEnding) => {
        const text = written(lines, lineEnding);
        const seen = plainLinesOf(text).flatMap(
          (l) => /^\/approve-launch (a[0-9a-f]{11})$/.exec(l)?.[1] ?? [],
        );
        // A browser drops a tag that ends nothing, so the source is asked whether one stands in the line.
        const isAsSeen = (digest: string): boolean =>
          lines.some(
            (l, n) =>
              'word' in l &&
              digestOf(n) === digest &&
              l.word === '/approve-launch' &&
              !`${l.before}${l.after}`.includes('<'),
          );
        const expected = seen.filter(isAsSeen);
        const { commands } = read(text);
        fired += commands.length;
        seenOnly += seen.length - expected.length;
        expect(commands.map((c) => c.args['digest'])).toEqual(expected);
      }),
      { seed: SEED, numRuns: 1_200 },
    );
    expect(fired).toBeGreaterThan(120);
    expect(seenOnly).toBeGreaterThan(15);
  });

  it('accounts for each slash word exactly once, at its place', () => {
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

  it('reads a command the same when it stands alone', () => {
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

describe('any text at all', () => {
  const sign = fc.constantFrom(
    ...[
      '/',
      '/stop',
      '/hold',
      ' ',
      '\n',
      '\r',
      '\t',
      '"',
      '\\',
      '=',
      'reason',
      '“',
      '\u200b',
      '\u202e',
      '\0',
    ],
    ...[
      '\ufeff',
      '&',
      '&#',
      '&sol;',
      ';',
      '<',
      '>',
      '<!--',
      '-->',
      '[',
      ']',
      '(',
      ')',
      '!',
      '*',
      '_',
      '~',
      '`',
    ],
    ...[
      '|',
      '-',
      '+',
      '1.',
      '#',
      '$$',
      ':',
      '😀',
      '\ud83d',
      'é',
      'о',
      '／',
      '[^1]',
      'a',
      'On ',
      ' wrote:',
      '-- ',
    ],
  );
  it('is read without failing, and every word has its slash in the source', () => {
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

  it('gives a value back as it was quoted', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), (value) => {
        fc.pre(value.trim() === value && !/<[!?]|[\r\n]/.test(value));
        const quoted = value.replace(/["\\]/g, (sign) => `\\${sign}`);
        const reading = read(`/hold reason="${quoted}"`);
        expect(reading.commands.map((c) => c.args)).toEqual([{ reason: value }]);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });
});
