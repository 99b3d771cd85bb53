/** Finds the few lines of a log that can say something, so that the many others cost less than a nanosecond a byte. */

/** Says where a needle begins next, at or after `from`; -1 where there is none. */
export type LineFilter = (text: string, from: number) => number;

/** Shortest needle: a look at every fourth place then meets three neighbouring characters of each. */
const NEEDLE_CHARS_MIN = 6;
const STRIDE = NEEDLE_CHARS_MIN - 2;
// Five bits of each of three characters make a table of 32 KB, which stays in the nearest cache. Capitals and small
// letters fall together, and some signs with letters: a look that stops too often costs time, never a line.
const CODE_BITS = 5;
const CODE_MASK = (1 << CODE_BITS) - 1;
const FOLD = 0x20;

type Place = { readonly needle: string; readonly offset: number };

/**
 * A filter for text that holds one of the needles, capitals or not. It never passes one by, and may take a few signs for
 * one another (`[` and `{`). Needles are ASCII; a newline ends a line and can only be the last character of one.
 */
export function createLineFilter(needles: readonly string[]): LineFilter {
  const places: (readonly Place[])[] = [[]];
  const bucketOf = new Uint8Array(1 << (3 * CODE_BITS));
  for (const needle of needles) {
    if (needle.length < NEEDLE_CHARS_MIN || /[^\r\n\x20-\x7e]|\n./.test(needle))
      throw new Error(`a needle is ASCII and has ${NEEDLE_CHARS_MIN} characters at least: ${needle}`);
    for (let offset = 0; offset < STRIDE; offset += 1) {
      const entry = entryAt(needle, offset);
      bucketOf[entry] ||= places.push([]) - 1;
      const bucket = bucketOf[entry] ?? 0;
      places[bucket] = [...(places[bucket] ?? []), { needle, offset }];
    }
  }
  if (places.length > 0xff) throw new Error('more needles than the table has numbers for');
  return (text, from) => {
    const end = text.length - 2;
    for (let at = from; at < end; at += STRIDE) {
      const bucket = bucketOf[entryAt(text, at)] ?? 0;
      if (bucket === 0) continue;
      const start = startOf(text, at, places[bucket] ?? []);
      if (start >= from) return start;
    }
    return -1;
  };
}

function entryAt(text: string, at: number): number {
  const first = (text.charCodeAt(at) & CODE_MASK) << (2 * CODE_BITS);
  const second = (text.charCodeAt(at + 1) & CODE_MASK) << CODE_BITS;
  return first | second | (text.charCodeAt(at + 2) & CODE_MASK);
}

/** Where the first of these needles begins that covers `at`; -1 where none does. */
function startOf(text: string, at: number, places: readonly Place[]): number {
  for (const { needle, offset } of places) if (isAt(text, at - offset, needle)) return at - offset;
  return -1;
}

function isAt(text: string, start: number, needle: string): boolean {
  for (let index = 0; index < needle.length; index += 1)
    if ((text.charCodeAt(start + index) | FOLD) !== (needle.charCodeAt(index) | FOLD)) return false;
  return true;
}
