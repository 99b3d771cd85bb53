/** How many letters two names differ by, a pair in the wrong order counted once. */

/** At most `SLIP_LETTERS_MAX`, or null where it is more. */
export function lettersApart(one: string, other: string): number | null {
  if (Math.abs(one.length - other.length) > SLIP_LETTERS_MAX) return null;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && i > 1 && j > 1 ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  const apart = row[other.length] ?? 0;
  return apart <= SLIP_LETTERS_MAX ? apart : null;
}

/** Beyond two letters it is another word (the policy's *obvious from context*). */
const SLIP_LETTERS_MAX = 2;

/** The one name that a misspelt one can mean; null where there is none, or only one that is too far from a short name. */
export function onlyNear(name: string, names: Iterable<string>): string | 'several' | null {
  const near = [...new Set(names)].filter(
    (one) => one !== name && isPlain(one) && lettersApart(name, one) !== null,
  );
  const [found] = near;
  if (found === undefined) return null;
  if (near.length > 1) return 'several';
  return isLike(name, found) ? found : null;
}

/** Letters that look like others are told apart by no reader of a difference. */
function isPlain(name: string): boolean {
  return /^[\x21-\x7e]+$/.test(name);
}

/** Of a short name two letters are nearly all: the interpreter's own measure, a sixth of both lengths. */
export function isLike(name: string, other: string): boolean {
  const apart = name === other ? null : lettersApart(name, other);
  return apart !== null && 6 * apart <= name.length + other.length + 3;
}
