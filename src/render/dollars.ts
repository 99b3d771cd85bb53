/** Millionths of a dollar as people read them. */

const MICRO = 1_000_000;

/** Dollars without their sign, to so many decimals. */
export function dollarText(microdollars: number, decimals = 2): string {
  return (microdollars / MICRO).toFixed(decimals);
}
