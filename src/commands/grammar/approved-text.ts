/** The part of a proposal's text that approvals are bound to, and the digests that a comment offers. */

import type { ListItem, Nodes, Root } from 'mdast';
import { INVISIBLE, memoize } from '../../domain/values.ts';
import { APPROVING } from '../approving.ts';
import {
  isWithinBounds,
  parseMarkdown,
  plainText,
  sourceRange,
  UNTRUSTED_COMMENT_BOUNDS,
  walkNodes,
} from './markdown.ts';

/**
 * The text that an approval is bound to (architecture, D4). It omits ferrybot's hidden lines, and the state of top-level boxes other than
 * preconditions. Normalizes line endings, because GitHub's editor uses CRLF. A body that is too expensive to parse is
 * used unchanged.
 */
export function bodyFingerprintText(markdown: string, preconditions: readonly string[]): string {
  return fingerprintOnce({ markdown, preconditions });
}

type Fingerprinted = { readonly markdown: string; readonly preconditions: readonly string[] };

// Cached, because every reconciliation needs the fingerprints of all versions of a run's texts.
const fingerprintOnce = memoize(computeFingerprint, ({ markdown, preconditions }) =>
  JSON.stringify([markdown, preconditions]),
);

function computeFingerprint({ markdown, preconditions }: Fingerprinted): string {
  const text = markdown.replace(/\r\n?/g, '\n');
  if (!isWithinBounds(text)) return text.trim();
  const root = parseMarkdown(text);
  const cuts = [...findMarkerCuts(root), ...findCheckboxCuts(root, text, preconditions)].toSorted(
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

function findMarkerCuts(root: Root): readonly Cut[] {
  return root.children.flatMap((node) =>
    node.type === 'html' && isMarker(node.value) ? [{ ...sourceRange(node), instead: '' }] : [],
  );
}

function findCheckboxCuts(root: Root, text: string, preconditions: readonly string[]): readonly Cut[] {
  return root.children
    .flatMap((node) => (node.type === 'list' ? node.children : []))
    .filter((item) => typeof item.checked === 'boolean' && !preconditions.includes(checkboxLabel(item)))
    .flatMap((item) => {
      const { start, end } = sourceRange(item);
      const at = text.slice(start, end).search(/\[[ xX]\]/);
      return at < 0 ? [] : [{ start: start + at, end: start + at + '[ ]'.length, instead: '[ ]' }];
    });
}

function checkboxLabel(item: ListItem): string {
  return item.children[0] === undefined ? '' : plainText(item.children[0]);
}

/** Whether the HTML is exactly one hidden ferrybot line. */
function isMarker(html: string): boolean {
  return /^\s*<!-- ferrybot:[^\n]*? -->\s*$/.test(html) && html.indexOf('-->') === html.lastIndexOf('-->');
}

const UNSEEN_CHARACTERS = new RegExp(`[${INVISIBLE}]`, 'gu');
const LINE = new RegExp(String.raw`/(?:${APPROVING.join('|')})\s+(?:sha256:)?([0-9a-f]{32,64})`, 'gi');
const DIGITS = /[0-9a-f]{32,64}/gi;

/**
 * Lower-case digests that a comment offers in the layout of a card: with a heading, table, image, HTML or code block. Paragraphs, lists and
 * quotes are how people approve, so they do not count. For a comment that is too large to parse, all digests count.
 */
export function findOfferedDigests(markdown: string): readonly string[] {
  if (!isWithinBounds(markdown, UNTRUSTED_COMMENT_BOUNDS))
    return /[/&]/.test(markdown)
      ? [...stripMarkup(markdown).matchAll(DIGITS)].map(([digits]) => digits.toLowerCase())
      : [];
  const root = parseMarkdown(markdown);
  if (![...walkNodes(root)].some(isPresentationOnly)) return [];
  const shown = stripMarkup(visibleText(root));
  return [...shown.matchAll(LINE)].map(([, digits = '']) => digits.toLowerCase());
}

function isPresentationOnly(node: Nodes): boolean {
  if (node.type === 'html') return stripMarkup(node.value) !== '' || /^<\w/.test(node.value);
  return PRESENTING.has(node.type) || (node.type === 'code' && node.value.trim().includes('\n'));
}

const PRESENTING = new Set(['heading', 'table', 'image', 'imageReference']);

/** Includes HTML; blocks end with a newline. */
function visibleText(node: Nodes): string {
  if ('value' in node) return node.value;
  if (!('children' in node)) return '\n';
  const isInline = INLINE.has(node.type);
  return node.children.map(visibleText).join('') + (isInline ? '' : '\n');
}

const INLINE = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference']);

/** Removes invisible parts that could split a digest. */
function stripMarkup(markdown: string): string {
  return markdown
    .replace(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (_, hex?: string, decimal?: string) =>
      codePointSign(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/<(?:[^<>"']|"[^"]*"|'[^']*')*>/g, '')
    .replace(UNSEEN_CHARACTERS, '')
    .replace(/[*_~`[\]\\]/g, '');
}

function codePointSign(codePoint: number): string {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '';
}
