/** Parses GitHub Flavored Markdown within cost limits, extracts visible text, and splits command lines into tokens. */

import type { Nodes, Root } from 'mdast';
import { type Extension, fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Fault } from './reading.ts';

const MARKDOWN = gfm();
// The transforms add nodes without a position for bare e-mail addresses. No slash word occurs in one.
const TREE: readonly Extension[] = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

/** Check the cost first with `isWithinBounds`. */
export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, { extensions: [MARKDOWN], mdastExtensions: [...TREE] });
}

// micromark's names of inline constructs; disabling them leaves only blocks.
const INLINE = [
  ...['attention', 'autolink', 'codeText', 'htmlText', 'labelEnd', 'labelStartImage', 'labelStartLink'],
  ...['characterEscape', 'characterReference', 'hardBreakEscape', 'strikethrough'],
  ...['wwwAutolink', 'protocolAutolink', 'emailAutolink', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall'],
];

/** Parses only blocks, which is cheap. */
function parseBlocks(source: string): Root {
  return fromMarkdown(source, { extensions: [MARKDOWN, { disable: { null: INLINE } }], mdastExtensions: [...TREE] });
}

/** Offsets in the source; every node that we read has a position. */
export function sourceRange(node: Nodes): { readonly start: number; readonly end: number } {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) throw new Error(`a ${node.type} without its place`);
  return { start, end };
}

/** The node and all its descendants. */
export function* walkNodes(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* walkNodes(child);
}

/** Visible text as one line: without struck text, HTML, images and footnotes. */
export function plainText(node: Nodes): string {
  return nodeText(node)
    .replace(/[ \t\r\n\f]+/g, ' ')
    .trim();
}

/** Visible text by source line. */
export function plainLines(node: Nodes): readonly string[] {
  return nodeText(node)
    .split('\n')
    .map((line) => line.replace(/[ \t\r\n\f]+/g, ' ').trim())
    .filter((line) => line !== '');
}

function nodeText(node: Nodes): string {
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return node.value;
    case 'break':
      return '\n';
    case 'delete':
    case 'html':
    case 'code':
    case 'blockquote':
    case 'footnoteDefinition':
      return '';
    // Separate blocks must not join their words.
    case 'list':
    case 'listItem':
    case 'table':
    case 'tableRow':
      return node.children.map(nodeText).join('\n');
    default:
      return 'children' in node ? node.children.map(nodeText).join('') : '';
  }
}

/** Limits in characters and estimated milliseconds. A thread may hold thousands of comments by outsiders. */
export const TRUSTED_COMMENT_BOUNDS = { characters: 65_536, costMs: 190 } as const;
export const UNTRUSTED_COMMENT_BOUNDS = { characters: 4_096, costMs: 5 } as const;

export type Bounds = { readonly characters: number; readonly costMs: number };

// Deeper nesting could overflow the parser's stack.
const DEPTH_MAX = 24;

/** True if parsing takes at most a fraction of a second. */
export function isWithinBounds(body: string, bounds: Bounds = TRUSTED_COMMENT_BOUNDS): boolean {
  if (body.length > bounds.characters) return false;
  const blocks = blockCostMs(body);
  if (blocks > bounds.costMs) return false;
  // Text between blank lines is at least one paragraph, so this estimate is an upper bound. If it is too high, parse the blocks: lists and
  // tables have many short paragraphs, and code blocks cost nothing.
  return (
    blocks + inlineCostMs(body.split(BLANK_LINES)) <= bounds.costMs ||
    2 * blocks + inlineCostMs(listParagraphs(body)) <= bounds.costMs
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
  let cost = lines.length ** 2 / 100_000 + countMatches(body, /\|/g) / 40;
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
    const attention = countMatches(paragraph, ATTENTION);
    const brackets = countMatches(paragraph, BRACKETS);
    const signs = attention + brackets + countMatches(paragraph, OTHERS);
    return cost + signs / 60 + attention ** 2 / 15_000 + (brackets * paragraph.length) / 200_000;
  }, 0);
}

