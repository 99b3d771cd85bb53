/** Finds the few lines of a log that can say something, so that the many others cost half a nanosecond a byte. */

/** A whole line in [start, end) of the bytes; `end` is its newline, and `passed` lines stand before it. */
export type TellingLine = { readonly start: number; readonly end: number; readonly passed: number };

/**
 * The first line of the whole lines in [begin, end) that can say something, where `begin` is the start of a line and `end`
 * lies behind a newline. Where there is none, `start` is `end`, and all lines were passed. The bytes begin at a multiple of four.
 */
export type LineFilter = (bytes: Uint8Array, begin: number, end: number) => TellingLine;

/** What a line is looked through for. `followedBy`: by one of these characters, where the text alone is too short. */
export type Needle = string | { readonly text: string; readonly followedBy: string };

const WORD_BYTES = 4;
/** A look at the first three bytes of every word meets three neighbouring ones of each needle that is long enough. */
const FRONT_BYTES = 3;
const NEEDLE_BYTES_MIN = WORD_BYTES + FRONT_BYTES - 1;
const TABLE_BITS = 14;
const NEWLINE = 10;
// With this bit set capitals and small letters fall together, and some signs: a look that stops too often costs time,
// never a line.
const FOLD = 0x20;
const FOLDS = 0x202020;
const NEWLINES = 0x0a0a0a0a;
const ONES = 0x01010101;
const HIGH_BITS = 0x80808080 | 0;
/** Spreads three folded bytes over the table (2^32 divided by the golden ratio; Knuth, TAOCP 6.4). */
const SPREAD = 0x9e3779b1 | 0;
/** The first byte of a word is its lowest on every machine that a lab has; on another one (IBM's z) all lines are read. */
const IS_LOWEST_FIRST = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

type Place = { readonly text: string; readonly offset: number };
type Table = {
  /** By the number of a word's front: 1 where a needle has it and goes on, 2 where it ends there. Asked first, and small. */
  readonly isKnown: Uint8Array;
  /** By the number of a whole word: 1 where a needle has it. */
  readonly isWhole: Uint8Array;
  readonly bucketOf: Uint16Array;
  readonly places: readonly (readonly Place[])[];
  /** By byte: 1 where a line that begins with it is read. */
  readonly openings: Uint8Array;
};

/**
 * A filter for lines that hold one of the needles, capitals or not, or begin with one of the openings. It never passes one
 * by, and may take a few signs for one another (`[` and `{`). All are ASCII; a newline ends a line and can only be the last
 * character of a needle. It reads a word at a time and each word once (the table of Wu and Manber, *A fast algorithm for
 * multi-pattern searching*, 1994, without the jumps).
 */
export function createLineFilter(needles: readonly Needle[], openings: readonly string[]): LineFilter {
  const table = tableOf(needles, openings);
  return (bytes, begin, end) => {
    if (bytes.byteOffset % WORD_BYTES !== 0)
      throw new Error('words need bytes that begin at a multiple of four');
    if (begin < end && (!IS_LOWEST_FIRST || table.openings[bytes[begin] ?? 0] === 1))
      return lineFrom(bytes, begin, 0);
    return inWords(table, bytes, begin, end);
  };
}

