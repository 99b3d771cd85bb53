/** A large number as a contract has it. */

/** As a person writes it; integers only go into the record, so that it is text. */
export function scientific(value: number): string {
  return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
}
