/** Finds the few lines of a log that any reader uses, by the words that they contain. */

import { wordsOfPattern } from '../diagnosis/pattern-words.ts';
import { SIGNATURES } from '../diagnosis/rows.ts';
import { TRAINERS, type TrainerFormat } from '../diagnosis/trainers.ts';

function wordsOfTrainer(row: TrainerFormat): readonly string[] {
  return Object.values(row).flatMap((value) => (value instanceof RegExp ? wordsOfPattern(value) : []));
}

/** Every line that the watch uses contains one of these words, in any case. All are ASCII with at least four characters; a newline may only be first. */
const SIGNAL_WORDS: readonly string[] = [
  ...SIGNATURES.flatMap(({ pattern }) => wordsOfPattern(pattern)),
  ...TRAINERS.flatMap(wordsOfTrainer),
  ...['Progress on:', 'loss', 'it/s]', 'it/s,', 's/it]', 's/it,', 'batch=', 'step=', 'iter=', ', skipped='],
  ...['grad_norm', 'grad norm', 'https://wandb.ai/', 'eval/', 'preempt', 'RayTaskError('],
];

const LINE_FEED = 10;
/** This bit maps capitals to small letters. It also makes a few other characters equal, which only costs time. */
const FOLD = 0x20;
const REACH = Math.min(...SIGNAL_WORDS.map(({ length }) => length));

/** For each pair of adjacent bytes: how far the search may skip, and the words with this pair at the end of their first `REACH` bytes. */
type Search = readonly [Uint8Array, ReadonlyMap<number, readonly Uint8Array[]>];
const SEARCH = searchFor(SIGNAL_WORDS);
const SEARCHES = new WeakMap<TrainerFormat, Search>();

/** The search that also finds the lines of a lane's own row. */
export function searchWith(own: TrainerFormat | null): Search {
  const known = own === null ? SEARCH : SEARCHES.get(own);
  if (known !== undefined || own === null) return known ?? SEARCH;
  const made = searchFor([...SIGNAL_WORDS, ...wordsOfTrainer(own)]);
  SEARCHES.set(own, made);
  return made;
}

function searchFor(telling: readonly string[]): Search {
  const words = telling.map((word) => Uint8Array.from(word, (sign) => sign.charCodeAt(0) | FOLD));
  const jumps = new Uint8Array(0x10000).fill(REACH - 1);
  for (const word of words)
    for (let end = 1; end < REACH; end += 1) {
      const pair = readBytePair(word, end);
      jumps[pair] = Math.min(jumps[pair] ?? 0, REACH - 1 - end);
    }
  return [jumps, Map.groupBy(words, (word) => readBytePair(word, REACH - 1))];
}

function readBytePair(bytes: Uint8Array, end: number): number {
  return (((bytes[end - 1] ?? 0) | FOLD) << 8) | (bytes[end] ?? 0) | FOLD;
}

/**
 * The index of the first telling word in [from, end); -1 for none (Wu and Manber, *A fast algorithm for multi-pattern searching*, 1994). A
 * word with its newline before `from` counts from that newline.
 */
export function findSignalWord(bytes: Uint8Array, from: number, end: number, [jumps, ending]: Search = SEARCH): number {
  let at = from + REACH - 1;
  while (at < end) {
    const pair = (((bytes[at - 1] ?? 0) | FOLD) << 8) | (bytes[at] ?? 0) | FOLD;
    const jump = jumps[pair] ?? 1;
    if (jump > 0) {
      at += jump;
      continue;
    }
    for (const word of ending.get(pair) ?? []) if (matchesAt(bytes, at - REACH + 1, word)) return at - REACH + 1;
    at += 1;
  }
  return -1;
}

function matchesAt(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (((bytes[start + index] ?? 0) | FOLD) !== word[index]) return false;
  return true;
}

/** The number of newlines in [from, end). */
export function countLines(bytes: Uint8Array, from: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < end; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}
