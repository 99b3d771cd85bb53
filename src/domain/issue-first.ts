/** Tells a ferry that is proposed on its issue alone from one that has a pull request (docs/decisions/0013-issue-first.md). */

/** The two threads of a proposal, by their numbers. */
type Threads = { readonly issue: number; readonly pull: number };

/**
 * Whether issue and pull request are one thread, and the change stands on a branch without a pull request. GitHub
 * numbers both from one sequence, so equal numbers are never two threads; 0 stands for none.
 */
export function isIssueFirst({ issue, pull }: Threads): boolean {
  return issue === pull && issue > 0;
}
