/** The facts about a proposed change that gates read, without people and threads. The record keeps them with the gates' answers. */

import type { Digest, Instant, Observed, RunId, Sha, TreeId } from '../values.ts';
import type { Manifest, ManifestChange } from './manifest.ts';

/** A value's one-line text. Offsets are UTF-16 units of the file; `end` is exclusive. */
export type SourceValue = {
  readonly text: string;
  /** Equal for values with the same type and value, independent of spelling. */
  readonly same: string;
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly line: number;
  readonly isString?: true | undefined;
  readonly names?: readonly string[] | undefined;
  /** Entries of a mapping, or of a list that contains mappings. */
  readonly container?: string | undefined;
  readonly entries?: readonly ValueEntry[] | undefined;
};

/** `segment` is appended to the parent's path; `knob` is absent if the key is not a plain name. */
export type ValueEntry = SourceValue & {
  readonly key: string;
  readonly segment: string;
  readonly knob?: string | undefined;
};

/** A value with the path that people use. To find it in another version of the file, use `place` and `key`, not the path. */
export type Setting = SourceValue & {
  readonly place: number;
  readonly key: string;
  /** Before or after an expansion in its container. */
  readonly side?: number | undefined;
  /** For example `train.SimpleTrainConfig().learning_rate`. */
  readonly path: string;
  readonly knob: string;
};

/** One statement without its settings and nested statements. Equal code has equal `same`. */
export type CodeStatement = {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly same: string;
  /** The name bound by a top-level import, and the import's text. */
  readonly imports?: { readonly name: string; readonly text: string } | undefined;
};

export type ExperimentFile = {
  readonly kind: 'read';
  readonly text: string;
  readonly settings: readonly Setting[];
  readonly containerLines: readonly number[];
  readonly code: readonly CodeStatement[];
  /** Names that the code references, except imports. */
  readonly names: readonly string[];
};

/** `unparsable`: the parser rejected the file, or a limit was reached; `message` explains the fix. */
export type FileReading =
  | ExperimentFile
  | { readonly kind: 'unparsable'; readonly line: number; readonly message: string };

/** `path` decides the format; `python` reads Python. Never throws for an error of the file or the interpreter. */
export type ReadExperiment = (
  source: string | Uint8Array,
  file: { readonly path: string; readonly python: string },
) => Promise<FileReading>;

export type ReadSource = (source: string) => Promise<FileReading>;

/** The policy's five kinds of small change (policy DF-35). */
export const BUCKETS = ['datamix', 'optimizer', 'architecture', 'system', 'observability'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** One changed knob as source text; null = absent. `line` is 1-based, in the head file if the knob exists there. */
export type KnobChange = {
  readonly knob: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly bucket: Bucket | null;
  readonly line: number;
};

export type Delta =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'knobs';
      readonly changes: readonly KnobChange[];
      /** Writing the old values back would not restore the old file, because settings or other text changed too. */
      readonly leavesMore?: true;
    }
  | { readonly kind: 'structural'; readonly side: 'base' | 'head'; readonly line: number; readonly statement: string }
  | { readonly kind: 'unparsable'; readonly side: 'base' | 'head'; readonly line: number; readonly message: string };

/** The sealed pass and the commit it was launched from. */
export type RunBase = { readonly run: RunId; readonly commit: Sha };

/**
 * Why a setting of the pass is not kept. `moved`: the target branch changed it since. `gone`: the target branch removed the knob.
 * `no-value`: the pass added or removed the setting, and only values can be written into a changed file. `unclear`: the target branch's
 * change could not be determined.
 */
export const NOT_TAKEN_REASONS = ['moved', 'gone', 'no-value', 'unclear'] as const;

/** A knob that runs with the target branch's value instead of the pass's; null = absent. */
export type KnobNotTaken = {
  readonly knob: string;
  readonly path: string;
  readonly ran: string | null;
  readonly target: string | null;
  readonly why: (typeof NOT_TAKEN_REASONS)[number];
};

export type CarriedOverFile = { readonly text: string; readonly notTaken: readonly KnobNotTaken[] };

/** `delta` is the difference between the starting configuration and the proposal. */
export type BaseFacts = RunBase & { readonly delta: Delta; readonly notTaken: readonly KnobNotTaken[] };

/** Changes that the lane has not yet run successfully. */
export function newDelta({ delta, base }: { readonly delta: Delta; readonly base: BaseFacts | null }): Delta {
  return base === null ? delta : base.delta;
}

/** `newDelta` for an approved manifest. */
export function newChanges({ base, delta }: Pick<Manifest, 'base' | 'delta'>): readonly ManifestChange[] {
  return base === undefined ? delta : base.changes;
}

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
  /** The sealed pass that the run starts from; null: only the target branch. */
  readonly base: BaseFacts | null;
  /** The head's committer time: the newest change to what would run. */
  readonly headAt: Instant;
  readonly mergeBaseAt: Instant;
  /** Target-branch commits since the merge base that touch shipped files, newest first, bounded. */
  readonly laterCommits: readonly LaterCommit[];
  /** The model size at the head; null if the lane does not define its scale. */
  readonly size: ModelSize | null;
  /**
   * Shipped files that differ from the failed attempt, or from the last attempt of the continued run. Null if neither exists, or if the
   * kind of run does not need this fact.
   */
  readonly sinceAttempt: readonly FileChange[] | null;
};

/** `delta` null: not Python in both commits, or beyond the limit of parsed files. */
export type FileChange = { readonly path: string; readonly delta: Delta | null };

export type LaterCommit = { readonly sha: Sha; readonly subject: string };

/** A check on the head, the newest of its name. `ours`: no gate may depend on it (D4). `awaits-approval`: a maintainer must allow it. */
export type CheckFacts = {
  readonly name: string;
  readonly workflow: string | null;
  readonly state: 'green' | 'failed' | 'running' | 'awaits-approval';
  /** GitHub's own word for the conclusion, for display. */
  readonly says: string;
  readonly isOwn: boolean;
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

/** `undeclared`: a change that the PR's table lacks; `row` is the row to add. `unchanged`: a table row without a change. */
export type Mismatch = {
  readonly kind: 'undeclared' | 'unchanged';
  readonly knob: string;
  /** `before -> after` */
  readonly actual: string | null;
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

/** For the forward and the backward pass of a dense model. */
const FLOPS_PER_PARAMETER_AND_TOKEN = 6;

/** Estimates the training FLOPs of a dense model with the usual formula. */
export function trainingFlops(parameters: number, tokens: number): number {
  return FLOPS_PER_PARAMETER_AND_TOKEN * parameters * tokens;
}

/** Training FLOPs from which every run is a hero run, regardless of its name (policy HR-01). */
// rule HR-01
const HERO_FLOPS = 1e22;

/** Whether the training FLOPs make the run a hero run. */
export function isHeroSized(flops: number): boolean {
  return flops >= HERO_FLOPS;
}

/** The estimate ignores long-context attention and sparse layers. A wrong digit or exponent exceeds this factor. */
const BUDGET_FACTOR = 3;

/** Whether a budget is plausible for the estimated cost. */
export function isPlausibleBudget(flops: number, estimated: number): boolean {
  return flops <= estimated * BUDGET_FACTOR && estimated <= flops * BUDGET_FACTOR;
}
