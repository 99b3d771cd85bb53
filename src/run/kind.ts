/**
 * The interface of a kind of run; everything else is common to all kinds. A kind is one folder in src/kinds and one line in its registry
 * (docs/extending.md).
 */

import type { CommandDecision } from '../commands/decision.ts';
import type { LaneConfig, LaneKind, LaneKinds } from '../config/lane-schema.ts';
import { metricsHaveARule } from '../config/rules/lane-rules.ts';
import type { ContractFields } from '../contracts/fields.ts';
import type { BodyFacts, SealedMetrics } from '../domain/facts.ts';
import { type Responses, USUAL_RESPONSES } from '../domain/failure-class.ts';
import type { GitReader } from '../domain/git.ts';
import type { CarriedOverFile, Delta, ExperimentFile, ModelSize, ReadSource } from '../domain/launch/change-facts.ts';
import type { CheckpointPlan, Contract, ContractIssue, MachineNeeds, PinnedSource } from '../domain/launch/contract.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { Fixer } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import type { Objective, ProposalRequest } from '../domain/logbook/events/launch-events.ts';
import type { Description, Ending, RunState } from '../domain/logbook/run-state.ts';
import type { MetricRow, RunVerdict } from '../domain/past-runs.ts';
import type { RunId, Sha } from '../domain/values.ts';
import type { Gate } from '../gates/gate.ts';
import type { Proposals } from './proposing.ts';

/** Sealed ferries used for the median (policy DF-29). */
const VERDICT_HISTORY_RUNS = 5;

/**
 * Pass: SUCCEEDED, the last step reached (minus `finalStepSlack`), and every metric within tolerance of the median of recent sealed ferries
 * (policy DF-29). A missing metric or step is unknown, which is no pass.
 */
export function judgeRun(end: Ending, lane: LaneConfig, history: readonly SealedMetrics[]): RunVerdict {
  const recent = history.slice(0, VERDICT_HISTORY_RUNS);
  const expectedStep = lane.finalStep ?? end.totalSteps;
  const stepOutcome = judgeStep(end.lastStep, expectedStep);
  const rows = lane.metrics.map((metric) => judgeMetric(metric, end.metrics[metric.key] ?? null, recent));
  const statusOk = end.status === 'SUCCEEDED';
  // Exit code 0 does not explain a failure at the end of the log.
  const logOutcome = statusOk && end.diagnosis !== undefined ? 'unknown' : 'pass';
  const outcomes = [statusOk ? 'pass' : 'fail', stepOutcome, logOutcome, ...rows.map((row) => row.outcome)];
  const result = outcomes.includes('fail') ? 'fail' : outcomes.includes('unknown') ? 'unknown' : 'pass';
  return {
    result,
    statusOk,
    expectedStep,
    lastStep: end.lastStep,
    stepOutcome,
    rows,
    comparedWith: recent.map((r) => r.run),
  };
}

function judgeStep(last: number | null, expected: number | null): 'pass' | 'fail' | 'unknown' {
  if (last === null || expected === null) return 'unknown';
  return last >= expected - limits.finalStepSlack ? 'pass' : 'fail';
}

function judgeMetric(
  metric: LaneConfig['metrics'][number],
  value: string | null,
  history: readonly SealedMetrics[],
): MetricRow {
  const base = { key: metric.key, value, tolerancePercent: metric.tolerancePercent };
  const past = history.map((h) => parseNumber(h.metrics[metric.key] ?? '')).filter(Number.isFinite);
  const number = parseNumber(value ?? '');
  if (!Number.isFinite(number))
    return { ...base, median: null, worsePercent: null, outcome: value === null ? 'unknown' : 'fail' };
  // A policy's loss may be negative, as in its earlier runs; any other one is impossible.
  if (number < 0 && NEVER_NEGATIVE.test(metric.key) && past.every((one) => one >= 0))
    return { ...base, median: null, worsePercent: null, outcome: 'unknown' };
  if (past.length === 0) return { ...base, median: null, worsePercent: null, outcome: 'no-baseline' };
  const median = computeMedian(past);
  const worse = metric.better === 'lower' ? number - median : median - number;
  const worsePercent = median === 0 ? (worse > 0 ? Number.POSITIVE_INFINITY : 0) : (worse / Math.abs(median)) * 100;
  return {
    ...base,
    median: String(median),
    worsePercent,
    outcome: worsePercent <= Number(metric.tolerancePercent) ? 'pass' : 'fail',
  };
}

