/** What a reader sees of a piece of Markdown, as one line of text. */

import type { Nodes } from 'mdast';

/** Text and inline code; without struck text, HTML, images and footnotes, which say nothing or the opposite. */
export function plainText(node: Nodes): string {
  return textOf(node)
    .replace(/[ \t\r\n\f]+/g, ' ')
    .trim();
}

/** The same, line by line as it was written. */
export function plainLines(node: Nodes): readonly string[] {
  return textOf(node)
    .split('\n')
    .map((line) => line.replace(/[ \t\r\n\f]+/g, ' ').trim())
    .filter((line) => line !== '');
}

function textOf(node: Nodes): string {
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
    // Blocks end where they end: the words of two list items are no one word.
    case 'list':
    case 'listItem':
    case 'table':
    case 'tableRow':
      return node.children.map(textOf).join('\n');
    default:
      return 'children' in node ? node.children.map(textOf).join('') : '';
  }
}
