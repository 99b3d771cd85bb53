/** Plain text inside rendered Markdown: `#12`, `@ada` and line breaks, as in a GitHub comment. */
import type { Element, ElementContent, Parents, Root, Text } from 'hast';
import { SKIP, visitParents } from 'unist-util-visit-parents';
import type { MarkdownHome } from './markdown-home.ts';

/** `#12` after a space or bracket; `@login` with GitHub's login rules; a line break. */
const reference = /(^|[\s(])(#\d{1,9}|@[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?)(?![\w/])|(\n)/gi;

/** Rewrites text nodes outside code and links, in place. */
export function linkReferences(tree: Root, home: MarkdownHome, { breaks }: { readonly breaks: boolean }): void {
  visitParents(tree, 'text', (node, ancestors) => {
    const parent = ancestors.at(-1);
    if (parent === undefined || ancestors.some(isVerbatim)) return undefined;
    const pieces = splitText(node, home, breaks && isProse(parent));
    if (pieces.length === 1) return undefined;
    const index = parent.children.indexOf(node);
    parent.children.splice(index, 1, ...pieces);
    return [SKIP, index + pieces.length];
  });
}

function isVerbatim(ancestor: Parents): boolean {
  return ancestor.type === 'element' && ['a', 'code', 'pre', 'kbd', 'samp'].includes(ancestor.tagName);
}

/** A line break between blocks is only layout; in prose the author wrote it. */
function isProse(parent: Parents): boolean {
  return parent.type === 'element' && ['p', 'em', 'strong', 'del', 'li', 'td', 'sub', 'sup'].includes(parent.tagName);
}

function splitText(node: Text, home: MarkdownHome, breaks: boolean): ElementContent[] {
  const pieces: ElementContent[] = [];
  let from = 0;
  for (const match of node.value.matchAll(reference)) {
    const [whole, before = '', target, lineBreak] = match;
    if (lineBreak !== undefined && !breaks) continue;
    const text = node.value.slice(from, match.index) + before;
    if (text !== '') pieces.push({ type: 'text', value: text });
    pieces.push(lineBreak !== undefined ? buildElement('br', {}, []) : buildLink(target ?? '', home));
    from = match.index + whole.length;
  }
  const rest = node.value.slice(from);
  if (rest !== '' || pieces.length === 0) pieces.push({ type: 'text', value: rest });
  return pieces;
}

function buildLink(target: string, home: MarkdownHome): Element {
  const text: ElementContent = { type: 'text', value: target };
  if (target.startsWith('@')) return buildElement('span', { className: ['mention'] }, [text]);
  return buildElement('a', { href: `${home.repoPath}/issues/${target.slice(1)}` }, [text]);
}

function buildElement(tagName: string, properties: Element['properties'], children: ElementContent[]): Element {
  return { type: 'element', tagName, properties, children };
}
