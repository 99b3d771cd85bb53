import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLine, cleanLines, fenced, inlineCode, inlineText, link, safeUrl } from '../../src/render/words.ts';
import { listElements, renderToTree, scannedText, treeText } from './html-of.ts';

const MAX = 200;
const NASTY = [
  '@alice',
  '@lab/team',
  '#12',
  'lab/models#12',
  'GH-12',
  'fixes #1',
  'closes https://github.com/o/r/issues/1',
  'www.evil.example',
  'a@b.example',
  'mailto:a@b.example',
  'xmpp:a@b.example',
  '<img src=x onerror=alert(1)>',
  '<details>',
  '</details>',
  '<!-- x -->',
  '-->',
  '![x](http://x)',
  '[x](http://x)',
  '[x][y]',
  '[^1]',
  '**x**',
  '_x_',
  '~~x~~',
  '`x`',
  '```',
  '`',
  '\\',
  '\\|',
  '|',
  '$x$',
  ':tada:',
  '&lt;',
  '&#64;alice',
  '&',
  '# x',
  '- x',
  '1. x',
  '> x',
  '- [ ] x',
  '===',
  '---',
  '\n',
  '\r\n',
  '\t',
  '    ',
  '\u001b[31mred\u001b[0m',
  '\u001b]0;title\u0007',
  '\u200b',
  '\u202e',
  '\u2066',
  '\ud800',
  '\udc00',
  '\u0000',
  '\u2028',
  '/stop',
  '🤖',
] as const;
const outside = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 6 }), fc.constant(' ')), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

const sees = (text: string): string => cleanLine(text, MAX) || '(empty)';
// HTML cannot carry these characters unchanged; our own text is one line without them at its ends.
const asHtml = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('outside text in a sentence', () => {
  it('renders as plain text, and creates no element', () => {
    fc.assert(
      fc.property(outside, (text) => {
        const tree = renderToTree(inlineText(text, MAX));
        expect(listElements(tree).map((e) => e.tagName)).toEqual(['p']);
        expect(asHtml(treeText(tree))).toBe(asHtml(sees(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('stays in its table cell', () => {
    fc.assert(
      fc.property(outside, outside, (left, right) => {
        const tree = renderToTree(`| a | b |\n|---|---|\n| ${inlineText(left, MAX)} | ${inlineCode(right, MAX)} |`);
        const cells = listElements(tree).filter((e) => e.tagName === 'td');
        expect(cells.map((cell) => asHtml(treeText(cell)))).toEqual([asHtml(sees(left)), asHtml(sees(right))]);
        const inside = cells.flatMap((cell) => listElements(cell)).map((e) => e.tagName);
        expect(inside.filter((name) => name !== 'td' && name !== 'code')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('creates no mention, reference, closing keyword or emoji', () => {
    fc.assert(
      fc.property(outside, (text) => {
        const scanned = scannedText(renderToTree(inlineText(text, MAX)));
        expect(scanned).not.toMatch(/@[\w-]|#\d|GH-\d|:\/\/|www\.\S|:(?!\d\d:)[\w+-]+:/i);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['learning_rate 3e-3', 'learning\\_rate 3e-3'],
    ['2.5', '2.5'],
    ['1. first', '1\\. first'],
    ['12:30:00 UTC', '12:30:00 UTC'],
    [':100: :+1:', ':&#8203;100: :&#8203;+1:'],
    ['ping @alice about #12', 'ping @&#8203;alice about #&#8203;12'],
    ['_www.evil.example', '\\_www&#8203;.evil.example'],
    ['', '(empty)'],
    ['\u001b[31mred\u001b[0m \u202eevil', 'red evil'],
    ['/stop', '\\/stop'],
  ])('writes %j as %j', (text, markdown) => {
    expect(inlineText(text, MAX)).toBe(markdown);
  });

  it('is cut with an ellipsis, counted in characters', () => {
    expect(inlineText('😀'.repeat(10), 4)).toBe('😀😀😀…');
    expect(inlineText('abcd', 4)).toBe('abcd');
  });
});

describe('outside text as code', () => {
  it('is one code element with the whole text', () => {
    fc.assert(
      fc.property(outside, (text) => {
        const tree = renderToTree(`see ${inlineCode(text, MAX)} there`);
        const names = listElements(tree).map((e) => e.tagName);
        expect(names).toEqual(cleanLine(text, MAX) === '' ? ['p'] : ['p', 'code']);
        expect(asHtml(treeText(tree))).toBe(asHtml(`see ${sees(text)} there`));
      }),
      { numRuns: 500 },
    );
  });

  it('is one block, even if it contains fences', () => {
    fc.assert(
      fc.property(outside, (text) => {
        const tree = renderToTree(`${fenced(text, MAX)}\n\nafter`);
        expect(listElements(tree).map((e) => e.tagName)).toEqual(['pre', 'code', 'p']);
        const [pre] = listElements(tree);
        expect(pre === undefined ? '' : treeText(pre).trimEnd()).toBe(cleanLines(text, MAX).trimEnd());
      }),
      { numRuns: 500 },
    );
  });
});

describe('links', () => {
  it('are one link with its label, or code', () => {
    fc.assert(
      fc.property(outside, fc.oneof(fc.webUrl(), outside), (label, address) => {
        const names = listElements(renderToTree(`x ${link(label, address)} y`)).map((e) => e.tagName);
        const url = safeUrl(address);
        expect(names.filter((name) => name === 'a')).toHaveLength(url === null ? 0 : 1);
        expect(names.filter((name) => name !== 'a' && name !== 'code' && name !== 'p')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['https://user:secret@lab.example/', null],
    ['https://lab.example/a b)c', 'https://lab.example/a%20b%29c'],
    ['https://lab.example/x?a=1&b=2#c', 'https://lab.example/x?a=1&b=2#c'],
    ['not a link', null],
  ])('%s is %s', (address, url) => {
    expect(safeUrl(address)).toBe(url);
  });
});
