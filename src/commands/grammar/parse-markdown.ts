/** Markdown as GitHub reads it, as a tree. */

import type { Nodes, Root } from 'mdast';
import { type Extension, fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const MARKDOWN = gfm();
// The transform finds addresses that only stand out in the finished text, and makes nodes without a position for
// them. No slash word stands in one, since none starts right behind a letter, so we do without.
const TREE: readonly Extension[] = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

/** Parses a comment. The caller checks first that it is cheap enough (`bounds.ts`). */
export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, { extensions: [MARKDOWN], mdastExtensions: [...TREE] });
}

// Inline constructs by micromark's names for them; without them only the blocks are found.
const INLINE = [
  ...['attention', 'autolink', 'codeText', 'htmlText', 'labelEnd', 'labelStartImage', 'labelStartLink'],
  ...['characterEscape', 'characterReference', 'hardBreakEscape', 'strikethrough'],
  ...['wwwAutolink', 'protocolAutolink', 'emailAutolink', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall'],
];

/** The blocks of a comment only: what stands inside paragraphs, cells and headings stays one text, which is cheap. */
export function parseBlocks(source: string): Root {
  return fromMarkdown(source, {
    extensions: [MARKDOWN, { disable: { null: INLINE } }],
    mdastExtensions: [...TREE],
  });
}

/** Start and end of a node in the source. The parser gives every node that we read its place. */
export function rangeOf(node: Nodes): { readonly start: number; readonly end: number } {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) throw new Error(`a ${node.type} without its place`);
  return { start, end };
}

/** Every node below this one, and itself. */
export function* nodesIn(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* nodesIn(child);
}
