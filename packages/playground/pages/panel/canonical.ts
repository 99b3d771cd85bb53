/** Canonical JSON (RFC 8785) with integers only, as docs/logbook.md describes it; written anew, so that a mistake of the bot's shows. */

/** The canonical text of a parsed value; throws for what the logbook's form does not allow. */
export function canonicalText(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw new RangeError(`${value} is no integer`);
    return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is no JSON`);
  // Sorting by code units is JavaScript's own order of strings, and RFC 8785's.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${canonicalText(one)}`).join(',')}}`;
}
