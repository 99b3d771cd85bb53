/** What gates read about a proposed change, apart from people and threads. Recorded with the gates' answers. */

import type { Digest, Instant, Sha, TreeId } from '../ids.ts';
import type { Observed } from '../observed.ts';
import type { BaseFacts, Delta } from './delta.ts';

/** What git reports about the change. */
export type ChangeFacts = {
  readonly headSha: Sha;
  readonly baseSha: Sha;
  /** The newest target-branch commit that the head contains; all comparisons use it. */
  readonly mergeBase: Sha;
  /** Whether the target branch ever pointed to the merge base, according to its newest pushes. */
  readonly isPastTip: Observed<boolean>;
  readonly changedPaths: readonly string[];
  /** Shipped path → id at the head; null = missing. */
  readonly trees: Readonly<Record<string, TreeId | null>>;
  /** Against the merge base. */
  readonly delta: Delta;
  /** Minor version of the Python that parsed the experiment, for example `3.11`. */
  readonly python: string;
  /** The pass it starts from; null = the target branch alone. */
  readonly base: BaseFacts | null;
  /** The head's committer time: the newest change to what would run. */
  readonly headAt: Instant;
  readonly mergeBaseAt: Instant;
  /** Target-branch commits since the merge base that touch shipped files, newest first, bounded. */
  readonly laterCommits: readonly LaterCommit[];
  /** The model size at the head; null if the lane does not define its scale. */
  readonly size: ModelSize | null;
  /**
   * Shipped files that differ from the failed attempt, or from the last attempt of the run it continues; null if there is none or the kind
   * of run does not need it.
   */
  readonly sinceAttempt: readonly FileChange[] | null;
};

/** `delta` null: not Python in both commits, or beyond the limit of parsed files. */
export type FileChange = { readonly path: string; readonly delta: Delta | null };

export type LaterCommit = { readonly sha: Sha; readonly subject: string };

/**
 * A check or commit status on the head, the newest of its name. `ours`: created by ferrybot, so no gate may depend on it (architecture,
 * D4). `awaits-approval`: a workflow run that a maintainer must first allow.
 */
export type CheckFacts = {
  readonly name: string;
  readonly workflow: string | null;
  readonly state: 'green' | 'failed' | 'running' | 'awaits-approval';
  /** GitHub's own word for the conclusion, for display. */
  readonly says: string;
  readonly ours: boolean;
  /** Only of ferrybot's own check run of the gates. */
  readonly id?: number;
};

/** Values parsed from the PR body's syntax tree; null = missing or malformed. */
export type BodyFacts = {
  readonly fingerprint: Digest;
  readonly risk: 'low' | 'medium' | 'high' | null;
  readonly objectiveKind: 'integration' | 'regression' | null;
  readonly linksLastFerry: boolean;
  readonly hasDeltaTable: boolean;
  readonly mismatches: readonly Mismatch[];
  readonly boxes: readonly { readonly text: string; readonly checked: boolean; readonly line: number }[];
};

/** A change that the PR's table lacks, with its row; or a row of the table that no change needs. */
export type Mismatch = {
  readonly kind: 'undeclared' | 'unchanged';
  readonly knob: string;
  /** `before -> after` */
  readonly real: string | null;
  readonly fileLine: number | null;
  readonly row: string | null;
};

/** The part of a pull request that gates read. */
export type TargetFacts = {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly merged: boolean;
  readonly isDraft: boolean;
  readonly baseBranch: string;
  /** `owner/name`; null if the fork was deleted. */
  readonly headRepository: string | null;
};

/** The facts of one evaluation that configurable gates read. `size` is decimal text because records cannot hold large numbers. */
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

/** Parameters, and floating point operations of training. */
export type ModelSize =
  | { readonly kind: 'known'; readonly parameters: number; readonly flops: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** Forward and backward pass of a dense model. */
const FLOPS_PER_PARAMETER_AND_TOKEN = 6;

/** The usual estimate for a dense model. */
export function trainingFlops(parameters: number, tokens: number): number {
  return FLOPS_PER_PARAMETER_AND_TOKEN * parameters * tokens;
}

/** Threshold of a hero run, whatever its name (policy HR-01). */
// rule HR-01
const HERO_FLOPS = 1e22;

/** Whether the cost alone makes a hero run. */
export function isHeroByCost(flops: number): boolean {
  return flops >= HERO_FLOPS;
}

/** The estimate ignores long-context attention and sparse layers, but a wrong digit or exponent is further off. */
const BUDGET_FACTOR = 3;

/** Whether a budget is plausible for the estimated cost. */
export function isBudgetFor(flops: number, estimated: number): boolean {
  return flops <= estimated * BUDGET_FACTOR && estimated <= flops * BUDGET_FACTOR;
}