const NEVER_NEGATIVE = /(?:^|[/_-])(?:loss|nll|bpb|ppl|perplexity|cross_?entropy)(?:$|[/_-])/i;

/** Parses a number. Blank text is not a number, although `Number` parses it as zero. */
function parseNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** The list must not be empty. */
function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (upper + lower) / 2;
}

/** A kind of run. Each capability is one optional member. */
export type Kind = LaneKind & {
  /** Set if the bot opens pull requests for its runs. */
  readonly proposals?: Proposes;
  /** Set if its runs start from issues. */
  readonly contracts?: Contracts;
  /** Set if it adopts jobs that a person launched. */
  readonly adoption?: Adopts;
  /** How the code of a failed attempt may be fixed. */
  readonly fixes?: (lane: LaneConfig) => Fixes;
  /**
   * An expensive run: the watch also checks the checkpoint stores and other jobs on the cluster, a relaunch compares the code, and a seal
   * needs the final checkpoint.
   */
  readonly isCritical?: true;
  /** Gates in addition to the common ones. */
  readonly gates: readonly Gate[];
  /** Settings that its gates read, as part of the approved manifest. */
  readonly policy: (lane: LaneConfig) => Manifest['policy'];
  /** How ferrybot responds to a failed attempt. */
  readonly responses: Responses;
  /** `history`: metrics of the lane's runs sealed before the end, newest first. */
  readonly judge: (end: Ending, lane: LaneConfig, history: readonly SealedMetrics[]) => RunVerdict;
};

const DEFAULTS = {
  rules: [metricsHaveARule],
  settingsOf: () => ({}),
  gates: [],
  policy: () => ({}),
  responses: USUAL_RESPONSES,
  judge: judgeRun,
} satisfies Partial<Kind>;

/** Fills in the defaults. */
export function defineKind(kind: Pick<Kind, 'name' | 'settings'> & Partial<Kind>): Kind {
  return { ...DEFAULTS, ...kind };
}

/** How the bot proposes runs, parses the pull request, and closes it. */
export type Proposes = Proposals & {
  /** The file with the settings that a proposal changes. Absent: a run uses the branch as it is. */
  readonly change?: {
    readonly file: (lane: LaneConfig) => string;
    /** Computes the model size from the file; null if the lane sets no scale. */
    readonly size: (lane: LaneConfig) => ((head: ExperimentFile) => ModelSize) | null;
    /** The file that a run based on a sealed pass starts from. Throws `GitError` if git cannot answer. */
    readonly start: (git: GitReader, read: ReadSource, place: StartPlace) => Promise<CarriedOverFile>;
  };
  /** The declarations in a pull request's text; null if it is too large or too deeply nested. Absent: nothing is declared. */
  readonly readText?: (markdown: string, about: BodyContext) => DeclaredText | null;
  /** The file that a closure pull request extends; absent: a seal opens none. */
  readonly closureLog?: ClosureLog;
  /** What happens to the proposal's pull request after the seal. */
  readonly afterSeal: (lane: LaneConfig) => 'merge' | 'close' | 'leave';
};

export type DeclaredText = Omit<BodyFacts, 'fingerprint'>;

type Fixes = {
  /** Files and folders that a person's fix may change, for display. */
  readonly fixable: readonly string[];
  /** Which files a fix program may change; null: none. */
  readonly mayFix: ((path: string) => boolean) | null;
  /** The lab's own program, used when the built-in fixer has no patch. */
  readonly fixer: Fixer | null;
  /** Files in which the built-in fix may be launched once per run without another approval. */
  readonly preApproved: readonly string[];
};

