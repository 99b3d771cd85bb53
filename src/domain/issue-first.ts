/** Tells a run that began as an issue from one with a pull request (docs/decisions/0013-issue-first.md). */

/** The two threads of a proposal, by their numbers. */
type Threads = { readonly issue: number; readonly pull: number };

/**
 * Whether the run has an issue and no pull request: a hero run, a rental or an adopted job. GitHub numbers issues and
 * pull requests from one sequence, so equal numbers are one thread; 0 means none.
 */
export function isIssueFirst({ issue, pull }: Threads): boolean {
  return issue === pull && issue > 0;
}
