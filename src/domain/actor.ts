/** Who contributed to a proposal, according to GitHub. Contributors may not approve it (decision 0119). */

import type { Instant, Sha } from './values.ts';

/** `id` is GitHub's numeric user id and identifies the person; `login` may change and is for display. */
export type Actor = { readonly id: number; readonly login: string };

/** A login in a pattern: GitHub's rule for account names. Logins of Enterprise Managed Users end in `_` and a short code. */
export const LOGIN = '[A-Za-z0-9][A-Za-z0-9-]{0,38}(?:_[A-Za-z0-9]{1,30})?';

/** Roles from least to most (GitHub REST, collaborators/permission `role_name`). */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Whether `held` is at least `needed`. */
export function permits(held: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(needed);
}

/** GitHub numbers the three kinds separately. */
export const SURFACES = ['comment', 'review', 'review-comment'] as const;
export type Surface = (typeof SURFACES)[number];

/** `app`: login without `[bot]`. `unnamed`: GitHub does not identify the contributor. */
export type Contributor =
  | { readonly kind: 'person'; readonly actor: Actor }
  | { readonly kind: 'app'; readonly login: string }
  | { readonly kind: 'unnamed' };

/** One version of a text; null if GitHub deleted that version. `sealedFor`: the run for which control's key sealed exactly this text. */
export type TextVersion = { readonly by: Contributor; readonly text: string | null; readonly sealedFor?: string };

/** Author and committer are claims in the commit; only the pusher is verified by GitHub. */
export type BranchCommit = {
  readonly sha: Sha;
  readonly author: Contributor;
  readonly authorEmail: string;
  readonly committer: Contributor;
  readonly committerEmail: string;
};

/** `after`: the branch head after the push. */
export type BranchPush = { readonly by: Contributor; readonly after: Sha };

/**
 * `commits`: those on the proposal's branch and not on the target branch. `pushes`: those since the bot's last push, or all if that push is
 * unknown. `isWhole` is false if the history is longer than the limit of what is read.
 */
export type BranchWork = {
  readonly commits: readonly BranchCommit[];
  readonly pushes: readonly BranchPush[];
  readonly isWhole: boolean;
};

export const NO_BRANCH_WORK: BranchWork = { commits: [], pushes: [], isWhole: true };

/** A contribution without an identified person. `about`: the commit or the place of the text; `by`: its claimed name. */
export type UnnamedWork = {
  readonly code: 'opened-unnamed' | 'commit-unnamed' | 'push-unnamed' | 'edit-unnamed' | 'too-much-work';
  readonly about: string;
  readonly by: string;
};

export type Authors = { readonly people: readonly Actor[]; readonly unnamed: readonly UnnamedWork[] };

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

export type Labelled = { readonly label: string; readonly by: Actor; readonly isBot: boolean; readonly at: Instant };

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
 * Whether the run has an issue and no pull request: a hero run, a rental or an adopted job (decision 0125). Issues and pull requests share
 * one number sequence, so equal numbers are one thread; 0 means none.
 */
export function isIssueFirst({ issue, pull }: Threads): boolean {
  return issue === pull && issue > 0;
}
