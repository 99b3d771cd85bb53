/** Model size and training cost, derived from the experiment's files and its lane. */

/** Parameters, and floating point operations of training. */
export type ModelSize =
  | { readonly kind: 'known'; readonly parameters: number; readonly flops: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** Forward and backward pass of a dense model. */
const FLOPS_PER_PARAMETER_AND_TOKEN = 6;

/** The usual estimate for a dense model. */
export function trainingFlops(parameters: number, tokens: number): number {
  return FLOPS_PER_PARAMETER_AND_TOKEN * parameters * tokens;
}

/** Threshold of a hero run, whatever its name (policy HR-01). */
// rule HR-01
const HERO_FLOPS = 1e22;

/** Whether the cost alone makes a hero run. */
export function isHeroByCost(flops: number): boolean {
  return flops >= HERO_FLOPS;
}

/** The estimate ignores long-context attention and sparse layers, but a wrong digit or exponent is further off. */
const BUDGET_FACTOR = 3;

/** Whether a budget is plausible for the estimated cost. */
export function isBudgetFor(flops: number, estimated: number): boolean {
  return flops <= estimated * BUDGET_FACTOR && estimated <= flops * BUDGET_FACTOR;
}
