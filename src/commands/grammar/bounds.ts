/** Whether a comment may be parsed at all: Markdown's grammar lets a few thousand characters cost minutes. */

import type { Nodes } from 'mdast';
import { parseBlocks } from './parse-markdown.ts';

/** How much is parsed, in characters and by `parseCostMs`. A thread may hold thousands of comments by strangers. */
export const COMMENT_OF_TRUSTED = { characters: 65_536, costMs: 190 } as const;
export const COMMENT_OF_STRANGER = { characters: 4_096, costMs: 5 } as const;

export type Bounds = { readonly characters: number; readonly costMs: number };

// Deeper quotes and lists in each other, and the parser's recursion overflows the stack some day; nobody reads the tenth.
const DEPTH_MAX = 24;

/** True if parsing the comment costs a fraction of a second at most. */
export function isWithinBounds(body: string, bounds: Bounds = COMMENT_OF_TRUSTED): boolean {
  if (body.length > bounds.characters) return false;
  const blocks = blockCostMs(body);
  if (blocks > bounds.costMs) return false;
  // What stands between blank lines is never less than a paragraph. Where that is too much, the blocks are parsed to find
  // out: a list or table is many paragraphs, and in a code block signs cost nothing.
  return (
    blocks + inlineCostMs(body.split(BLANK_LINES)) <= bounds.costMs ||
    2 * blocks + inlineCostMs(paragraphsOf(body)) <= bounds.costMs
  );
}

const LINE_END = /\r\n|\n|\r/;
const BLANK_LINES = /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)/;
// Quote signs, bullets, numbers and footnote labels at the start of a line, as many as there are.
const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\[\^[^\]\s]{1,999}\]:))+/;
const CONTAINER = />|[-+*](?=[ \t]|$)|\d[.)]|\]:/g;
const UNDERLINE = /^[> \t]*(?:=+|-+)[ \t]*$/;

/** At worst, as measured with micromark 4 for each shape that costs more than its length. */
function blockCostMs(body: string): number {
  const lines = body.split(LINE_END);
  // A paragraph of 5,000 lines takes 0.25 s.
  let cost = lines.length ** 2 / 100_000 + countOf(body, /\|/g) / 40;
  for (const line of lines) {
    const signs = CONTAINERS.exec(line)?.[0] ?? '';
    // An item may stand in one of each lesser indent: a staircase of 250 items has one sign a line and takes two seconds.
    const indent = signs === '' ? 0 : (/^[> \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0);
    const depth = (signs.match(CONTAINER)?.length ?? 0) + indent / 2;
    if (depth > DEPTH_MAX) return Number.POSITIVE_INFINITY;
    cost += depth / 15;
    // The parser walks back through the comment: `a\n=\n` on 65,536 characters takes 40 s.
    if (UNDERLINE.test(line)) cost += 1;
  }
  return cost;
}

// An underscore inside a word starts no emphasis, and logs are full of them.
const ATTENTION = /[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const BRACKETS = /[[\]<]/g;
const OTHERS = /[`\\&@]/g;

/** Emphasis is matched pair by pair, brackets and tags by looking ahead to the end of their paragraph. */
function inlineCostMs(paragraphs: readonly string[]): number {
  return paragraphs.reduce((cost, paragraph) => {
    const attention = countOf(paragraph, ATTENTION);
    const brackets = countOf(paragraph, BRACKETS);
    const signs = attention + brackets + countOf(paragraph, OTHERS);
    return cost + signs / 60 + attention ** 2 / 15_000 + (brackets * paragraph.length) / 200_000;
  }, 0);
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
  return text.match(sign)?.length ?? 0;
}
