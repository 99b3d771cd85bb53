/** A pull request or issue by a person, which may become a run. */

import type { Actor } from './actor.ts';
import type { Instant, Sha } from './values.ts';

export type OwnThread = {
  readonly number: number;
  readonly isOpen: boolean;
  readonly author: Actor;
  readonly authorIsBot: boolean;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  /** Oldest first; only the newest are read. */
  readonly labelled: readonly Labelled[];
};

export type OwnIssue = OwnThread & { readonly kind: 'issue' };

export type OwnPull = OwnThread & {
  readonly kind: 'pull';
  readonly isDraft: boolean;
  readonly headSha: Sha;
  readonly headBranch: string;
  /** `owner/name`; null if the fork was deleted. */
  readonly headRepository: string | null;
};

export type Labelled = {
  readonly label: string;
  readonly by: Actor;
  readonly isBot: boolean;
  readonly at: Instant;
};

/** GitHub label names are case-insensitive. */
export function hasLabel(labels: readonly string[], label: string): boolean {
  return labels.some((one) => isSameLabel(one, label));
}

/** Case-insensitive, as on GitHub. */
export function isSameLabel(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

type Threads = { readonly issue: number; readonly pull: number };

/**
 * Whether the run has an issue and no pull request: a hero run, a rental or an adopted job (docs/decisions/0125-evaluate-gates-on-current-facts.md). Issues and
 * pull requests share one number sequence, so equal numbers are one thread; 0 means none.
 */
export function isIssueFirst({ issue, pull }: Threads): boolean {
  return issue === pull && issue > 0;
}
