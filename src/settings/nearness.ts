/** Suggests the known word nearest to a mistyped one. */

import leven from 'leven';

// A word of four letters may differ by one, of seven by two, of fourteen by four.
const DIFFERENT_SHARE_MAX = 0.3;
// Short words must start alike: `/back` is not `/ack`.
const SHORT_NAME_LENGTH_MAX = 3;
// Minimum length of a partial name.
const PART_LENGTH_MIN = 6;

/** The nearest of `names` to `word` (both without slash), ignoring case; null if none is near. */
export function nearest(word: string, names: readonly string[]): string | null {
  const given = word.toLowerCase();
  const ranked = names
    .map((name) => ({ name, apart: howFar(given, name.toLowerCase()) }))
    .filter((candidate) => candidate.apart !== null)
    .toSorted((a, b) => (a.apart ?? 0) - (b.apart ?? 0));
  return ranked[0]?.name ?? null;
}

/** Edit distance, or null if the words are not near. */
function howFar(given: string, name: string): number | null {
  if (given === name) return 0;
  if (isSwapped(given, name)) return 1;
  const longest = Math.max(given.length, name.length);
  const most = Math.floor(longest * DIFFERENT_SHARE_MAX);
  if (Math.abs(given.length - name.length) <= most && sameStartIfShort(given, name)) {
    const letters = leven(given, name);
    if (letters <= most) return letters;
  }
  return isPartOf(given, name) ? Math.abs(name.length - given.length) : null;
}

function sameStartIfShort(given: string, name: string): boolean {
  return name.length > SHORT_NAME_LENGTH_MAX || given[0] === name[0];
}

/** Two swapped neighbours, the most common typo; an edit distance counts it as two. */
function isSwapped(given: string, name: string): boolean {
  if (given.length !== name.length) return false;
  const first = Array.from(given).findIndex((letter, index) => letter !== name[index]);
  return (
    first >= 0 &&
    given[first] === name[first + 1] &&
    given[first + 1] === name[first] &&
    given.slice(first + 2) === name.slice(first + 2)
  );
}

/** A name with a suffix (`statuses`), a first half (`stat`, `approve`), or one word of a compound name (`launch`, `approved`). */
function isPartOf(given: string, name: string): boolean {
  if (name.startsWith(given) && given.length * 2 >= name.length) return true;
  if (name.length >= PART_LENGTH_MIN && given.startsWith(name)) return true;
  return name
    .split('-')
    .some(
      (part) =>
        part !== name &&
        part.length >= PART_LENGTH_MIN &&
        given.length >= PART_LENGTH_MIN - 1 &&
        leven(given, part) <= 1,
    );
}
