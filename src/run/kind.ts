/**
 * What a kind of run decides. Everything else about a run is the same for all kinds and asks here; a kind is one folder
 * in src/kinds and one line in its registry (docs/extending.md).
 */

import type { CommandDecision } from '../commands/decision.ts';
import type { LaneKind, LaneKinds } from '../config/lane-kind.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import { METRICS_JUDGE } from '../config/rules/lane-rules.ts';
import type { ContractFields } from '../contracts/fields.ts';
import type { ExperimentFile, ReadFile } from '../domain/experiment.ts';
import type { BodyFacts, SealedMetrics } from '../domain/facts.ts';
import { type Responses, USUAL_RESPONSES } from '../domain/failure-class.ts';
import type { GitReader } from '../domain/git.ts';
import type { RunId, Sha } from '../domain/ids.ts';
import type { CarriedOver } from '../domain/launch/base.ts';
import type { CheckpointPlan, Contract, ContractIssue, PinnedSource } from '../domain/launch/contract.ts';
import type { Delta } from '../domain/launch/delta.ts';
import type { Fixer } from '../domain/launch/fixer.ts';
import type { MachineNeeds } from '../domain/launch/machine-needs.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { ModelSize } from '../domain/launch/model-size.ts';
import type { Objective, ProposalRequest } from '../domain/logbook/events/launch-events.ts';
import type { Description, Ending, RunState } from '../domain/logbook/run-state.ts';
import type { RunVerdict } from '../domain/run-verdict.ts';
import type { Gate } from '../gates/gate.ts';
import { judgeRun } from './judge-run.ts';
import type { Proposals } from './proposing.ts';

/** What a kind can do stands in one member for each capability; a kind that cannot do it leaves the member out. */
export type Kind = LaneKind & {
  /** The bot opens pull requests for its runs. */
  readonly proposes?: Proposes;
  /** Its runs begin from issues. */
  readonly contracts?: Contracts;
  /** It takes over jobs that a person launched by hand. */
  readonly adopts?: Adopts;
  /** How the code of a failed attempt may be fixed. */
  readonly fixes?: (lane: LaneConfig) => Fixes;
  /** An expensive run: at each look the watch also asks the checkpoint stores and what else runs on the cluster, a relaunch compares the code, and a seal needs the final checkpoint. */
  readonly isCritical?: true;
  /** Its gates, in addition to those of every kind. */
  readonly gates: readonly Gate[];
  /** Settings that its gates read: they are part of what is approved. */
  readonly policy: (lane: LaneConfig) => Manifest['policy'];
  /** What ferrybot does after a failed attempt. */
  readonly responses: Responses;
  /** `history`: metrics of runs of the lane that were sealed before it ended, newest first. */
  readonly judge: (end: Ending, lane: LaneConfig, history: readonly SealedMetrics[]) => RunVerdict;
};

const DEFAULTS = {
  rules: [METRICS_JUDGE],
  settingsOf: () => ({}),
  gates: [],
  policy: () => ({}),
  responses: USUAL_RESPONSES,
  judge: judgeRun,
} satisfies Partial<Kind>;

/** A kind with the defaults for what it does not say. */
export function defineKind(kind: Pick<Kind, 'name' | 'settings'> & Partial<Kind>): Kind {
  return { ...DEFAULTS, ...kind };
}

/** How the bot proposes runs of a kind, what it reads in the pull request, and how it closes one. */
export type Proposes = Proposals & {
  /** The file whose settings a proposal changes; left out: a run takes the branch as it is. */
  readonly change?: {
    readonly file: (lane: LaneConfig) => string;
    /** Reads the model's size in such a file; null where the lane sets no scale, so that no file is read. */
    readonly size: (lane: LaneConfig) => ((head: ExperimentFile) => ModelSize) | null;
    /** The file that a run which continues from a pass starts from. Throws `GitError` where git cannot tell. */
    readonly start: (git: GitReader, read: ReadFile, place: StartPlace) => Promise<CarriedOver>;
  };
  /** What a pull request's text declares, null where it is too large or too deeply nested to read; left out: nothing. */
  readonly readText?: (markdown: string, about: TextAbout) => DeclaredText | null;
  /** The file that a closure pull request adds to; left out: a seal opens none. */
  readonly closureLog?: ClosureLog;
  /** What happens to the proposal's pull request after the seal. */
  readonly afterSeal: (lane: LaneConfig) => 'merge' | 'close' | 'leave';
};

