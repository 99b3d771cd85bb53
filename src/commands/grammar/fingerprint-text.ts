/** The part of a proposal's text that approvals are bound to. */

import type { ListItem, Root } from 'mdast';
import { remembered } from '../../domain/remembered.ts';
import { isWithinBounds } from './bounds.ts';
import { parseMarkdown, rangeOf } from './parse-markdown.ts';
import { plainText } from './plain-text.ts';

/**
 * The text that an approval is bound to: the body without ferrybot's hidden lines and without the state of top-level boxes that are no
 * preconditions (architecture, D4). Normalizes line endings, because GitHub's editor uses CRLF. A body that is too expensive to parse is
 * used unchanged.
 */
export function bodyFingerprintText(markdown: string, preconditions: readonly string[]): string {
  return fingerprintOnce({ markdown, preconditions });
}

type Fingerprinted = { readonly markdown: string; readonly preconditions: readonly string[] };

// Every reconciliation asks for all versions of a run's texts.
const fingerprintOnce = remembered(readFingerprint, ({ markdown, preconditions }) =>
  JSON.stringify([markdown, preconditions]),
);

function readFingerprint({ markdown, preconditions }: Fingerprinted): string {
  const text = markdown.replace(/\r\n?/g, '\n');
  if (!isWithinBounds(text)) return text.trim();
  const root = parseMarkdown(text);
  const cuts = [...markerCuts(root), ...boxCuts(root, text, preconditions)].toSorted(
    (a, b) => a.start - b.start,
  );
  let result = '';
  let from = 0;
  for (const cut of cuts) {
    result += text.slice(from, cut.start) + cut.instead;
    from = Math.max(from, cut.end);
  }
  return (result + text.slice(from)).trim();
}

type Cut = { readonly start: number; readonly end: number; readonly instead: string };

function markerCuts(root: Root): readonly Cut[] {
  return root.children.flatMap((node) =>
    node.type === 'html' && isMarker(node.value) ? [{ ...rangeOf(node), instead: '' }] : [],
  );
}

function boxCuts(root: Root, text: string, preconditions: readonly string[]): readonly Cut[] {
  return root.children
    .flatMap((node) => (node.type === 'list' ? node.children : []))
    .filter((item) => typeof item.checked === 'boolean' && !preconditions.includes(labelOf(item)))
    .flatMap((item) => {
      const { start, end } = rangeOf(item);
      const at = text.slice(start, end).search(/\[[ xX]\]/);
      return at < 0 ? [] : [{ start: start + at, end: start + at + '[ ]'.length, instead: '[ ]' }];
    });
}

function labelOf(item: ListItem): string {
  return item.children[0] === undefined ? '' : plainText(item.children[0]);
}

/** Whether the HTML is exactly one hidden ferrybot line. */
function isMarker(html: string): boolean {
  return /^\s*<!-- ferrybot:[^\n]*? -->\s*$/.test(html) && html.indexOf('-->') === html.lastIndexOf('-->');
}
