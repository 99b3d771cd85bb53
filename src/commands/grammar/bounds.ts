/** Rejects comments that are too expensive to parse: a few thousand characters of Markdown can take minutes. */

import type { Nodes } from 'mdast';
import { parseBlocks } from './parse-markdown.ts';

/** Limits in characters and estimated milliseconds. A thread may hold thousands of comments by outsiders. */
export const COMMENT_OF_TRUSTED = { characters: 65_536, costMs: 190 } as const;
export const COMMENT_OF_STRANGER = { characters: 4_096, costMs: 5 } as const;

export type Bounds = { readonly characters: number; readonly costMs: number };

// Deeper nesting could overflow the parser's stack.
const DEPTH_MAX = 24;

/** True if parsing takes at most a fraction of a second. */
export function isWithinBounds(body: string, bounds: Bounds = COMMENT_OF_TRUSTED): boolean {
  if (body.length > bounds.characters) return false;
  const blocks = blockCostMs(body);
  if (blocks > bounds.costMs) return false;
  // Text between blank lines is at least one paragraph, so this estimate is an upper bound. If it is too high, parse the blocks: lists and
  // tables have many short paragraphs, and code blocks cost nothing.
  return (
    blocks + inlineCostMs(body.split(BLANK_LINES)) <= bounds.costMs ||
    2 * blocks + inlineCostMs(paragraphsOf(body)) <= bounds.costMs
  );
}

const LINE_END = /\r\n|\n|\r/;
const BLANK_LINES = /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)/;
// All quote signs, bullets, numbers and footnote labels at the start of a line.
const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\[\^[^\]\s]{1,999}\]:))+/;
const CONTAINER = />|[-+*](?=[ \t]|$)|\d[.)]|\]:/g;
const UNDERLINE = /^[> \t]*(?:=+|-+)[ \t]*$/;

/** Worst case, measured with micromark 4 for each superlinear construct. */
function blockCostMs(body: string): number {
  const lines = body.split(LINE_END);
  // A paragraph of 5,000 lines takes 0.25 s.
  let cost = lines.length ** 2 / 100_000 + countOf(body, /\|/g) / 40;
  for (const line of lines) {
    const signs = CONTAINERS.exec(line)?.[0] ?? '';
    // Items can nest by indentation: 250 nested items with one sign per line take two seconds.
    const indent = signs === '' ? 0 : (/^[> \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0);
    const depth = (signs.match(CONTAINER)?.length ?? 0) + indent / 2;
    if (depth > DEPTH_MAX) return Number.POSITIVE_INFINITY;
    cost += depth / 15;
    // The parser backtracks: `a\n=\n` repeated over 65,536 characters takes 40 s.
    if (UNDERLINE.test(line)) cost += 1;
  }
  return cost;
}

// An underscore inside a word starts no emphasis and is frequent in logs.
const ATTENTION = /[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const BRACKETS = /[[\]<]/g;
const OTHERS = /[`\\&@]/g;

/** Emphasis is matched pairwise; brackets and tags search to the end of their paragraph. */
function inlineCostMs(paragraphs: readonly string[]): number {
  return paragraphs.reduce((cost, paragraph) => {
    const attention = countOf(paragraph, ATTENTION);
    const brackets = countOf(paragraph, BRACKETS);
    const signs = attention + brackets + countOf(paragraph, OTHERS);
    return cost + signs / 60 + attention ** 2 / 15_000 + (brackets * paragraph.length) / 200_000;
  }, 0);
}

/** The texts that the parser handles as units: paragraphs, headings, cells, definitions. */
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