export type DeclaredText = Omit<BodyFacts, 'fingerprint'>;

export type Fixes = {
  /** Files and folders that a person's fix may change, for display. */
  readonly fixable: readonly string[];
  /** Which files a fix program may change; null: none. */
  readonly mends: ((path: string) => boolean) | null;
  /** The lab's own program that is asked for a patch where the built-in fixer has none. */
  readonly fixer: Fixer | null;
  /** Files in which the built-in fix may be launched once per run without another approval. */
  readonly preApproved: readonly string[];
};

/**
 * What a run is that begins from an issue: the issue's text is its contract, which is read anew at each look and recorded
 * where it changed, and its values stand in the place of the lane's own settings wherever those are read.
 */
export type Contracts = {
  /** Labels that ask for a run of the kind, besides the lane's own. */
  readonly labels: readonly string[];
  /** Whether an issue of an experiment is a run of the kind by what it says, without asking for one; left out: never. */
  readonly claims?: (contract: Contract) => boolean;
  /** The command that asks for a run in an issue, besides the label; its arguments are values of the contract. */
  readonly command?: string;
  /** What its contracts say, name by name. */
  readonly fields: ContractFields;
  readonly read: (issue: ContractIssue, lane: LaneConfig) => Contract;
  /** The lane's settings for this run. */
  readonly settings: (lane: LaneConfig, contract: Contract) => LaneConfig;
  /** What it asks of the machine that is rented for it; left out where none is. */
  readonly machine?: (contract: Contract) => MachineNeeds;
  /** Smaller settings for another attempt after it ran out of memory, in this order. */
  readonly reductions?: (lane: LaneConfig) => readonly string[];
  /** Packages and variables for another attempt after its environment failed, in this order. */
  readonly repairs?: (lane: LaneConfig) => readonly string[];
  /** What one launch costs by the contract, in accelerator-hours; left out where no contract says. */
  readonly cost?: (contract: Contract) => string | null;
  /** The commit that it is of; null where it is of the lane's branch, or does not say. */
  readonly source: (contract: Contract) => PinnedSource | null;
  /** Where it begins, and where its checkpoints lie, in a lane that has taken the contract's settings; left out where nobody looks for them. */
  readonly checkpoints?: (contract: Contract, lane: LaneConfig) => CheckpointPlan;
  /** The container that it is to run in; null where it names none. Left out where nobody asks how one was built. */
  readonly container?: (contract: Contract) => string | null;
  /** The run's name, where the contract gives it one that a run can have. */
  readonly name: (contract: Contract) => RunId | null;
  readonly objective: (contract: Contract) => Objective;
  /** How the bot opens the issue of a run that nobody has an issue for; left out where it opens none. */
  readonly opens?: {
    /** What stands before the run's name in the issue's title. */
    readonly title: string;
    /** What is known of the contract without anybody's saying: from who asks, and from what they want it for. */
    readonly known: (asked: {
      readonly login: string;
      readonly objective: string | null;
    }) => Readonly<Record<string, string>>;
  };
  /** What stands in the issue's place where a run goes on as another one; left out where none does. */
  readonly continued?: (old: RunId, said: Readonly<Record<string, string>>) => ProposalRequest['knobs'];
};

/** What a job that was taken over would be launched again as, by what its cluster says of it. */
export type Adopts = {
  /** The lane's settings for it. */
  readonly settings: (lane: LaneConfig, job: Description) => LaneConfig;
  /** The commit that it is of; null where it does not say, or no branch of the repository has it. */
  readonly source: (job: Description) => PinnedSource | null;
};

/** `pass`: the commit that the pass was launched from; `onto`: the commit of the target branch that the run is made on. */
export type StartPlace = { readonly path: string; readonly pass: Sha; readonly onto: Sha };

export type TextAbout = {
  readonly delta: Delta;
  /** The run before it that the proposal names, as the record knows it. */
  readonly last: Pick<RunState['proposal'], 'issue' | 'pull'> | null;
};

export type ClosureLog = {
  readonly path: (lane: LaneConfig) => string;
  /** The whole file with the entry of this run; `before` null = there is no file yet. */
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
export type ClosureView = {
  readonly state: RunState;
  readonly decision: ClosureDecision;
  readonly tag: string;
};

/** The kinds that there are; the first is what a lane is of that does not say. */
export type Kinds = LaneKinds<Kind>;
