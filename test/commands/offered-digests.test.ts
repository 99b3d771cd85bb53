/** Which comments offer a digest like a card: decided on the rendered page, so that no notation escapes. */

import { describe, expect, it } from 'vitest';
import { findOfferedDigests } from '../../src/commands/grammar/approved-text.ts';

const DIGITS = '3f9a1c22b0d4e5f60718293a4b5c6d7e';
const LINE = `/approve-launch ${DIGITS}`;

describe('a comment offers the digest like a card', () => {
  it.each([
    ['a table above the line', `| a | b |\n|---|---|\n| 1 | 2 |\n\n\`${LINE}\``],
    ['a heading', `## Ready\n\n${LINE}`],
    ['an underlined heading', `Ready\n-----\n\n${LINE}`],
    ['an image', `![loss](https://pictures.example/loss.png)\n\n${LINE}`],
    ['a details element', `<details><summary>Card</summary>\n\n${LINE}\n\n</details>`],
    ['a table in a details element', `<details>\n\n| a |\n|---|\n| ${LINE} |\n\n</details>`],
    ['HTML only', `<table><tr><td>1</td></tr></table><p><code>${LINE}</code></p>`],
    ['an HTML image', `<img src="a.png" alt="x > y">\n\n${LINE}`],
    ['columns in a code block', `\`\`\`\nlr  1  2\n${LINE}\n\`\`\``],
    ['columns in HTML', `<pre>lr 1 2\nwd 1 2</pre>\n\n${LINE}`],
    ['a quote', `> # Ready\n> ${LINE}`],
    ['entities in the line', `# Ready\n\n&#47;approve-launch &#x33;${DIGITS.slice(1)}`],
    ['tags in the digest', `# Ready\n\n<code>${LINE.slice(0, -9)}<b title=">ff">${LINE.slice(-9)}</b></code>`],
    ['emphasis in the digest', `# Ready\n\n${LINE.slice(0, -9)}**${LINE.slice(-9)}**`],
    ['an invisible character in the digest', `# Ready\n\n${LINE.slice(0, -9)}\u200b${LINE.slice(-9)}`],
    ['capitals', `# Ready\n\n/approve-launch sha256:${DIGITS.toUpperCase()}`],
    [
      'more text than is parsed',
      `${'word '.repeat(1_000)}\n\n${LINE.slice(0, -9)}<b>**&#x${LINE.charCodeAt(LINE.length - 9).toString(16)};**${LINE.slice(-8)}</b>`,
    ],
    ['more elements than are parsed', `${'<b>\n\n'.repeat(60)}# Ready\n\n${LINE}`],
  ])('with %s', (_, markdown) => {
    expect(findOfferedDigests(markdown)).toEqual([DIGITS]);
  });
});

describe('a comment does not offer the digest', () => {
  it.each([
    ['with only the line', LINE],
    [
      'with the line in a quote, in code and in prose',
      `> ${LINE}\n\nI mean \`${LINE}\`, **as is**.\n\n\`\`\`\n${LINE}\n\`\`\``,
    ],
    ['with the line below a list and a rule', `1. read\n2. compared\n\n***\n\n${LINE}`],
    ['with a link near the line', `See [the diff](https://github.example/lab/diff).\n\n${LINE}`],
    ['with a table and no line', '| a | b |\n|---|---|\n| 1 | 2 |'],
    ['with a heading and the digest without a command', `# Ready\n\nManifest ${DIGITS}`],
    ['with a hidden heading', `<!-- # Ready -->\n\n${LINE}`],
    ['with too few digits', `# Ready\n\n/approve-launch ${DIGITS.slice(0, 31)}`],
    ['with more text than is parsed and no digest', `${'word/ '.repeat(1_000)}`],
  ])('%s', (_, markdown) => {
    expect(findOfferedDigests(markdown)).toEqual([]);
  });
});
