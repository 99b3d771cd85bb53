/** The two assertions of the core: a switch that forgot a case, and a fact that must hold. */

/** Makes the compiler refuse a switch that misses a member, and the program refuse it where types were lied to. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/** Throws where a fact that the code relies on does not hold; `code` names the broken assumption. Stays on in production. */
export function invariant(condition: boolean, code: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${code}`);
}
