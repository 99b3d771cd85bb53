/** Visible text of Markdown nodes. */

import type { Nodes } from 'mdast';

/** Visible text as one line: without struck text, HTML, images and footnotes. */
export function plainText(node: Nodes): string {
  return textOf(node)
    .replace(/[ \t\r\n\f]+/g, ' ')
    .trim();
}

/** Visible text by source line. */
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
    // Separate blocks must not join their words.
    case 'list':
    case 'listItem':
    case 'table':
    case 'tableRow':
      return node.children.map(textOf).join('\n');
    default:
      return 'children' in node ? node.children.map(textOf).join('') : '';
  }
}
