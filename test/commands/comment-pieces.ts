/** Random comments: pieces of Markdown and HTML around commands, line by line. */

import * as fc from 'fast-check';

// No lone `--` and no `$$`: the renderer does not handle signatures and formulas, but the corpus does.
// biome-ignore format: a word list
const BEFORE = [
  ...Array.from({ length: 40 }, () => ''),
  ' ', '   ', '     ', '\t', '> ', '>', '> > ', '- ', '* ', '+ ', '1. ', '2. ', '12) ', '- [ ] ', '# ',
  '#', '## ', '**', '*', '_', '__', '~~', '~', '`', '``', '[', '![', '<b>', '<kbd>', '<!-- ', '| ',
  'text ', '[^1]: ', '[a]: ', '(', '@bob ', '<img src=x> ', '> - ', '- > ', 'text<br>', '<br>', '<foo>',
  '</foo>', '<u>', '</b>', '</details>', '<!-- a -->', '>\t', '-\t', '> # ', '1)\t', '</em>', '</strong>',
  '</del>', '<em>', '<del>', '*a <em>b*', '~~a <del>b~~',
];
// biome-ignore format: a word list
const AFTER = [
  ...Array.from({ length: 40 }, () => ''),
  '  ', '\\', '**', '*', '_', '~~', '~', '`', '``', '](x)', ']', '</b>', '</kbd>', ' -->', ' |', ' text',
  '.', '!', '[^1]', ' #', ' <br>', ')', '</em>', '</strong>', '</del>', '</em>*', '</del>~~',
];
// biome-ignore format: a word list
const LINES = [
  '', '', '', '', 'text', 'more text', '---', '===', '=', '***', '```', '```js', '~~~', '````',
  '<details>', '</details>', '<div>', '</div>', '<!--', '-->', '<b>', '</b>', '<img src=x>', '<br>',
  '| a |', '|---|', ':-:', '| a | b |', '|---|---|', '[a]: x', '[^1]: note', '> ', '> text', '- ',
  '- text', '1. text', '* a', '    code', '`a', 'b`', '**a', 'b**', '~~a', 'b~~', '[a', 'b](x)', '![a',
  'b](x)', '# title', '\\', '&amp;', 'a <b>', 'b</b> c', 'a <!-- b', 'c --> d', 'text\\', 'text  ',
  '[a](x "b', 'c")', '<https://x.test>', '  - a', '> <details>', '> <b>', '- <details>', '- <b>',
  '# a <div>', '> </details>', 'a <kbd>', 'a <details>', '<p title=a>', 'a <p title=a> b', '## <i>',
  'a <div> <span>', '> <span>', '</i>', '</kbd>', 'a </div> b', '<foo>', '</foo>', '<span>', '</span>',
  '<ul><li>', '</ul>', '<pre>', '</pre>', '<u>', '</u>', '</b>', '<!-- a -->',
  '<details open><summary>a</summary>', '</details></div>', '<blockquote>', '</blockquote>', '>', '> ```',
  '> - a', '> # a', '-', '-   ', '\t', '> > a', '1) a', '   ', '~~~ a', '***a', 'b***', 'a | b', '--|--',
  '| a', '[a][b', ']', '[b]: <x', '  "c"', 'a\\', '_a', 'b_ c', '``', '~a', 'b~', '[^1]', '    - a', '*a',
  'b*', '<em>', '</em>', '<strong>', '</strong>', '<del>', '</del>', 'a <em>', '</strong> b', 'a <del> b',
  '<p title=b>', '</p>', '<li>', '</li>', '<h2>', '</h3>', '</kbd> b', '<kbd> <div>', '<b> <kbd>',
  '</span> a </b>',
];

/** A line of pieces, or a command with text before and after it. */
export type Line =
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
/** Up to fourteen lines, at most ten of them with a command. */
export const comment = fc
  .array(line, { minLength: 1, maxLength: 14 })
  .filter((lines) => lines.filter((l) => 'word' in l).length <= 10);

/** Each command has a unique digest, so that it can be recognized anywhere. */
export function digestOf(index: number): string {
  return index.toString(16).padStart(12, 'a');
}

/** The comment as its author sends it. */
export function written(lines: readonly Line[], lineEnding: string): string {
  return lines
    .map((l, index) => ('text' in l ? l.text : `${l.before}${l.word} ${digestOf(index)}${l.after}`))
    .join(lineEnding);
}
