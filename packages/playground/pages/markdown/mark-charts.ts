/** Converts Mermaid code blocks to figures that the client script draws; without a script the source stays readable. */
import type { Element, Root } from 'hast';
import { visit } from 'unist-util-visit';

/** ```` ```mermaid ```` → `<figure class="chart"><pre class="chart-source">…`, in place. */
export function markCharts(tree: Root): void {
  visit(tree, 'element', (node, index, parent) => {
    if (node.tagName !== 'pre' || index === undefined || parent === undefined) return;
    const code = node.children[0];
    if (code?.type !== 'element' || !hasClass(code, 'language-mermaid')) return;
    parent.children[index] = {
      type: 'element',
      tagName: 'figure',
      properties: { className: ['chart'], dataChart: '' },
      children: [
        { type: 'element', tagName: 'pre', properties: { className: ['chart-source'] }, children: code.children },
      ],
    };
  });
}

function hasClass(element: Element, name: string): boolean {
  const classes = element.properties['className'];
  return Array.isArray(classes) && classes.includes(name);
}
