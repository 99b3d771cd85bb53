/**
 * Images of other hosts become links, because the page contacts only its own server and a comment must not change that.
 */
import type { Element, Root } from 'hast';
import { visit } from 'unist-util-visit';

/**
 * `![a plot](https://host/p.png)` becomes the link `picture: a plot`, in place; without an address or inside a link
 * only the text stays.
 */
export function replacePictures(tree: Root): void {
  visit(tree, 'element', (node, index, parent) => {
    if (node.tagName !== 'img' || index === undefined || parent === undefined) return;
    const words = `picture: ${String(node.properties['alt'] ?? '') || 'without a description'}`;
    const to = String(node.properties['src'] ?? '');
    const isLinked = parent.type === 'element' && parent.tagName === 'a';
    const text = { type: 'text', value: words } as const;
    const link: Element = { type: 'element', tagName: 'a', properties: { href: to }, children: [text] };
    parent.children[index] = to === '' || isLinked ? text : link;
  });
}
