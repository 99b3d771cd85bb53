// Renders Markdown as GitHub's parser family does: micromark with the GFM extensions, then a real HTML
// parser.

import type { Element, Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** The rendered Markdown. HTML in it is kept, which is stricter than GitHub. */
export function renderToTree(markdown: string): Nodes {
  const html = micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  return fromHtml(html, { fragment: true });
}

/** Every element under a node, in document order. */
export function listElements(node: Nodes): readonly Element[] {
  const own = node.type === 'element' ? [node] : [];
  return 'children' in node ? [...own, ...node.children.flatMap(listElements)] : own;
}

/** The visible text, without the zero-width breaks. */
export function treeText(node: Nodes): string {
  if (node.type === 'text') return node.value.replaceAll('\u200b', '');
  return 'children' in node ? node.children.map(treeText).join('') : '';
}

/** The text including the breaks and without code, which GitHub scans for mentions and references. */
export function scannedText(node: Nodes): string {
  if (node.type === 'element' && (node.tagName === 'code' || node.tagName === 'pre')) return ' ';
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(scannedText).join('') : '';
}
