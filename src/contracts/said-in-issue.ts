/**
 * What an issue says under which name, in the shapes that people write: headings with an answer below, `**Name:** answer`
 * alone on a line or in a list, `Name:` with a block of code or a list below, a table of two columns, and a table whose
 * heads are the names.
 */

import type { RootContent, Table } from 'mdast';
import { isWithinBounds } from '../commands/grammar/bounds.ts';
import { parseMarkdown } from '../commands/grammar/parse-markdown.ts';
import { plainLines, plainText } from '../commands/grammar/plain-text.ts';

export type Said = { readonly name: string; readonly text: string };
type IsName = (label: string) => boolean;

const LABEL_CHARS_MAX = 60;

/** Null: the text is not parsed. What nobody filled in is left out. */
export function saidIn(markdown: string, isName: IsName): readonly Said[] | null {
  if (!isWithinBounds(markdown)) return null;
  return sectionsOf(parseMarkdown(markdown).children)
    .flatMap(({ heading, content }) =>
      heading !== null && isName(heading)
        ? [{ name: heading, text: content.map(blockText).filter(Boolean).join('\n').trim() }]
        : saidAmong(content, isName),
    )
    .filter(({ text }) => !isEmpty(text));
}

type Section = { readonly heading: string | null; readonly content: readonly RootContent[] };

/** What stands between two headings belongs to the first one, also where that is no name of the contract. */
function sectionsOf(nodes: readonly RootContent[]): readonly Section[] {
  const heads = [-1, ...nodes.flatMap((node, index) => (node.type === 'heading' ? [index] : []))];
  return heads.map((head, index) => {
    const heading = nodes[head];
    return {
      heading: heading === undefined ? null : plainText(heading),
      content: nodes.slice(head + 1, heads[index + 1]),
    };
  });
}

/** A name that nothing follows on its line has the code or the list right below it, unless that has names of its own. */
function saidAmong(nodes: readonly RootContent[], isName: IsName): readonly Said[] {
  const found: Said[] = [];
  for (const [index, node] of nodes.entries()) {
    const inside = saidInBlock(node, isName);
    const open = found.at(-1);
    const mayBeBelow = inside.length === 0 && (node.type === 'code' || node.type === 'list');
    if (mayBeBelow && open?.text === '' && nodes[index - 1]?.type === 'paragraph')
      found.splice(-1, 1, { ...open, text: blockText(node) });
    else found.push(...inside);
  }
  return found;
}

function saidInBlock(node: RootContent, isName: IsName): readonly Said[] {
  switch (node.type) {
    case 'paragraph':
      return saidInLines(plainLines(node), isName);
    case 'list':
      return node.children.flatMap(({ children }) => saidAmong(children, isName));
    case 'table':
      return saidInTable(node, isName);
    default:
      return [];
  }
}

/** A line without a name goes on with the answer before it: nobody's command is cut at the end of a line. */
function saidInLines(lines: readonly string[], isName: IsName): readonly Said[] {
  const found: Said[] = [];
  let isOpen = false;
  for (const line of lines) {
    const pair = pairIn(line);
    if (pair !== null && isName(pair.name)) {
      found.push(pair);
      isOpen = true;
    } else if (/^[A-Z][^:]{0,60}:(?: |$)/.test(line)) {
      isOpen = false;
    } else if (isOpen) {
      const open = found.pop();
      if (open !== undefined) found.push({ ...open, text: `${open.text} ${line}`.trim() });
    }
  }
  return found;
}

/** `DRI: @ada`, `DRI = @ada`, `DRI - @ada`. */
function pairIn(line: string): Said | null {
  const between = /[:=]| [—–-] /.exec(line);
  if (between === null || between.index > LABEL_CHARS_MAX) return null;
  return {
    name: line.slice(0, between.index),
    text: line.slice(between.index + between[0].length).trim(),
  };
}

/** The heads of the columns where two of them are names, and the first cell of each row otherwise. */
function saidInTable({ children: [head, ...rows] }: Table, isName: IsName): readonly Said[] {
  if (head === undefined) return [];
  const heads = head.children.map((cell) => plainText(cell));
  if (heads.filter(isName).length > 1)
    return rows.flatMap(({ children }) =>
      heads.flatMap((name, index) => {
        const cell = children[index];
        return cell !== undefined && isName(name) ? [{ name, text: plainText(cell) }] : [];
      }),
    );
  return [head, ...rows].flatMap(({ children: [label, value] }) => {
    if (label === undefined || value === undefined) return [];
    const name = plainText(label);
    return isName(name) ? [{ name, text: plainText(value) }] : [];
  });
}

/** Code counts here: a command stands in it. */
function blockText(node: RootContent): string {
  return node.type === 'code' ? node.value : plainText(node);
}

/** What GitHub's forms leave where nobody wrote anything, and what people do. */
function isEmpty(text: string): boolean {
  return text === '' || /^(no response|n\/a|tbd|todo|\?+|-+|<.*>)$/i.test(text);
}
