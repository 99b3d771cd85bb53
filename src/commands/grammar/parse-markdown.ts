/** Markdown as GitHub reads it, as a tree, with the places where the source is not what the reader sees. */

import type { Root } from 'mdast';
import { type Extension, fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** An entity in the source: where it ends, and how many UTF-16 units of text it stands for. */
type Reference = { readonly end: number; readonly length: number };

export type ParsedMarkdown = {
  readonly root: Root;
  /** Offsets of the backslashes that are escapes. */
  readonly escapes: ReadonlySet<number>;
  /** Entities by the offset of their `&`. */
  readonly references: ReadonlyMap<number, Reference>;
};

const MARKDOWN = gfm();
// The transform finds addresses that only stand out in the finished text, and makes nodes without a position for
// them. No slash word stands in one, since none starts right behind a letter, so we do without.
const TREE: readonly Extension[] = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

/** Parses a comment. The caller bounds its size and shape first (`bounds.ts`). */
export function parseMarkdown(source: string): ParsedMarkdown {
  const escapes = new Set<number>();
  const references = new Map<number, Reference>();
  const root = fromMarkdown(source, {
    extensions: [MARKDOWN],
    mdastExtensions: [...TREE, recorder(escapes, references)],
  });
  return { root, escapes, references };
}

// The marker tokens have no handler of their own in the library, so these replace none. An entity has two markers,
// its `&` and its `;`; between the two the library appends what it stands for to the text on top of its stack.
function recorder(escapes: Set<number>, references: Map<number, Reference>): Extension {
  let open: { readonly start: number; readonly lengthBefore: number } | null = null;
  return {
    enter: {
      escapeMarker(token) {
        escapes.add(token.start.offset);
      },
    },
    exit: {
      characterReferenceMarker(token) {
        const length = textLength(this.stack.at(-1));
        if (open === null) open = { start: token.start.offset, lengthBefore: length };
        else {
          references.set(open.start, { end: token.end.offset, length: length - open.lengthBefore });
          open = null;
        }
      },
    },
  };
}

function textLength(node: unknown): number {
  if (typeof node !== 'object' || node === null || !('value' in node)) return 0;
  return typeof node.value === 'string' ? node.value.length : 0;
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