function tableOf(needles: readonly Needle[], openings: readonly string[]): Table {
  const places: (readonly Place[])[] = [[]];
  const bucketOf = new Uint16Array(1 << TABLE_BITS);
  const [isKnown, isWhole] = [new Uint8Array(1 << TABLE_BITS), new Uint8Array(1 << TABLE_BITS)];
  const encoder = new TextEncoder();
  for (const needle of needles) {
    const { text, followedBy } = typeof needle === 'string' ? { text: needle, followedBy: '' } : needle;
    for (const whole of followedBy === '' ? [text] : [...followedBy].map((next) => text + next)) {
      if (whole.length < NEEDLE_BYTES_MIN || /[^\r\n\x20-\x7e]|\n./.test(whole))
        throw new Error(`a needle is ASCII and has ${NEEDLE_BYTES_MIN} characters at least: ${whole}`);
      const front = rarestIn(whole);
      for (let offset = front; offset < front + WORD_BYTES; offset += 1) {
        const word = wordOf(encoder.encode(whole), offset);
        const entry = entryOf(word);
        const goesOn = offset + FRONT_BYTES < whole.length;
        isKnown[entry] = Math.max(isKnown[entry] ?? 0, goesOn ? 1 : 2);
        if (goesOn) isWhole[wholeEntryOf(word)] = 1;
        bucketOf[entry] ||= places.push([]) - 1;
        const bucket = bucketOf[entry] ?? 0;
        const known = places[bucket] ?? [];
        const isListed = known.some((place) => place.text === text && place.offset === offset);
        if (!isListed) places[bucket] = [...known, { text, offset }];
      }
    }
  }
  const opens = new Uint8Array(0x100);
  for (const opening of openings) opens[opening.charCodeAt(0)] = 1;
  return { isKnown, isWhole, bucketOf, places, openings: opens };
}

/** Where the part of a needle begins, with a character behind it if there is one, that stops the look least often in lines without it: all of it is compared then. */
function rarestIn(needle: string): number {
  const starts = Array.from({ length: Math.max(1, needle.length - NEEDLE_BYTES_MIN) }, (_, start) => start);
  const costs = starts.map((start) => {
    const fronts = [0, 1, 2, 3].map((offset) => [
      ...needle.slice(start + offset, start + offset + FRONT_BYTES),
    ]);
    return fronts.map((front) => front.map(commonness).reduce((a, b) => a * b)).reduce((a, b) => a + b);
  });
  return costs.indexOf(Math.min(...costs));
}

/** How often a character stands in a log, in hundredths, about. */
function commonness(sign: string): number {
  if (sign === ' ') return 12;
  if (/[-:.0-9\r]/.test(sign)) return 3;
  const place = BY_FREQUENCY.indexOf(sign.toLowerCase());
  return place === -1 ? 0.5 : 8 / (1 + place / 3);
}

const BY_FREQUENCY = 'etaoinsrlcdpmugfhbvywkxqjz';

function inWords(table: Table, bytes: Uint8Array, begin: number, end: number): TellingLine {
  const { bucketOf, places, openings } = table;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const last = end >> 2;
  const first = Math.min((begin + WORD_BYTES - 1) >> 2, last);
  // A needle that begins before the first whole word reaches into it.
  const before = inBytes(table, bytes, begin, Math.min(first * WORD_BYTES, end), end);
  if (before.start !== end) return before;
  let { passed } = before;
  for (let index = first; index < last; index += 1) {
    index = nextTelling(table, words, index, last);
    if (index === last) break;
    const word = words[index] ?? 0;
    const bucket = bucketOf[entryOf(word)] ?? 0;
    if (bucket !== 0) {
      const at = startOf(bytes, index * WORD_BYTES, places[bucket] ?? []);
      if (at >= begin) return lineAround(bytes, begin, at, passed);
    }
    let found = newlinesIn(word);
    while (found !== 0) {
      const at = index * WORD_BYTES + placeOf(found);
      found &= found - 1;
      if (bytes[at] !== NEWLINE) continue;
      passed += 1;
      if (openings[bytes[at + 1] ?? 0] === 1 && at + 1 < end) return lineFrom(bytes, at + 1, passed);
    }
  }
  const after = inRest(table, bytes, begin, end);
  return { ...after, passed: passed + after.passed };
}

