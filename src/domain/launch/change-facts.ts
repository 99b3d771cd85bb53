/** What the gates look at of a proposed change, without the people and the threads: recorded with their answers. */

import type { Digest, Instant, Sha, TreeId } from '../ids.ts';
import type { Observed } from '../observed.ts';
import type { BaseFacts } from './base.ts';
import type { Delta } from './delta.ts';
import type { ModelSize } from './model-size.ts';

/** What git says about the proposed change. */
export type ChangeFacts = {
  readonly headSha: Sha;
  readonly baseSha: Sha;
  /** The newest commit of the target branch that the head contains, which everything is compared with. */
  readonly mergeBase: Sha;
  /** Whether the target branch ever pointed to it, by its newest moves. */
  readonly isPastTip: Observed<boolean>;
  readonly changedPaths: readonly string[];
  /** Shipped path → id at the head; null = not there. */
  readonly trees: Readonly<Record<string, TreeId | null>>;
  /** Against the merge base. */
  readonly delta: Delta;
  /** Minor version of the Python that read the experiment, such as `3.11`. */
  readonly python: string;
  /** The pass that it goes on from; null = it starts from the target branch alone. */
  readonly base: BaseFacts | null;
  /** Committer's time of the head: the newest change of what would run. */
  readonly headAt: Instant;
  readonly mergeBaseAt: Instant;
  /** Commits on the target branch since the merge base that touch what the job ships: newest first, a bounded number. */
  readonly laterCommits: readonly LaterCommit[];
  /** What the head would train; null where the lane says nothing of its scale. */
  readonly size: ModelSize | null;
  /** What the job ships other than the attempt that has failed, or the last one of the run that it goes on from; null where there is none, or its kind of run does not ask. */
  readonly sinceAttempt: readonly FileChange[] | null;
};

/** One file that differs. `delta` null: no Python in both commits, or one file more than are read. */
export type FileChange = { readonly path: string; readonly delta: Delta | null };

export type LaterCommit = { readonly sha: Sha; readonly subject: string };

/**
 * One check or commit status on the head, the newest of its name. `ours`: ferrybot's own, which is no condition of
 * anything (architecture, D4). `awaits-approval`: a workflow run that GitHub does not start before a maintainer allows it.
 */
export type CheckFacts = {
  readonly name: string;
  readonly workflow: string | null;
  readonly state: 'green' | 'failed' | 'running' | 'awaits-approval';
  /** The conclusion or state in GitHub's own word, for people. */
  readonly says: string;
  readonly ours: boolean;
};

/** What the PR body says, read from its syntax tree; null = that part is missing or malformed. */
export type BodyFacts = {
  readonly fingerprint: Digest;
  readonly risk: 'low' | 'medium' | 'high' | null;
  readonly objectiveKind: 'integration' | 'regression' | null;
  readonly linksLastFerry: boolean;
  readonly hasDeltaTable: boolean;
  readonly mismatches: readonly Mismatch[];
  readonly boxes: readonly { readonly text: string; readonly checked: boolean; readonly line: number }[];
};

/** A row of the PR's table that does not say what the files say; `row` is the row that would be right. */
export type Mismatch = {
  readonly kind: 'undeclared' | 'misdeclared' | 'doubled' | 'unchanged';
  readonly knob: string;
  readonly path: string | null;
  readonly declared: string | null;
  readonly real: string | null;
  readonly fileLine: number | null;
  readonly bodyLine: number | null;
  readonly row: string | null;
};

/** The part of a pull request that gates look at. */
export type TargetFacts = {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly merged: boolean;
  /** Its author says that it is not ready. */
  readonly isDraft: boolean;
  readonly baseBranch: string;
  /** `owner/name`, or null where the fork is gone. */
  readonly headRepository: string | null;
};

/** The facts of one evaluation that gates with settings look at. `size`: decimal text, because a record has no large numbers. */
export type GatedFacts = {
  readonly pull: TargetFacts;
  readonly change: Omit<ChangeFacts, 'size' | 'sinceAttempt'> & {
    readonly size:
      | { readonly kind: 'known'; readonly parameters: string; readonly flops: string }
      | { readonly kind: 'unknown'; readonly why: string }
      | null;
  };
  readonly body: BodyFacts;
  readonly checks: readonly CheckFacts[];
};
