/** Whether a comment may be parsed at all: Markdown's grammar lets a few thousand characters cost minutes. */

import type { Nodes } from 'mdast';
import { limits } from '../../domain/limits.ts';
import { parseBlocks } from './parse-markdown.ts';

/** How much of each shape is parsed: `limits.commentOfTrusted` or `limits.commentOfStranger`. */
export type Bounds = { readonly [shape in keyof typeof limits.commentOfTrusted]: number };

/**
 * True if parsing the comment costs a fraction of a second at most. Each bound stands for a shape whose cost was
 * measured with micromark 4: `> ` nested 8,000 deep overflows the stack, `a\n=\n` on 65,536 characters takes 40 s, a
 * quote with 32,000 lazy lines 20 s, `*a ` 4,000 times open 5 s, `<!--a ` and `[a][b ` unclosed 4,000 times 1 to 2 s.
 */
export function isWithinBounds(body: string, bounds: Bounds = limits.commentOfTrusted): boolean {
  if (body.length > bounds.characters || !blocksAreWithinBounds(body, bounds)) return false;
  // What stands between blank lines is never less than a paragraph. Where that is too much, the tree of the blocks
  // knows better: a list or table is many paragraphs, and in a code block signs cost nothing.
  const signs = signsIn(body.split(BLANK_LINES));
  if (areWithinBounds(signs, bounds)) return true;
  const signsBesideCode = bounds.signs + SIGNS_OF_CONTAINER_MAX * bounds.containers;
  if (!MAY_HOLD_CODE.test(body) && signs.all > signsBesideCode) return false;
  return areWithinBounds(signsIn(paragraphsOf(body)), bounds);
}

// Without one of these there is neither a code block nor HTML: then only the signs of lists and notes stand outside of texts.
const MAY_HOLD_CODE = /```|~~~|<| {4}|\t/;
const SIGNS_OF_CONTAINER_MAX = 3;

// Quote signs, bullets, numbers and footnote labels at the start of a line, as many as there are.
const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\[\^[^\]\s]{1,999}\]:))+/;
const CONTAINER = />|[-+*](?=[ \t]|$)|\d[.)]|\]:/g;
const UNDERLINE = /^[> \t]*(?:=+|-+)[ \t]*$/;
const LINE_END = /\r\n|\n|\r/;

function blocksAreWithinBounds(body: string, bounds: Bounds): boolean {
  const lines = body.split(LINE_END);
  if (lines.length > bounds.lines) return false;
  let markers = 0;
  let underlines = 0;
  const indents: number[] = [];
  for (const line of lines) {
    const signs = CONTAINERS.exec(line)?.[0] ?? '';
    const depth = signs.match(CONTAINER)?.length ?? 0;
    const outer = outerItems(signs, indents);
    if (depth + outer > bounds.depth) return false;
    markers += depth + outer;
    if (UNDERLINE.test(line)) underlines += 1;
  }
  return (
    markers <= bounds.containers && underlines <= bounds.underlines && countOf(body, /\|/g) <= bounds.cells
  );
}

const QUOTE_SIGNS = /^(?:[ \t]*>)*/;

/**
 * How many items of earlier lines an item of this line may stand in: those that are indented less. `indents` are those of
 * the open items. A staircase of 250 items has one sign a line, and takes two seconds.
 */
function outerItems(signs: string, indents: number[]): number {
  const inside = signs.replace(QUOTE_SIGNS, '');
  if (inside === '') return 0;
  const indent = /^[ \t]*/.exec(inside)?.[0].replaceAll('\t', '    ').length ?? 0;
  while ((indents.at(-1) ?? -1) >= indent) indents.pop();
  indents.push(indent);
  return indents.length - 1;
}

// An underscore inside a word starts no emphasis, and logs are full of them.
const ATTENTION = /[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const BRACKETS = /[[\]<]/g;
const OTHERS = /[`\\&@]/g;
const BLANK_LINES = /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)/;

/** Emphasis is matched pair by pair, brackets and tags by looking ahead to the end of their paragraph. */
type Signs = { readonly all: number; readonly pairs: number; readonly looked: number };

function signsIn(paragraphs: readonly string[]): Signs {
  let all = 0;
  let pairs = 0;
  let looked = 0;
  for (const paragraph of paragraphs) {
    const attention = countOf(paragraph, ATTENTION);
    const brackets = countOf(paragraph, BRACKETS);
    all += attention + brackets + countOf(paragraph, OTHERS);
    pairs += attention * attention;
    looked += brackets * paragraph.length;
  }
  return { all, pairs, looked };
}

function areWithinBounds({ all, pairs, looked }: Signs, bounds: Bounds): boolean {
  return all <= bounds.signs && pairs <= bounds.signPairs && looked <= bounds.lookahead;
}

/** The source of each text that the parser takes as one: paragraphs, headings, cells, definitions. */
function paragraphsOf(body: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === 'code' || node.type === 'html') return;
    if ('children' in node && !TEXTS.has(node.type)) for (const child of node.children) visit(child);
    else texts.push(body.slice(node.position?.start.offset, node.position?.end.offset));
  };
  visit(parseBlocks(body));
  return texts;
}

const TEXTS = new Set(['paragraph', 'heading', 'tableCell']);

function countOf(text: string, sign: RegExp): number {
  let count = 0;
  sign.lastIndex = 0;
  while (sign.test(text)) count += 1;
  return count;
}
