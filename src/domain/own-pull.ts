/** A pull request or an issue that somebody else than the bot opened, as it may become a run. */

import type { Actor } from './actor.ts';
import type { Instant, Sha } from './ids.ts';

export type OwnThread = {
  readonly number: number;
  readonly isOpen: boolean;
  readonly author: Actor;
  readonly authorIsBot: boolean;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  /** Oldest first; a bounded number of the newest. */
  readonly labelled: readonly Labelled[];
};

export type OwnIssue = OwnThread & { readonly kind: 'issue' };

export type OwnPull = OwnThread & {
  readonly kind: 'pull';
  readonly isDraft: boolean;
  readonly headSha: Sha;
  readonly headBranch: string;
  /** `owner/name`, or null where the fork is gone. */
  readonly headRepository: string | null;
};

/** A label was put on. */
export type Labelled = {
  readonly label: string;
  readonly by: Actor;
  readonly isBot: boolean;
  readonly at: Instant;
};

/** Whether a label is there; GitHub takes names that differ in case alone for one. */
export function hasLabel(labels: readonly string[], label: string): boolean {
  return labels.some((one) => isSameLabel(one, label));
}

/** See `hasLabel`. */
export function isSameLabel(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
