/** Whose work a proposal is, as far as GitHub tells: whoever has a hand in it may not approve it (docs/decisions, *who is an author*). */

import type { Actor } from './actor.ts';
import type { Sha } from './ids.ts';

/** A person by their id, an app by its name (without `[bot]`), or somebody whom GitHub does not name. */
export type Contributor =
  | { readonly kind: 'person'; readonly actor: Actor }
  | { readonly kind: 'app'; readonly login: string }
  | { readonly kind: 'unnamed' };

/**
 * A text as somebody left it; null where GitHub does not keep that version any more. `sealedFor`: the run for which control's
 * key sealed exactly this text, whoever put it there.
 */
export type TextVersion = {
  readonly by: Contributor;
  readonly text: string | null;
  readonly sealedFor?: string;
};

/** One commit. Author and committer are what its maker wrote into it: the pusher is what GitHub saw. */
export type BranchCommit = {
  readonly sha: Sha;
  readonly author: Contributor;
  readonly authorEmail: string;
  readonly committer: Contributor;
  readonly committerEmail: string;
};

/** One move of the branch: who made it, and the commit that it was left on. */
export type BranchPush = { readonly by: Contributor; readonly after: Sha };

/**
 * What was done on a proposal's branch: its commits that are not on the target branch, and its pushes since the bot's own
 * (or all of them, where that is not known). `isWhole` false: there is more than is read.
 */
export type BranchWork = {
  readonly commits: readonly BranchCommit[];
  readonly pushes: readonly BranchPush[];
  readonly isWhole: boolean;
};

export const NO_BRANCH_WORK: BranchWork = { commits: [], pushes: [], isWhole: true };

/** Work that nobody can be named for. `about`: the commit, or where the text stands; `by`: the name that it goes under. */
export type UnnamedWork = {
  readonly code: 'opened-unnamed' | 'commit-unnamed' | 'push-unnamed' | 'edit-unnamed' | 'too-much-work';
  readonly about: string;
  readonly by: string;
};

/** The people who had a hand in a proposal, each once, and what is left over. */
export type Authors = { readonly people: readonly Actor[]; readonly unnamed: readonly UnnamedWork[] };