/** The first word in [index, last) that may be of a needle, or holds a newline; two at once, since nearly none is. */
function nextTelling(table: Table, words: Int32Array, index: number, last: number): number {
  const { isKnown } = table;
  for (let at = index; at + 1 < last; at += 2) {
    const one = words[at] ?? 0;
    const two = words[at + 1] ?? 0;
    const known = (isKnown[entryOf(one)] ?? 0) | (isKnown[entryOf(two)] ?? 0);
    if ((known | newlinesIn(one) | newlinesIn(two)) === 0) continue;
    if (isTelling(table, one)) return at;
    if (isTelling(table, two)) return at + 1;
  }
  return last > index && (last - index) % 2 === 1 && isTelling(table, words[last - 1] ?? 0) ? last - 1 : last;
}

function isTelling({ isKnown, isWhole }: Table, word: number): boolean {
  const known = isKnown[entryOf(word)] ?? 0;
  return known === 2 || (known === 1 && isWhole[wholeEntryOf(word)] === 1) || newlinesIn(word) !== 0;
}

/** A bit for each newline. A byte of the signs is zero where one stands, and Mycroft's test finds it; where it sees one beside, the byte tells. */
function newlinesIn(word: number): number {
  const signs = word ^ NEWLINES;
  return (signs - ONES) & ~signs & HIGH_BITS;
}

/** The last bytes, which are no whole word; three of them may be the front of a word that a needle ends in. */
function inRest(table: Table, bytes: Uint8Array, begin: number, end: number): TellingLine {
  const from = (end >> 2) * WORD_BYTES;
  if (end - from === FRONT_BYTES) {
    const bucket = table.bucketOf[entryOf(wordOf(bytes, from))] ?? 0;
    const at = startOf(bytes, from, table.places[bucket] ?? []);
    if (at >= begin) return lineAround(bytes, begin, at, 0);
  }
  return inBytes(table, bytes, Math.max(begin, from), end, end);
}

/** Newlines in [from, to), up to one behind which a line opens; needles are found by words. */
function inBytes({ openings }: Table, bytes: Uint8Array, from: number, to: number, end: number): TellingLine {
  let passed = 0;
  for (let at = from; at < to; at += 1) {
    if (bytes[at] !== NEWLINE) continue;
    passed += 1;
    if (openings[bytes[at + 1] ?? 0] === 1 && at + 1 < end) return lineFrom(bytes, at + 1, passed);
  }
  return { start: end, end, passed };
}

function lineFrom(bytes: Uint8Array, start: number, passed: number): TellingLine {
  return { start, end: bytes.indexOf(NEWLINE, start), passed };
}

/** The line that `at` stands in, which does not begin before `begin`. */
function lineAround(bytes: Uint8Array, begin: number, at: number, passed: number): TellingLine {
  let start = at;
  while (start > begin && bytes[start - 1] !== NEWLINE) start -= 1;
  return { start, end: bytes.indexOf(NEWLINE, at), passed };
}

/** Which byte of a word in memory the lowest bit that is set belongs to. */
function placeOf(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

/** Its first three bytes, folded: their number in the table. */
function entryOf(word: number): number {
  return Math.imul((word & 0xffffff) | FOLDS, SPREAD) >>> (32 - TABLE_BITS);
}

/** All four bytes, folded. */
function wholeEntryOf(word: number): number {
  return Math.imul(word | FOLDS | (FOLD << 24), SPREAD) >>> (32 - TABLE_BITS);
}

/** The word at `at`; where the bytes end before it does, its last is nothing. */
function wordOf(bytes: Uint8Array, at: number): number {
  const word = new Uint8Array(WORD_BYTES);
  word.set(bytes.subarray(at, at + WORD_BYTES));
  return new Int32Array(word.buffer)[0] ?? 0;
}

/** Where the first of these needles begins that covers `at`; -1 where none does. */
function startOf(bytes: Uint8Array, at: number, places: readonly Place[]): number {
  for (const { text, offset } of places) if (isAt(bytes, at - offset, text)) return at - offset;
  return -1;
}

function isAt(bytes: Uint8Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1)
    if (((bytes[start + index] ?? 0) | FOLD) !== (text.charCodeAt(index) | FOLD)) return false;
  return true;
}
