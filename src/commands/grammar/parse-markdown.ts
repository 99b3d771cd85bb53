/** Parses GitHub Flavored Markdown into a syntax tree. */

import type { Nodes, Root } from 'mdast';
import { type Extension, fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const MARKDOWN = gfm();
// The transforms add nodes without a position for bare e-mail addresses. No slash word occurs in one.
const TREE: readonly Extension[] = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

/** Check the cost first (`bounds.ts`). */
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
export function parseBlocks(source: string): Root {
  return fromMarkdown(source, {
    extensions: [MARKDOWN, { disable: { null: INLINE } }],
    mdastExtensions: [...TREE],
  });
}

/** Offsets in the source; every node that we read has a position. */
export function rangeOf(node: Nodes): { readonly start: number; readonly end: number } {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) throw new Error(`a ${node.type} without its place`);
  return { start, end };
}

/** The node and all its descendants. */
export function* nodesIn(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* nodesIn(child);
}
