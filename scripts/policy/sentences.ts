/** The sentences of a policy text, each with a mark that tells it apart; a block of code is one. */

import { createHash } from 'node:crypto';

/** `mark`: the first ten hex digits of SHA-256 over the sentence in small letters, without marks of emphasis. */
export type Sentence = { readonly section: string; readonly text: string; readonly mark: string };

const MARK_DIGITS = 10;

type Line = { readonly kind: 'heading' | 'text' | 'code'; readonly text: string };

/**
 * Sentences of paragraphs and list items, in the order of the text. A code block with a language is one sentence, a
 * template or an example of a command; one without is prose that keeps its line breaks, as the policies use it.
 */
export function splitSentences(markdown: string): readonly Sentence[] {
  const found: Sentence[] = [];
  let section = '';
  for (const { kind, text } of splitLines(markdown)) {
    if (kind === 'heading') section = stripMarkup(text);
    else
      for (const one of kind === 'code' ? [stripMarkup(text)] : split(text))
        found.push({ section, text: one, mark: sentenceMark(one) });
  }
  return found;
}

/** Lines that belong together are one: a paragraph, a list item with its continuation, a block of code. */
function splitLines(markdown: string): readonly Line[] {
  const lines: Line[] = [];
  let fence: 'none' | 'code' | 'prose' = 'none';
  let isOpen = false;
  const goOn = (text: string): void => {
    const last = lines.pop();
    lines.push({ kind: last?.kind ?? 'text', text: `${last?.text ?? ''} ${text}` });
  };
  for (const raw of markdown.replace(/^---\n[\s\S]*?\n---\n/, '').split('\n')) {
    const text = raw.trim();
    const mark = /^```(\w*)/.exec(text);
    if (mark !== null) {
      fence = fence === 'none' ? (mark[1] === '' ? 'prose' : 'code') : 'none';
      if (fence === 'code') lines.push({ kind: 'code', text: '' });
      isOpen = false;
    } else if (fence === 'code') goOn(text);
    else if (text === '' || /^<\/?\w+>$/.test(text)) isOpen = false;
    else {
      const heading = /^#{1,6}\s+(.*)$/.exec(raw)?.[1];
      const item = /^(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?(.*)$/.exec(text)?.[1];
      if (heading !== undefined) lines.push({ kind: 'heading', text: heading });
      else if (item === undefined && isOpen && fence === 'none') goOn(text);
      else lines.push({ kind: 'text', text: item ?? text });
      isOpen = heading === undefined;
    }
  }
  return lines;
}

function split(text: string): readonly string[] {
  return stripMarkup(text)
    .split(/(?<=[.!?])\s+(?=[A-Z`"(])/)
    .filter((part) => /\p{L}{2}/u.test(part));
}

function stripMarkup(text: string): string {
  return text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').trim();
}

function sentenceMark(text: string): string {
  return createHash('sha256').update(text.toLowerCase()).digest('hex').slice(0, MARK_DIGITS);
}
