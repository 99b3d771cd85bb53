// Markdown as GitHub's parser family renders it, as a tree: micromark with the GFM extensions, then a real HTML parser.

import type { Element, Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** The rendered Markdown; HTML in it is taken as it is, which is stricter than GitHub. */
export function treeOf(markdown: string): Nodes {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  return fromHtml(html, { fragment: true });
}

/** Every element under a node, in document order. */
export function elementsIn(node: Nodes): readonly Element[] {
  const own = node.type === 'element' ? [node] : [];
  return 'children' in node ? [...own, ...node.children.flatMap(elementsIn)] : own;
}

/** What a reader sees, without the zero-width breaks that keep signs apart. */
export function textIn(node: Nodes): string {
  if (node.type === 'text') return node.value.replaceAll('\u200b', '');
  return 'children' in node ? node.children.map(textIn).join('') : '';
}

/** The same with the breaks: what GitHub's search for mentions and references goes over, outside code. */
export function scannedText(node: Nodes): string {
  if (node.type === 'element' && (node.tagName === 'code' || node.tagName === 'pre')) return ' ';
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(scannedText).join('') : '';
}
