/** Finds the few lines of a log that a reader can use, so that only they become text. */

import { TRAINERS } from '../diagnosis/trainers.ts';

/**
 * Each line that the log reader or a signature uses holds one of these words or one of a trainer's, in capitals or not. They are
 * ASCII and have at least four characters; a newline stands first or last.
 */
const TELLING_WORDS: readonly string[] = [
  // Failures.
  ...['memory space ', 'VmemOom', 'HbmOom', 'hbm requirement ', 'allocations in hbm', 'RESOURCE_EXHAUSTED:'],
  ...['out of memory', 'CUDA_ERROR_', 'OutOfMemoryError: ', 'No accelerator found', 'cleanup driver after'],
  ...['resource busy', 'Xid 14', 'No space left on', 'OwnerDiedError', 'dead node', 'node heartbeat loss'],
  ...['marked dead because', 'Barrier timed out', 'CoordinationService', 'Fatal Python error', '\nF20'],
  ...['bad_alloc', 'length_error: ', 'No API key configured', 'No progress after ', 'autoscaler demand'],
  ...['tier_blocked:', "slice couldn't schedule", "Quota '", 'Error: ', 'RayTaskError('],
  // Steps, losses, memory, trackers, evals.
  ...['Progress on:', 'loss', 'it/s]', 'it/s,', 's/it]', 's/it,', 'batch=', 'step=', 'iter=', ', skipped='],
  ...['grad_norm', 'grad norm', 'train step completed', 'https://wandb.ai/', 'eval/'],
  ...TRAINERS.flatMap(({ words }) => words),
];

const LINE_FEED = 10;
/** With this bit set, capitals equal small letters; a few signs equal others too, which only costs time. */
const FOLD = 0x20;
const REACH = Math.min(...TELLING_WORDS.map(({ length }) => length));

const WORDS = TELLING_WORDS.map((word) => Uint8Array.from(word, (sign) => sign.charCodeAt(0) | FOLD));
/** By two bytes that stand side by side: how far the search may go on, and the words that may end their reach there. */
const [JUMPS, ENDING] = tables();

function tables(): readonly [Uint8Array, ReadonlyMap<number, readonly Uint8Array[]>] {
  const jumps = new Uint8Array(0x10000).fill(REACH - 1);
  for (const word of WORDS)
    for (let end = 1; end < REACH; end += 1) {
      const pair = pairAt(word, end);
      jumps[pair] = Math.min(jumps[pair] ?? 0, REACH - 1 - end);
    }
  return [jumps, Map.groupBy(WORDS, (word) => pairAt(word, REACH - 1))];
}

function pairAt(bytes: Uint8Array, end: number): number {
  return (((bytes[end - 1] ?? 0) | FOLD) << 8) | (bytes[end] ?? 0) | FOLD;
}

/**
 * Where the first telling word in [from, end) begins; -1 where there is none (Wu and Manber, *A fast algorithm for
 * multi-pattern searching*, 1994). A word whose newline stands before `from` counts from the newline on.
 */
export function findTellingWord(bytes: Uint8Array, from: number, end: number): number {
  let at = from + REACH - 1;
  while (at < end) {
    const pair = (((bytes[at - 1] ?? 0) | FOLD) << 8) | (bytes[at] ?? 0) | FOLD;
    const jump = JUMPS[pair] ?? 1;
    if (jump > 0) {
      at += jump;
      continue;
    }
    for (const word of ENDING.get(pair) ?? []) if (isAt(bytes, at - REACH + 1, word)) return at - REACH + 1;
    at += 1;
  }
  return -1;
}

function isAt(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (((bytes[start + index] ?? 0) | FOLD) !== word[index]) return false;
  return true;
}

/** How many lines end in [from, end). */
export function countLines(bytes: Uint8Array, from: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < end; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}
