/** The sentences of a policy text, each with a mark that tells it apart, and whether it binds somebody. */

import { createHash } from 'node:crypto';

/** `mark`: the first ten hex digits of SHA-256 over the sentence in small letters, without marks of emphasis. */
export type Sentence = {
  readonly section: string;
  readonly text: string;
  readonly mark: string;
  /** It, or the sentence or heading that introduces its list, says what must or must not be. */
  readonly isBinding: boolean;
};

const BINDING =
  /\b(must|never|always|only|blocks?|block(ed|ing)|alert\w*|escalat\w*|requir\w*|do not|don'?t|does not|default rule|non-negotiable|rules?|guardrail|policy|enforce\w*)\b/i;
const MARK_DIGITS = 10;

type Line = { readonly indent: number; readonly isItem: boolean; readonly text: string };
type Governor = { readonly indent: number; readonly isBinding: boolean };

/**
 * Sentences of headings, paragraphs and list items, in the order of the text. A code block with a language is an
 * example and no rule; one without is prose that keeps its line breaks, as the policies use it.
 */
export function sentencesOf(markdown: string): readonly Sentence[] {
  const found: Sentence[] = [];
  let section = '';
  let headingBinds = false;
  let governors: readonly Governor[] = [];
  for (const line of proseLines(markdown)) {
    const heading = /^#{1,6}\s+(.*)$/.exec(line.text);
    if (heading?.[1] !== undefined) {
      section = plain(heading[1]);
      headingBinds = BINDING.test(section);
      governors = [];
      continue;
    }
    if (line.isItem) governors = governors.filter((one) => one.indent < line.indent || !one.isBinding);
    const isGoverned = line.isItem && (headingBinds || governors.some((one) => one.isBinding));
    for (const text of split(line.text))
      found.push({ section, text, mark: markOf(text), isBinding: isGoverned || BINDING.test(text) });
    const opens = /:\s*$/.test(line.text);
    const governor = {
      indent: line.isItem ? line.indent : -1,
      isBinding: opens && (isGoverned || BINDING.test(line.text)),
    };
    if (!line.isItem) governors = [governor];
    else if (opens) governors = [...governors, governor];
  }
  return found;
}

/** Lines that belong together are one: a paragraph, or a list item with its continuation. */
function proseLines(markdown: string): readonly Line[] {
  const lines: Line[] = [];
  let fence: 'none' | 'code' | 'prose' = 'none';
  let isOpen = false;
  for (const raw of markdown.replace(/^---\n[\s\S]*?\n---\n/, '').split('\n')) {
    const mark = /^\s*```(\w*)/.exec(raw);
    if (mark !== null) {
      fence = fence === 'none' ? (mark[1] === '' ? 'prose' : 'code') : 'none';
      isOpen = false;
      continue;
    }
    if (fence === 'code') continue;
    if (raw.trim() === '' || /^\s*<\/?\w+>\s*$/.test(raw)) {
      isOpen = false;
      continue;
    }
    const item = /^(\s*)(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?(.*)$/.exec(raw);
    const previous = lines.at(-1);
    if (item !== null)
      lines.push({ indent: (item[1] ?? '').length, isItem: true, text: (item[2] ?? '').trim() });
    else if (isOpen && previous !== undefined && !raw.startsWith('#') && fence === 'none')
      lines[lines.length - 1] = { ...previous, text: `${previous.text} ${raw.trim()}` };
    else
      lines.push({
        indent: raw.length - raw.trimStart().length,
        isItem: fence === 'prose',
        text: raw.trim(),
      });
    isOpen = !raw.startsWith('#');
  }
  return lines;
}

function split(text: string): readonly string[] {
  return plain(text)
    .split(/(?<=[.!?])\s+(?=[A-Z`"(])/)
    .filter((part) => /\p{L}{2}/u.test(part));
}

function plain(text: string): string {
  return text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').trim();
}

function markOf(text: string): string {
  return createHash('sha256').update(text.toLowerCase()).digest('hex').slice(0, MARK_DIGITS);
}
