/** The part of a proposal's text that people decide on, as one text: an approval is bound to it and falls when it changes. */

import type { ListItem, Nodes, Root } from 'mdast';
import { remembered } from '../../domain/remembered.ts';
import { isWithinBounds } from './bounds.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { plainText } from './plain-text.ts';

/**
 * The body without what ferrybot itself changes: its hidden lines, and the state of every top-level box that is no
 * precondition (architecture, D4: an outcome is in no digest). Line endings are LF, since GitHub's editor
 * turns them into CRLF; outer blank lines do not count. A body that is not parsed is its own text.
 */
export function bodyFingerprintText(markdown: string, preconditions: readonly string[]): string {
  return fingerprintOnce({ markdown, preconditions });
}

type Fingerprinted = { readonly markdown: string; readonly preconditions: readonly string[] };

// Each look asks for every version of a run's texts: a text that was read once is not parsed again.
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
  return root.children.flatMap((node) => {
    const range = rangeOf(node);
    return node.type === 'html' && isMarker(node.value) && range !== null ? [{ ...range, instead: '' }] : [];
  });
}

function boxCuts(root: Root, text: string, preconditions: readonly string[]): readonly Cut[] {
  return root.children
    .flatMap((node) => (node.type === 'list' ? node.children : []))
    .filter((item) => typeof item.checked === 'boolean' && !preconditions.includes(labelOf(item)))
    .flatMap((item) => {
      const range = rangeOf(item);
      const at = range === null ? -1 : text.slice(range.start, range.end).search(/\[[ xX]\]/);
      return range === null || at < 0
        ? []
        : [{ start: range.start + at, end: range.start + at + '[ ]'.length, instead: '[ ]' }];
    });
}

function labelOf(item: ListItem): string {
  return item.children[0] === undefined ? '' : plainText(item.children[0]);
}

function rangeOf(node: Nodes): { readonly start: number; readonly end: number } | null {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  return start === undefined || end === undefined ? null : { start, end };
}

/** Whether a piece of HTML is one hidden line of ferrybot and nothing else. */
export function isMarker(html: string): boolean {
  return /^\s*<!-- ferrybot:[^\n]*? -->\s*$/.test(html) && html.indexOf('-->') === html.lastIndexOf('-->');
}
