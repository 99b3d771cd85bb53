/** Comments that are expensive by design: each is parsed within seconds. */

import { describe, expect, it } from 'vitest';
import { COMMENT_COMMANDS_MAX, readComment } from '../../src/commands/grammar/read-comment.ts';
import type { Reading } from '../../src/commands/grammar/reading.ts';
import { COMMENT_CHARACTERS_MAX } from '../../src/render/disk-issue.ts';
import { measureCpu } from '../support/cpu-ms.ts';
import { TEST_REGISTRY } from './test-registry.ts';

const read = (comment: string): Reading => readComment(comment, TEST_REGISTRY, { otherBots: ['/lgtm'] });
const full = (unit: string): string =>
  unit.repeat(Math.ceil(COMMENT_CHARACTERS_MAX / unit.length)).slice(0, COMMENT_CHARACTERS_MAX);

// Without the limits, the worst of these take 40 s of processor time or overflow the stack.
const MOMENT_MS = 5_000;

/** Parses the comment and checks the time. */
function readSoon(comment: string): Reading {
  const { value, ms } = measureCpu(() => read(comment));
  expect(ms).toBeLessThan(MOMENT_MS);
  return value;
}

const SHAPES = [
  ...['> ', '- ', '> - ', '1. ', '[^a]: ', '> '.repeat(24).concat('/a\n'), '- '.repeat(24).concat('/a\n')],
  ...['a\n=\n', 'a\n-\n', '=\n', '> a\nb\n', '- a\nb\n', '- a\n', '> a\n\n', '|a', 'a|b\n-|-\n', 'a\n-|\n'],
  ...['*a ', '_a_ ', '**a* ', '~a~~b ', '*_', '[', ']', '![', '[a](b) ', '[a][b ', '[a](b "c ', '[^a] ', '`a` '],
  ...['` `` ', '<!--a ', '<?a ', '<![CDATA[a ', '<a ', '<a b="c ', '<b>', '<b>\n\n', '</b>', '&amp;', '\\*', '$$/a$$ '],
  ...['/a ', '/', '／', '/stop ', '/stop\n', '/hodl\n', '/stop /stop\n', '/hold reason="', '/\u200b', '\u200b', '\0'],
  ...['[^a]: /a\n\n', '[a]: /b\n', '```\n/a\n', '\t/a\n', '# /a\n', '\n', '\r', ' ', '\t', '/x—', '/.', '/ѕtop '],
  ...['<a><p>', '<details>', '<table>x'],
  ...['<a b c d e f g h>', 'eyJ-'],
  ...['On a\n', '-- \n/a\n', 'Am a schrieb b: c ', 'From: a\nTo: b\n', '👩‍🔬 ', '&sol;a ', '\ud83d'],
];

describe('a comment of 65,536 characters with one repeated shape', () => {
  it.each(SHAPES)('%j is parsed in time', (unit) => {
    const { commands, errors } = readSoon(full(unit));
    expect(commands.length).toBeLessThanOrEqual(COMMENT_COMMANDS_MAX);
    expect(errors.length).toBeLessThanOrEqual(COMMENT_COMMANDS_MAX);
  });

  it('a long list is parsed, because bullets do not count as emphasis of their texts', () => {
    const list = `${'* *a*\n'.repeat(800)}\n/status\n`;
    expect(read(list).commands.map(({ name }) => name)).toEqual(['status']);
  });

  it.each(['', '> ', '\t'])('lists that nest deeper with every line, after %j, exceed the limit', (before) => {
    const step = before === '\t' ? before : '  ';
    const stairs = Array.from({ length: 200 }, (_, depth) => `${before}${step.repeat(depth)}- /stop`).join('\n');
    const { commands, ignored } = readSoon(stairs);
    expect(commands).toEqual([]);
    expect(new Set(ignored.map((word) => word.reason))).toEqual(new Set(['limit']));
  });

  it('repeated lists of twenty levels are parsed in time', () => {
    const stairs = Array.from({ length: 20 }, (_, depth) => `${'  '.repeat(depth)}- a\n`).join('');
    expect(new Set(readSoon(`${full(stairs).slice(0, -9)}\n\n/status`).ignored.map((w) => w.reason))).toEqual(
      new Set(['limit']),
    );
  });
});

describe('ordinary comments exceed no limit', () => {
  const sentence = 'The loss fell from 3.1 to 2.9 after step 4600, see **the** `lr` of [run 7](https://x.test/7). ';
  const wide = `| ${Array.from({ length: 10 }, (_, n) => `c${n}`).join(' | ')} |\n|${'---|'.repeat(10)}\n`;

  it.each([
    ['prose with ten commands', `${`${sentence}\n`.repeat(65)}\n/status\n\n`.repeat(10)],
    [
      'a table of five hundred rows',
      `${wide}${'| 0.123 | a_b '.repeat(5)}|\n`
        .repeat(1)
        .concat(`${'| 0.123 '.repeat(10)}|\n`.repeat(500))
        .concat('\n/status'),
    ],
    ['a list of five hundred items', `${'- [ ] checked `lr` and **beta**\n'.repeat(500)}\n/status`],
    ['nested lists', `${'- a\n  - b\n    - c\n      - d\n'.repeat(125)}\n/status`],
    [
      'a pasted log in a fence',
      `\`\`\`\n${'I1120 _run_ [*4600*] <loss> ~2.9~ `x` | y\n'.repeat(1_400)}\`\`\`\n/status`,
    ],
    ['a pasted log outside a fence', `${'step 4600 train_loss 2.9 learning_rate 3e-3\n'.repeat(1_400)}\n/status`],
  ])('%s', (_name, comment) => {
    expect(comment.length).toBeLessThanOrEqual(COMMENT_CHARACTERS_MAX);
    expect(read(comment).commands.map((c) => c.name)).toContain('status');
  });
});

describe('a comment over the limit', () => {
  // threat T202
  it('has all its slash words ignored as limit, so that its author can be notified', () => {
    const reading = read(`${'> '.repeat(8_000)}/stop\n\n/status and /tmp/x`);
    expect(reading.commands).toEqual([]);
    expect(reading.ignored.map((w) => [w.word, w.reason])).toEqual([
      ['/stop', 'limit'],
      ['/status', 'limit'],
      ['/tmp/x', 'limit'],
    ]);
  });
});
