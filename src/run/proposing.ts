/** The possible results of a proposal, and the interface with which a kind plans one. */

import type { LaneConfig } from '../config/lane-schema.ts';
import type { EffectOutcome } from '../domain/effect.ts';
import type { GitExporter, GitReader } from '../domain/git.ts';
import type { Detail } from '../domain/incidents.ts';
import type { ReadExperiment } from '../domain/launch/change-facts.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { Objective } from '../domain/logbook/events/launch-events.ts';
import type { RunState, SeenCommand } from '../domain/logbook/run-state.ts';
import type { Instant, Observed, RunId, Sha } from '../domain/values.ts';

/** Why there is nothing to propose, or why no proposal is allowed now. */
export type NothingCode =
  | 'no-candidates'
  | 'nothing-due'
  | 'experiment-missing'
  | 'experiment-unparsable'
  | 'edit-refused'
  | 'proposer-refused'
  | 'proposer-failed'
  | 'checks-failed'
  | 'too-many-today'
  | 'names-taken';

export type NoProposal = { readonly kind: 'nothing'; readonly code: NothingCode; readonly why: string };

/** `unreadable`: a retry may succeed, and nothing is lost. `running`: a retry will succeed. `not-written`: GitHub or git refused. */
export type Failed = {
  readonly kind: 'failed';
  readonly code: 'unreadable' | 'running' | 'not-written';
  readonly why: string;
};

/** A request that cannot be fulfilled as it was made, as the answer to its author. */
export type Refused = { readonly kind: 'refused'; readonly code: string; readonly detail: Detail };

/** `already`: a run of the lane is under way. `held`: a hold by a person blocks the lane today. `not-due`: the lane's schedule
 * wants no run now. `asked`: an issue with the question is open. */
export type ProposeOutcome =
  | { readonly kind: 'proposed'; readonly run: RunId; readonly pull: number; readonly issue: number }
  | { readonly kind: 'already'; readonly run: RunId }
  | { readonly kind: 'held' | 'not-due'; readonly why: string }
  | { readonly kind: 'asked'; readonly issue: number }
  | NoProposal
  | Failed;

/** Nothing to propose, and why. */
export function noProposal(code: NothingCode, why: string): NoProposal {
  return { kind: 'nothing', code, why };
}

/** A failed write to GitHub or git. */
function failNotWritten(what: string, why: string): Failed {
  return { kind: 'failed', code: 'not-written', why: `${what} could not be written: ${why}` };
}

/** An effect that failed. `unreadable` means that a retry may succeed; `not-written` means that it will not. */
export function failNotDone(what: string, outcome: EffectOutcome): Failed {
  if (outcome.kind === 'unknown') return { kind: 'failed', code: 'unreadable', why: `${what}: ${outcome.message}` };
  return failNotWritten(what, outcome.kind === 'done' ? 'no number' : outcome.message);
}

/** The logbook rejected the entry; nothing is lost. */
export function failNotRecorded({ message }: { readonly message: string }): Failed {
  return { kind: 'failed', code: 'unreadable', why: message };
}

/** One of the lab's programs still runs in the background. */
export function failStillRunning(what: string): Failed {
  return { kind: 'failed', code: 'running', why: `${what} still run` };
}

/** The request that a helper works for: the command and its thread. Null if no other person waits for it. */
export type RequestOrigin = { readonly by: string; readonly thread: number } | null;

