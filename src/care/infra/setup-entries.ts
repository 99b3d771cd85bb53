/** The set-up commands of a cluster's file in Ray's own form, each with the line that it begins at. */

import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { fail, ok, type Result } from '../../domain/result.ts';

/** A cluster file is some pages; more is a mistake or an attack on the parser. */
export const INFRA_CHARACTERS_MAX = 100_000;
/** Brackets and nested signs of such a file: Node's stack ends at some 1,000 levels of YAML. */
const INFRA_NESTING_MAX = 500;

/** One entry of a list of commands; `line` is that of its first line in the file, from 1. */
export type SetupEntry = { readonly text: string; readonly line: number };
/** What could not be read, in words for people, and on which line, from 1. */
export type Unread = { readonly line: number; readonly what: string };
/** `unread`: what stands in a list of commands and is no text, or in place of a list. */
type SetupLists = {
  readonly lists: readonly (readonly SetupEntry[])[];
  readonly unread: readonly Unread[];
};

/** Every list whose key ends in `_commands`, in the order of the file. An alias is not followed: it is unread. */
export function setupLists(text: string): Result<SetupLists, Unread> {
  if (text.length > INFRA_CHARACTERS_MAX)
    return fail({ line: 1, what: `not judged: too large: more than ${INFRA_CHARACTERS_MAX} characters` });
  // The parser recurses, and Node itself ends where a regular expression is compiled at the end of the stack.
  if (nestingSigns(text) > INFRA_NESTING_MAX)
    return fail({
      line: 1,
      what: 'a file with more brackets, or lists in lists on one line, than anybody writes',
    });
  const lines = new LineCounter();
  // yaml compares each key of a map with all before it: thousands cost a second. Both lists of a key that stands twice are judged.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined)
    return fail({ line: error.linePos?.[0].line ?? 1, what: error.message.split('\n')[0] ?? 'no YAML' });
  // Of a list, a text or nothing at all nobody can say that it is fine.
  if (!isMap(document.contents)) return fail({ line: 1, what: 'no map of keys, as a cluster file is' });
  const lists: SetupEntry[][] = [];
  const unread: Unread[] = [];
  const lineOf = (node: Node | null): number => lines.linePos(node?.range?.[0] ?? 0).line;
  visit(document, {
    Pair: (_key, { key, value }) => {
      const name = isScalar(key) ? String(key.value) : '';
      if (!name.endsWith('_commands')) return;
      if (!isSeq<Node>(value)) {
        if (!isScalar(value) || value.value !== null)
          unread.push({ line: lineOf(isScalar(key) ? key : null), what: `${name} is no list` });
        return;
      }
      const entries: SetupEntry[] = [];
      for (const item of value.items) {
        if (!isScalar(item)) unread.push({ line: lineOf(item), what: `an entry of ${name} that is no text` });
        else if (typeof item.value === 'string') {
          // The text of a block begins on the line after its sign.
          const isBlock = item.type === 'BLOCK_LITERAL' || item.type === 'BLOCK_FOLDED';
          entries.push({ text: item.value, line: lineOf(item) + (isBlock ? 1 : 0) });
        }
      }
      lists.push(entries);
    },
  });
  return ok({ lists, unread });
}

/** Everything that can nest without a deeper indentation: brackets, and signs of lists and maps behind another on their line. */
function nestingSigns(text: string): number {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(0, (line.match(/[-?:](?=\s)/g)?.length ?? 0) - 1), brackets);
}