/** The texts that the parser handles as units: paragraphs, headings, cells, definitions. */
function listParagraphs(body: string): readonly string[] {
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

function countMatches(text: string, sign: RegExp): number {
  return text.match(sign)?.length ?? 0;
}

/** Indices are in the line and include quotes; `value` has quotes and escapes removed. */
export type Token = {
  readonly start: number;
  readonly end: number;
  /** The text before the equals sign, or null. */
  readonly key: string | null;
  readonly value: string;
  readonly isQuoted: boolean;
};

/** The tokens before the first fault. */
export type Tokens = { readonly tokens: readonly Token[]; readonly fault: Fault | null };

const BLANKS = /[ \t]*/y;
// A key may be a knob's path (src/host/python/read_experiment.py) with quoted text in brackets.
const KEY = /((?:[\p{L}\p{M}\p{N}_.\-()#]|\[(?:"(?:[^"\\]|\\.)*"|[^\]\s"'=\u2018-\u201f\u00ab\u00bb]*)\])+)=/uy;
const BARE = /[^ \t]*/y;
// Typographic double quotes. Single ones are also apostrophes, so they count only at the start.
const CURLY = /[\u201c-\u201f\u2033\u2036\u00ab\u00bb\u301d-\u301f\uff02]/;
const SINGLE_START = /^['\u2018-\u201b\u2039\u203a]/;
const STRANGE_BLANK = /[^\S \t]/;

/**
 * Tokens from index `from`: `key=value` or `value`, separated by blanks or tabs. A value in `"` ends at the next unescaped `"`; only `\"`
 * and `\\` are escapes. Other quotes are rejected, because their end is ambiguous.
 */
export function tokenize(line: string, from: number): Tokens {
  const tokens: Token[] = [];
  let at = skipPattern(BLANKS, line, from);
  while (at < line.length) {
    KEY.lastIndex = at;
    const key = KEY.exec(line)?.[1] ?? null;
    const valueAt = key === null ? at : at + key.length + 1;
    const token =
      line[valueAt] === '"' ? readQuotedToken(line, at, key, valueAt) : readBareToken(line, at, key, valueAt);
    if ('code' in token) return { tokens, fault: token };
    tokens.push(token);
    at = skipPattern(BLANKS, line, token.end);
    if (at === token.end && at < line.length)
      return { tokens, fault: { code: 'glued', start: at, text: line.slice(at, skipPattern(BARE, line, at)) } };
  }
  return { tokens, fault: null };
}

function readQuotedToken(line: string, start: number, key: string | null, quoteAt: number): Token | Fault {
  let value = '';
  for (let at = quoteAt + 1; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (sign === '"') return { start, end: at + 1, key, value, isQuoted: true };
    const next = line[at + 1];
    if (sign === '\\' && (next === '"' || next === '\\')) {
      value += next;
      at += 1;
    } else value += sign;
  }
  const curly = line.slice(quoteAt).search(CURLY);
  return curly < 0
    ? { code: 'unclosed-quote', start: quoteAt, text: line.slice(quoteAt) }
    : { code: 'bad-quote', start: quoteAt + curly, text: line[quoteAt + curly] ?? '' };
}

function readBareToken(line: string, start: number, key: string | null, valueAt: number): Token | Fault {
  const end = skipPattern(BARE, line, valueAt);
  const value = line.slice(valueAt, end);
  const blank = value.search(STRANGE_BLANK);
  if (blank >= 0) return { code: 'glued', start: valueAt + blank, text: value.slice(blank) };
  const quote = SINGLE_START.test(value) ? 0 : value.search(new RegExp(`"|${CURLY.source}`));
  if (quote >= 0) return { code: 'bad-quote', start: valueAt + quote, text: value[quote] ?? '' };
  return { start, end, key, value, isQuoted: false };
}

function skipPattern(pattern: RegExp, line: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(line) ? pattern.lastIndex : from;
}
