// What the labs of the campaign agree on, as labs and checker have to know it.

/** How old an approval may be in these labs: short, so that some sequences outlive it. */
export const APPROVAL_AGE_HOURS = 1;

/** The name that a second run of a proposal has. */
export function secondOf(run: string): string {
  return `${run}-2`;
}
