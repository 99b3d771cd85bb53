/** Runs that start from an issue. */

type Threads = { readonly issue: number; readonly pull: number };

/**
 * Whether the run has an issue and no pull request: a hero run, a rental or an adopted job (docs/decisions/0125-evaluate-gates-on-current-facts.md). Issues and
 * pull requests share one number sequence, so equal numbers are one thread; 0 means none.
 */
export function isIssueFirst({ issue, pull }: Threads): boolean {
  return issue === pull && issue > 0;
}
