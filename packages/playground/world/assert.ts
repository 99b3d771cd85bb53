/** Compile-time proof that a switch over a union is exhaustive. */

/** Never returns. Reaching it is a bug of the playground. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
