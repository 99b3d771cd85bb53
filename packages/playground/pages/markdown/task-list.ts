/** Task lists: GitHub's classes on the items, and a name for each box that a screen reader can say. */
import type { Element, Root } from 'hast';
import { visit } from 'unist-util-visit';

/** micromark writes `<li><input …> text`; GitHub's style sheet and ours know the item by `task-list-item`. */
export function labelTasks(tree: Root): void {
  visit(tree, 'element', (node) => {
    if (node.tagName !== 'li') return;
    const box = boxOf(node);
    if (box === null) return;
    node.properties['className'] = ['task-list-item'];
    box.properties['ariaLabel'] = textOf(node).trim() || 'task';
  });
}

/** The box stands first in the item, or first in its first paragraph when the list is loose. */
function boxOf(item: Element): Element | null {
  const first = item.children.find((child) => child.type === 'element');
  if (first === undefined) return null;
  if (first.tagName === 'input') return first;
  return first.tagName === 'p' ? boxOf(first) : null;
}

function textOf(element: Element): string {
  let text = '';
  visit(element, 'text', (node) => {
    text += node.value;
  });
  return text.split('\n')[0]?.slice(0, 120) ?? '';
}
