/** Task lists: adds GitHub's classes to the items, and a screen reader label to each box. */
import type { Element, Root } from 'hast';
import { visit } from 'unist-util-visit';

/** micromark writes `<li><input …> text`; GitHub's style sheet and ours need the class `task-list-item`. */
export function labelTasks(tree: Root): void {
  visit(tree, 'element', (node) => {
    if (node.tagName !== 'li') return;
    const box = findCheckbox(node);
    if (box === null) return;
    node.properties['className'] = ['task-list-item'];
    box.properties['ariaLabel'] = elementText(node).trim() || 'task';
  });
}

/** The box is the first child of the item, or of its first paragraph in a loose list. */
function findCheckbox(item: Element): Element | null {
  const first = item.children.find((child) => child.type === 'element');
  if (first === undefined) return null;
  if (first.tagName === 'input') return first;
  return first.tagName === 'p' ? findCheckbox(first) : null;
}

function elementText(element: Element): string {
  let text = '';
  visit(element, 'text', (node) => {
    text += node.value;
  });
  return text.split('\n')[0]?.slice(0, 120) ?? '';
}
