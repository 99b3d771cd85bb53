/** Reads the setup commands of a cluster file in Ray's format, with their lines. */

import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { fail, ok, type Result } from '../../domain/result.ts';

/** A real cluster file has some pages. */
export const INFRA_CHARACTERS_MAX = 100_000;
/** Maximum nesting: Node's stack ends at about 1,000 levels of YAML. */
const INFRA_NESTING_MAX = 500;

/** One command; `line` is the 1-based line of its start. */
export type SetupEntry = { readonly text: string; readonly line: number };
/** A part that could not be read, with its 1-based line. */
export type Unread = { readonly line: number; readonly what: string };
/** `unread`: entries that are not text, or values that are not lists. */
type SetupLists = {
  readonly lists: readonly (readonly SetupEntry[])[];
  readonly unread: readonly Unread[];
};

/** Every list whose key ends in `_commands`, in file order. Aliases are not followed. */
export function setupLists(text: string): Result<SetupLists, Unread> {
  if (text.length > INFRA_CHARACTERS_MAX)
    return fail({ line: 1, what: `not judged: too large: more than ${INFRA_CHARACTERS_MAX} characters` });
  // The parser recurses.
  if (nestingSigns(text) > INFRA_NESTING_MAX)
    return fail({
      line: 1,
      what: 'a file with more brackets, or lists in lists on one line, than anybody writes',
    });
  const lines = new LineCounter();
  // yaml compares each key with all earlier ones, which takes seconds for thousands. With duplicate keys, both lists are checked.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined)
    return fail({ line: error.linePos?.[0].line ?? 1, what: error.message.split('\n')[0] ?? 'no YAML' });
  // Other content cannot be checked.
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
          // A block's text starts on the next line.
          const isBlock = item.type === 'BLOCK_LITERAL' || item.type === 'BLOCK_FOLDED';
          entries.push({ text: item.value, line: lineOf(item) + (isBlock ? 1 : 0) });
        }
      }
      lists.push(entries);
    },
  });
  return ok({ lists, unread });
}

/** Counts brackets, and list or map markers that share a line. */
function nestingSigns(text: string): number {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(0, (line.match(/[-?:](?=\s)/g)?.length ?? 0) - 1), brackets);
}
