/**
 * Canonical JSON (RFC 8785) with integers only, as docs/logbook.md specifies it. It is a separate implementation, so
 * that it reveals a mistake in the bot's own.
 */

/** The canonical text of a parsed value; throws for values that the logbook does not allow. */
export function canonicalText(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw new RangeError(`${value} is no integer`);
    return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is no JSON`);
  // JavaScript's string order is by code units, as RFC 8785 requires.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${canonicalText(one)}`).join(',')}}`;
}
