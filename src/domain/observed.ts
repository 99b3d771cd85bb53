/** A fact about the outside world; `unknown` is a separate state and never passes a gate. */

export type Observed<Value> =
  | { readonly kind: 'known'; readonly value: Value }
  | { readonly kind: 'unknown'; readonly why: string };

/** A fact that was read. */
export function known<Value>(value: Value): Observed<Value> {
  return { kind: 'known', value };
}

/** `why` is shown to people and holds no secret. */
export function unknown(why: string): { readonly kind: 'unknown'; readonly why: string } {
  return { kind: 'unknown', why };
}
