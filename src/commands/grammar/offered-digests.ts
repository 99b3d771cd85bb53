/** Digests that a comment offers for approval in the shape of a card: a reader may take it for ferrybot's own. */

import type { Nodes } from 'mdast';
import { INVISIBLE } from '../../domain/unseen-signs.ts';
import { APPROVING } from '../approving.ts';
import { COMMENT_OF_STRANGER, isWithinBounds } from './bounds.ts';
import { nodesIn, parseMarkdown } from './parse-markdown.ts';

const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'gu');
const LINE = new RegExp(String.raw`/(?:${APPROVING.join('|')})\s+(?:sha256:)?([0-9a-f]{32,64})`, 'gi');
const DIGITS = /[0-9a-f]{32,64}/gi;

/**
 * The digests, in lower case, that a comment offers together with a heading, a table, a picture, HTML or text in columns.
 * Paragraphs, lists and quotes with the line alone offer nothing: that is how people approve. A comment that is too large
 * to parse presents whatever digests its source has.
 */
export function offeredDigests(markdown: string): readonly string[] {
  if (!isWithinBounds(markdown, COMMENT_OF_STRANGER))
    return /[/&]/.test(markdown)
      ? [...withoutMarkup(markdown).matchAll(DIGITS)].map(([digits]) => digits.toLowerCase())
      : [];
  const root = parseMarkdown(markdown);
  if (![...nodesIn(root)].some(isPresenting)) return [];
  const shown = withoutMarkup(textOf(root));
  return [...shown.matchAll(LINE)].map(([, digits = '']) => digits.toLowerCase());
}

function isPresenting(node: Nodes): boolean {
  if (node.type === 'html') return withoutMarkup(node.value) !== '' || /^<\w/.test(node.value);
  return PRESENTING.has(node.type) || (node.type === 'code' && node.value.trim().includes('\n'));
}

const PRESENTING = new Set(['heading', 'table', 'image', 'imageReference']);

/** The text with its HTML, and a line end at each block. */
function textOf(node: Nodes): string {
  if ('value' in node) return node.value;
  if (!('children' in node)) return '\n';
  const isInline = INLINE.has(node.type);
  return node.children.map(textOf).join('') + (isInline ? '' : '\n');
}

const INLINE = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference']);

/** The source without what can stand inside a digest and is not seen there. */
function withoutMarkup(markdown: string): string {
  return markdown
    .replace(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (_, hex?: string, decimal?: string) =>
      signOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/<(?:[^<>"']|"[^"]*"|'[^']*')*>/g, '')
    .replace(UNSEEN, '')
    .replace(/[*_~`[\]\\]/g, '');
}

function signOf(codePoint: number): string {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '';
}