/**
 * Runs from issues: the issue's text is the contract. It is parsed at each reconciliation and recorded when it changed; its values replace
 * the lane's settings.
 */
export type Contracts = {
  /** Additional labels that request a run of this kind. */
  readonly labels: readonly string[];
  /** Whether the content of an experiment's issue makes it a run of this kind without a label; absent: never. */
  readonly claims?: (contract: Contract) => boolean;
  /** The command that requests a run in an issue; its arguments are contract values. */
  readonly command?: string;
  readonly fields: ContractFields;
  readonly read: (issue: ContractIssue, lane: LaneConfig) => Contract;
  readonly settings: (lane: LaneConfig, contract: Contract) => LaneConfig;
  /** Requirements for the rented machine, if one is rented. */
  readonly machine?: (contract: Contract) => MachineNeeds;
  /** Smaller settings, in order, for attempts after running out of memory. */
  readonly reductions?: (lane: LaneConfig) => readonly string[];
  /** Packages and variables, in order, for attempts after a dependency failure. */
  readonly repairs?: (lane: LaneConfig) => readonly string[];
  /** The contract's cost of one launch in accelerator-hours. */
  readonly cost?: (contract: Contract) => string | null;
  /** The pinned commit; null if the run uses the lane's branch. */
  readonly source: (contract: Contract) => PinnedSource | null;
  /** Where the run starts from and stores checkpoints. `lane` already has the contract's settings. */
  readonly checkpoints?: (contract: Contract, lane: LaneConfig) => CheckpointPlan;
  /** The container to run in, or null. Absent if this kind does not check containers. */
  readonly container?: (contract: Contract) => string | null;
  readonly name: (contract: Contract) => RunId | null;
  readonly objective: (contract: Contract) => Objective;
  /** How the bot opens an issue for a requested run; absent if it opens none. */
  readonly opensIssue?: {
    readonly title: string;
    /** Contract values derived from the requester and the objective. */
    readonly known: (asked: {
      readonly login: string;
      readonly objective: string | null;
    }) => Readonly<Record<string, string>>;
  };
  /** Contract values for a run that continues another one. */
  readonly continuationValues?: (old: RunId, said: Readonly<Record<string, string>>) => ProposalRequest['knobs'];
};

/** Settings to relaunch an adopted job, from the cluster's description. */
export type Adopts = {
  /** The lane's settings for it. */
  readonly settings: (lane: LaneConfig, job: Description) => LaneConfig;
  /** Its commit; null if unknown or not on a branch of the repository. */
  readonly source: (job: Description) => PinnedSource | null;
};

/** `pass`: the commit of the sealed pass; `onto`: the target branch commit that the run is based on. */
export type StartPlace = { readonly path: string; readonly passCommit: Sha; readonly baseCommit: Sha };

export type BodyContext = {
  readonly delta: Delta;
  /** The earlier run that the proposal names, from the record. */
  readonly last: Pick<RunState['proposal'], 'issue' | 'pull'> | null;
};

export type ClosureLog = {
  readonly path: (lane: LaneConfig) => string;
  /** The whole file with this run's entry; `before` null = no file yet. */
  readonly text: (
    view: ClosureView & { readonly before: string | null; readonly verdict: RunVerdict | null },
  ) => string;
  readonly pull: (view: ClosureView) => {
    readonly title: string;
    readonly body: string;
    readonly labels: readonly string[];
  };
};

export type ClosureDecision = Extract<CommandDecision, { readonly kind: 'seal' | 'close' }>;
export type ClosureView = { readonly state: RunState; readonly decision: ClosureDecision; readonly tag: string };

/** All kinds; the first is the default of a lane. */
export type Kinds = LaneKinds<Kind>;
