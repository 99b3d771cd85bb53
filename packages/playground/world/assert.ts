/** Proof to the compiler that a switch over a union has forgotten nothing. */

/** Never returns; it is a bug of the playground if it is reached. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
