/** One part of a PR body as it was read: there, not there, or there and not usable. Lines are 1-based. */

export type Part<Value> =
  | { readonly kind: 'present'; readonly value: Value; readonly line: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly code: MalformedCode; readonly line: number };

export type MalformedCode =
  | 'repeated'
  | 'empty'
  | 'not-one-of'
  | 'unclear'
  | 'no-table'
  | 'two-tables'
  | 'no-boxes';

/** The value of a part that is there, else null. */
export function presentValue<Value>(part: Part<Value>): Value | null {
  return part.kind === 'present' ? part.value : null;
}
