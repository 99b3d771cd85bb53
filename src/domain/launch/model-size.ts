/** How large what is trained is, and what a run of it spends: by what its files and its lane say, or why nobody can tell. */

/** A number of parameters, and of floating point operations of the model: decimal text, in full. */
export type ModelSize =
  | { readonly kind: 'known'; readonly parameters: number; readonly flops: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** Forward and backward pass of a dense model: 6 for each parameter and token. */
const FLOPS_PER_PARAMETER_AND_TOKEN = 6;

/** The usual estimate of a dense model's training. */
export function trainingFlops(parameters: number, tokens: number): number {
  return FLOPS_PER_PARAMETER_AND_TOKEN * parameters * tokens;
}

/** From here on a run is a hero run, whatever it is called (policy HR-01). */
// rule HR-01
const HERO_FLOPS = 1e22;

/** Whether a run of so many operations is one without being asked. */
export function isHeroByCost(flops: number): boolean {
  return flops >= HERO_FLOPS;
}

/** Attention over long contexts and sparse layers are beside the estimate; a wrong digit or power of ten is further off. */
const BUDGET_FACTOR = 3;

/** Whether a budget can be that of a training for which so much is estimated. */
export function isBudgetFor(flops: number, estimated: number): boolean {
  return flops <= estimated * BUDGET_FACTOR && estimated <= flops * BUDGET_FACTOR;
}
