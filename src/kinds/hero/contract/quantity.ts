/** What a hero run computes: its operations by parameters and tokens, and from when on a run is one. */

/** Floating-point operations of training: six a parameter and token (policy HR, the 6ND heuristic). */
export function trainingFlops(parameters: number, tokens: number): number {
  return 6 * parameters * tokens;
}

/** From here on a run is a hero run, whatever it is called (policy HR). */
const HERO_FLOPS = 1e22;

/** Whether a run of so many operations is one without being asked. */
export function isHeroByCost(flops: number): boolean {
  return flops >= HERO_FLOPS;
}

/** A large number as a person writes it; integers only go into the record, so that it is text. */
export function scientific(value: number): string {
  return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
}
