/** Exhaustiveness check for switches: a compile error, and an exception if the types were wrong. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/** Throws if an assumption does not hold; `code` names it. Also active in production. */
export function invariant(condition: boolean, code: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${code}`);
}
