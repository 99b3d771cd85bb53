/** Detects comments that imitate a card. */

import type { Nodes } from 'mdast';
import { INVISIBLE } from '../../domain/text.ts';
import { APPROVING } from '../approving.ts';
import { COMMENT_OF_STRANGER, isWithinBounds } from './bounds.ts';
import { nodesIn, parseMarkdown } from './parse-markdown.ts';

const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'gu');
const LINE = new RegExp(String.raw`/(?:${APPROVING.join('|')})\s+(?:sha256:)?([0-9a-f]{32,64})`, 'gi');
const DIGITS = /[0-9a-f]{32,64}/gi;

/**
 * Lower-case digests that a comment offers in the layout of a card: with a heading, table, image, HTML or code block. Paragraphs, lists and
 * quotes are how people approve, so they do not count. For a comment that is too large to parse, all digests count.
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

/** Includes HTML; blocks end with a newline. */
function textOf(node: Nodes): string {
  if ('value' in node) return node.value;
  if (!('children' in node)) return '\n';
  const isInline = INLINE.has(node.type);
  return node.children.map(textOf).join('') + (isInline ? '' : '\n');
}

const INLINE = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference']);

/** Removes invisible parts that could split a digest. */
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
