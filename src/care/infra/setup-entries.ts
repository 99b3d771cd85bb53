/** The set-up commands of a cluster's file in Ray's own form, each with the line that it begins at. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { fail, ok, type Result } from '../../domain/result.ts';
import type { SetupEntry } from './lint.ts';

/** A cluster file is some pages; more is a mistake or an attack on the parser. */
export const INFRA_CHARACTERS_MAX = 100_000;
/** Commands of one file, those behind an alias counted each time: a lab has some dozens. */
const INFRA_ENTRIES_MAX = 400;
/** Each alias is looked up in the whole file; a lab shares a list or two. */
const INFRA_ALIASES_MAX = 50;
/** One command: an inlined script of 300 lines. The reader's steps grow faster than the text. */
export const INFRA_COMMAND_CHARACTERS_MAX = 16_384;
/** Brackets and nested signs of such a file: Node's stack ends at some 1,000 levels of YAML. */
const INFRA_NESTING_MAX = 500;

/** What could not be read, in words for people, and on which line, from 1. */
export type Unread = { readonly line: number; readonly what: string };
/** `unread`: what stands in a list of commands and is no text, or too long a one. */
export type SetupEntries = { readonly entries: readonly SetupEntry[]; readonly unread: readonly Unread[] };

/** Entries of every list whose key ends in `_commands`, in the order of the file; a list under an alias is that of its anchor. */
export function setupEntries(text: string): Result<SetupEntries, Unread> {
  if (text.length > INFRA_CHARACTERS_MAX)
    return fail({
      line: 1,
      what: `not judged: too large: more than ${INFRA_CHARACTERS_MAX} characters`,
    });
  // The parser recurses, and Node itself ends where a regular expression is compiled at the end of the stack.
  if (nestingSigns(text) > INFRA_NESTING_MAX)
    return fail({
      line: 1,
      what: 'a file with more brackets, or lists in lists on one line, than anybody writes',
    });
  const lines = new LineCounter();
  // yaml compares each key of a map with all before it: thousands cost a second, so that is looked at below.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined)
    return fail({ line: error.linePos?.[0].line ?? 1, what: error.message.split('\n')[0] ?? 'no YAML' });
  const twice = firstKeyTwice(document);
  if (twice !== null) return fail({ line: lines.linePos(twice).line, what: 'Map keys must be unique' });
  // Of a list, a text or nothing at all nobody can say that it is fine.
  if (!isMap(document.contents)) return fail({ line: 1, what: 'no map of keys, as a cluster file is' });
  const larger = tooManyAliases(document);
  if (larger !== null) return fail({ line: 1, what: larger });
  const entries: SetupEntry[] = [];
  const unread: Unread[] = [];
  let tooLarge: string | null = null;
  const lineOf = (node: Node | null): number => lines.linePos(node?.range?.[0] ?? 0).line;
  // Parsed text holds nodes alone: an alias that leads nowhere is an error of the document, told above.
  const behind = (value: unknown): unknown => (isAlias(value) ? value.resolve(document) : value);
  visit(document, {
    Pair: (_key, pair) => {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      if (!key.endsWith('_commands')) return undefined;
      const list = behind(pair.value);
      if (!isSeq<Node>(list)) {
        if (!isScalar(list) || list.value !== null)
          unread.push({ line: lineOf(isScalar(pair.key) ? pair.key : null), what: `${key} is no list` });
        return undefined;
      }
      for (const written of list.items) {
        if (entries.length + unread.length >= INFRA_ENTRIES_MAX) {
          tooLarge = `not judged: too large: more than ${INFRA_ENTRIES_MAX} commands`;
          return visit.BREAK;
        }
        const item = behind(written);
        if (!isScalar(item))
          unread.push({ line: lineOf(written), what: `an entry of ${key} that is no text` });
        else if (typeof item.value === 'string') {
          // The text of a block begins on the line after its sign.
          const isBlock = item.type === 'BLOCK_LITERAL' || item.type === 'BLOCK_FOLDED';
          const line = lineOf(item) + (isBlock ? 1 : 0);
          if (item.value.length > INFRA_COMMAND_CHARACTERS_MAX)
            unread.push({
              line,
              what: `not judged: too large: a command of more than ${INFRA_COMMAND_CHARACTERS_MAX} characters`,
            });
          else entries.push({ key, text: item.value, line });
        }
      }
      return undefined;
    },
  });
  return tooLarge === null ? ok({ entries, unread }) : fail({ line: 1, what: tooLarge });
}

/** Where the first key stands that its map has already; programs disagree about which of the two counts. */
function firstKeyTwice(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

function tooManyAliases(document: Document): string | null {
  let aliases = 0;
  visit(document, {
    Alias: () => {
      aliases += 1;
    },
  });
  return aliases > INFRA_ALIASES_MAX ? `not judged: too large: more than ${INFRA_ALIASES_MAX} aliases` : null;
}

/** Everything that can nest without a deeper indentation: brackets, and signs of lists and maps behind another on their line. */
function nestingSigns(text: string): number {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(0, (line.match(/[-?:](?=\s)/g)?.length ?? 0) - 1), brackets);
}
