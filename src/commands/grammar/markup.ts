/** The markup that a comment is rendered to: its elements and the author's own HTML, with a placeholder for each text. */

import type { List, Nodes, PhrasingContent, Root, RootContent } from 'mdast';
import type { IgnoreReason } from './reading.ts';

/** An element that Markdown makes. What is found in it behind its end was never meant to be: its end tag ended something else. */
export type Rendered = { readonly reason: IgnoreReason | null; readonly end: number };

/** A node whose place on the page is asked for. */
export type Piece = {
  readonly node: Nodes;
  readonly offset: number;
  /** It is a text, which can leave its place, or a note that stays where it was written. */
  readonly kind: 'text' | 'note';
  readonly isInline: boolean;
};

export type Markup = {
  readonly html: string;
  readonly pieces: readonly Piece[];
  /** Markdown's elements by the offset of their start tag. */
  readonly rendered: ReadonlyMap<number, Rendered>;
};

// A text becomes one character from here on, so that none of its own can end or begin anything. Who writes the same
// character into their HTML only makes the text be found twice, which is as good as hidden.
const FIRST_PLACEHOLDER = 0xf0000;
const LAST_PLACEHOLDER = 0x10fffd;

/** The number of the piece that a character stands for, or null. */
export function pieceOf(character: string): number | null {
  const code = character.codePointAt(0) ?? 0;
  return code < FIRST_PLACEHOLDER ? null : code - FIRST_PLACEHOLDER;
}

type Draft = {
  readonly parts: string[];
  length: number;
  readonly pieces: Piece[];
  readonly rendered: Map<number, Rendered>;
};

/**
 * Writes the comment as cmark does, as far as a browser's tree depends on it: no text, and of attributes only their
 * quotes. Footnotes come last, as on GitHub.
 */
export function markupOf(root: Root): Markup {
  const draft: Draft = { parts: [], length: 0, pieces: [], rendered: new Map() };
  const notes: RootContent[] = [];
  for (const block of root.children)
    if (block.type === 'footnoteDefinition') notes.push(block);
    else writeBlock(block, draft);
  for (const note of notes) writeBlock(note, draft);
  return { html: draft.parts.join(''), pieces: draft.pieces, rendered: draft.rendered };
}

function write(part: string, draft: Draft): void {
  draft.parts.push(part);
  draft.length += part.length;
}

function element(tag: string, reason: IgnoreReason | null, draft: Draft, content: () => void): void {
  const start = draft.length;
  write(`<${tag}>`, draft);
  content();
  draft.rendered.set(start, { reason, end: draft.length });
  write(`</${tag.split(' ', 1)[0]}>`, draft);
}

/** A comment changes nothing of the tree around it, and is found in it. */
function note(node: Nodes, isInline: boolean, draft: Draft): void {
  const index = draft.pieces.push({ node, offset: draft.length, kind: 'note', isInline }) - 1;
  write(`<!--${index}-->`, draft);
}

function text(node: Nodes, draft: Draft): void {
  const index = draft.pieces.push({ node, offset: draft.length, kind: 'text', isInline: true }) - 1;
  write(String.fromCodePoint(Math.min(FIRST_PLACEHOLDER + index, LAST_PLACEHOLDER)), draft);
}

function writeBlock(block: RootContent, draft: Draft): void {
  switch (block.type) {
    case 'paragraph':
      element('p', null, draft, () => writeInline(block.children, draft));
      break;
    case 'heading':
      element(`h${block.depth}`, 'heading', draft, () => writeInline(block.children, draft));
      break;
    case 'blockquote':
      element('blockquote', 'quote', draft, () => writeBlocks(block.children, draft));
      break;
    case 'list':
      writeList(block, draft);
      break;
    case 'footnoteDefinition':
      element('section', 'footnote', draft, () => writeBlocks(block.children, draft));
      break;
    case 'table':
      element('table', 'table', draft, () => {
        for (const row of block.children)
          element('tr', null, draft, () => {
            for (const cell of row.children)
              element('td', null, draft, () => writeInline(cell.children, draft));
          });
      });
      break;
    case 'thematicBreak':
      write('<hr>', draft);
      break;
    case 'html':
      note(block, false, draft);
      write(block.value.replace(/\r\n?/g, '\n'), draft);
      break;
    case 'code':
      note(block, false, draft);
      write('<pre></pre>', draft);
      break;
    default:
      note(block, false, draft);
  }
  write('\n', draft);
}

function writeBlocks(blocks: readonly RootContent[], draft: Draft): void {
  for (const block of blocks) writeBlock(block, draft);
}

/** The texts of a tight list stand in its items, those of a loose one in paragraphs. */
function writeList(list: List, draft: Draft): void {
  const isLoose = list.spread === true || list.children.some((item) => item.spread === true);
  element(list.ordered === true ? 'ol' : 'ul', null, draft, () => {
    for (const item of list.children)
      element('li', 'list', draft, () => {
        for (const block of item.children)
          if (block.type === 'paragraph' && !isLoose) writeInline(block.children, draft);
          else writeBlock(block, draft);
      });
  });
}

function writeInline(nodes: readonly PhrasingContent[], draft: Draft): void {
  for (const node of nodes) writeNode(node, draft);
}

function writeNode(node: PhrasingContent, draft: Draft): void {
  switch (node.type) {
    case 'text':
      // Blanks alone never leave their place, and between the parts of a table they are none of its texts.
      if (/^[ \t\r\n]*$/.test(node.value)) note(node, true, draft);
      else text(node, draft);
      break;
    case 'inlineCode':
      element('code', 'code', draft, () => text(node, draft));
      break;
    case 'break':
      note(node, true, draft);
      write('<br>', draft);
      break;
    case 'html':
      note(node, true, draft);
      write(node.value.replace(/\r\n?/g, '\n'), draft);
      break;
    case 'image':
    case 'imageReference':
      note(node, true, draft);
      write('<img src="" alt="">', draft);
      break;
    case 'footnoteReference':
      element('sup', 'footnote', draft, () => element('a href=""', null, draft, () => text(node, draft)));
      break;
    case 'link':
    case 'linkReference':
      note(node, true, draft);
      element('a href=""', 'link', draft, () => writeInline(node.children, draft));
      break;
    case 'delete':
      element('del', 'strikethrough', draft, () => writeInline(node.children, draft));
      break;
    case 'emphasis':
      element('em', 'emphasis', draft, () => writeInline(node.children, draft));
      break;
    default:
      element('strong', 'emphasis', draft, () => writeInline(node.children, draft));
  }
}