/** How a program of the lab ended. `code`: the system's error code if it could not be started. */
export type ProgramEnd = {
  readonly kind: 'exited' | 'signalled' | 'timed-out' | 'cancelled' | 'output-limit' | 'not-started';
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly code: string | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** One call of a program. `input`: its standard input; `about`: the parts of the call that decide the answer. */
export type HelperCall = {
  readonly request: RequestOrigin;
  readonly about: readonly string[];
  readonly command: readonly string[];
  readonly input: string;
  readonly timeoutMs: number;
  readonly outputBytesMax: number;
};

/** Commands that run one after another in a checkout of `commit` with `files` written over it. */
export type TreeCall = {
  readonly request: RequestOrigin;
  readonly git: GitExporter;
  readonly commit: Sha;
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly (readonly string[])[];
};

/** The first command that failed, or null if all succeeded. */
export type TreeResult = { readonly command: readonly string[]; readonly result: ProgramEnd } | null;

/** The program still runs in the background. The command is processed again when the program ends. */
export type HelperRunning = { readonly kind: 'running' };

/** The lab's programs that planning may call. */
export type Helpers = {
  readonly ask: (call: HelperCall) => Promise<ProgramEnd | HelperRunning>;
  readonly check: (call: TreeCall) => Promise<TreeResult | HelperRunning>;
};

/** The ports that a kind may use while it plans. Planning writes nothing outside. */
export type PlanWork = {
  readonly config: { readonly laneName: string; readonly lane: LaneConfig };
  /** People have reviewed the code of this branch: programs that run near the keys come from it. */
  readonly defaultBranch: string;
  /** Patterns of files that a lane which ships the whole tree leaves out. */
  readonly leavesOut: readonly string[];
  readonly git: GitReader & GitExporter;
  readonly store: { readonly current: () => { readonly runs: readonly RunState[] } };
  readonly lab: { readonly readExperiment: ReadExperiment; readonly helpers: Helpers };
  readonly issuesSince: (moment: string) => Promise<Observed<readonly ListedIssue[]>>;
  readonly redact: (text: string) => string;
};

export type ListedIssue = {
  readonly number: number;
  readonly title: string;
  readonly updatedAtMs: number;
  readonly isOpen: boolean;
};

export type PlanInput = {
  readonly run: RunId;
  readonly date: string;
  readonly objective: Objective;
  /** Set if the lab wants to be asked for the objective, and no person has answered. */
  readonly unanswered?: Unanswered;
  /** The command that requested the proposal; null for the schedule. */
  readonly request: SeenCommand | null;
};

export type Planned = {
  readonly kind: 'planned';
  readonly run: RunId;
  readonly date: string;
  /** The commit of its branch, on `base`. */
  readonly branch: NonNullable<EventDataByType['proposing']['branch']>;
  readonly issue: ThreadText;
  readonly pull: ThreadText;
  readonly recorded: Pick<EventDataByType['proposed'], 'experiment' | 'objective' | 'interval' | 'candidate' | 'base'>;
  /** The changed settings, by the paths of their knobs. */
  readonly knobs: readonly { readonly path: string; readonly after: string }[];
};

/** A thread to open. The body has no marker yet, and no link to the other thread. */
type ThreadText = { readonly title: string; readonly body: string };

/** `unclear`: ferrybot asks a person before it plans anything. */
export type ObjectiveReading =
  | { readonly kind: 'clear'; readonly objective: Objective }
  | { readonly kind: 'unclear'; readonly why: 'names-neither' | 'names-both' | 'negated' | 'nothing-said' };

/** `issue`: where ferrybot asked, until `until` (RFC 3339); null if there was no time left to ask. */
export type Unanswered = { readonly issue: number; readonly until: string } | { readonly issue: null };

/** The context of the question for a run's objective. `runs`: the runs of the lane. */
export type ObjectiveQuestionInput = {
  readonly lane: LaneConfig;
  readonly laneName: string;
  readonly date: string;
  readonly now: Instant;
  readonly runs: readonly RunState[];
};

export type Asks = {
  /** Parses the objective in a person's words; null if no person answered. */
  readonly objective: (said: string | null, lane: LaneConfig) => ObjectiveReading;
  /** The issue that asks for an unclear objective, and until when it waits for an answer; null if there is no time left. */
  readonly question: (
    asked: ObjectiveQuestionInput,
  ) => { readonly title: string; readonly body: string; readonly until: Instant } | null;
};

/** How runs of a kind are proposed. */
export type Proposals = {
  /** The objective of a run that the schedule started. */
  readonly usual: Objective;
  /** How people choose the objective; left out if every run has the usual one. */
  readonly objectiveChoice?: Asks;
  /** Throws `GitError` if git cannot answer. */
  readonly plan: (work: PlanWork, input: PlanInput) => Promise<Planned | NoProposal | Failed | Refused>;
  /** Plans a run for a person's own pull request; left out for kinds without such runs. Throws `GitError` if git cannot answer. */
  readonly planOfPull?: (work: PlanWork, pull: PullToPlan) => Promise<PlannedPull | Failed>;
};

/** A person's own pull request: its text, and the first and last commit of its change. */
export type PullToPlan = Omit<PlanInput, 'objective'> & {
  readonly pull: number;
  readonly body: string;
  readonly mergeBase: Sha;
  readonly head: Sha;
};

/** The plan for a person's pull request. ferrybot writes no part of it to the branch or the pull request's text. */
export type PlannedPull = {
  readonly kind: 'planned-pull';
  readonly issue: ThreadText;
  /** Issues that the pull request's text links to, in their order. */
  readonly linked: readonly number[];
  /** Text that the pull request lacks and a launch needs, ready to paste; null if it lacks none. */
  readonly missing: string | null;
  readonly recorded: Planned['recorded'];
};
