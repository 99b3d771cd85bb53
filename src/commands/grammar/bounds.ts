/** Whether a comment may be parsed at all: Markdown's grammar lets a few thousand characters cost minutes. */

import type { Nodes } from 'mdast';
import { parseBlocks } from './parse-markdown.ts';

/** What is parsed of somebody who may do something here, or whose own body it is. */
export const COMMENT_OF_TRUSTED = {
  characters: 65_536,
  /** Markdown's blocks cost the square of the lines at worst: 5,000 lines of one paragraph take 0.25 s. */
  lines: 5_000,
  /** Quotes and lists in each other: nobody reads the tenth, and the parser recurses. */
  depth: 24,
  /** Quote signs and bullets of a whole comment: 3,000 take 0.2 s. */
  containers: 3_000,
  /** Lines of dashes or equals signs: each makes the parser walk back through the comment; 250 take 0.3 s. */
  underlines: 250,
  /** Bars, each of which may end a cell of a table: 8,000 take 0.2 s. */
  cells: 8_000,
  /** Signs of emphasis, links, tags, code and escapes outside code blocks: 8,000 take 0.3 s. */
  signs: 8_000,
  /** Sum of the squares of the emphasis signs of each paragraph: 1,000 open ones in one paragraph take 0.2 s. */
  signPairs: 1_000_000,
  /** Sum of brackets times length of each paragraph: each may be looked ahead from; 15 million take 0.2 s. */
  lookahead: 15_000_000,
  /** Elements of its page, formatting that is carried on among them: 65,536 characters hold 16,384 `<br>`; these take 0.1 s. */
  elements: 20_000,
} as const;
/**
 * What is parsed of anybody: pages of prose, and of every shape above so much that a comment costs a few milliseconds. A
 * thread may hold thousands of them, and whoever looks reads it whole.
 */
export const COMMENT_OF_STRANGER = {
  characters: 4_096,
  lines: 200,
  depth: 8,
  containers: 150,
  underlines: 20,
  cells: 300,
  signs: 400,
  signPairs: 20_000,
  lookahead: 400_000,
  elements: 2_000,
} as const;

/** How much of each shape is parsed: `COMMENT_OF_TRUSTED` or `COMMENT_OF_STRANGER`. */
export type Bounds = { readonly [shape in keyof typeof COMMENT_OF_TRUSTED]: number };

/**
 * True if parsing the comment costs a fraction of a second at most. Each bound stands for a shape whose cost was
 * measured with micromark 4: `> ` nested 8,000 deep overflows the stack, `a\n=\n` on 65,536 characters takes 40 s, a
 * quote with 32,000 lazy lines 20 s, `*a ` 4,000 times open 5 s, `<!--a ` and `[a][b ` unclosed 4,000 times 1 to 2 s.
 */
export function isWithinBounds(body: string, bounds: Bounds = COMMENT_OF_TRUSTED): boolean {
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
