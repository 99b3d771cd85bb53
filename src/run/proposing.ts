/** How a proposal can end, and what a kind is given to plan one and gives back. */

import type { LaneConfig } from '../config/lane-schema.ts';
import type { EffectOutcome } from '../domain/effect.ts';
import type { GitExporter, GitReader } from '../domain/git.ts';
import type { Detail } from '../domain/incidents.ts';
import type { ReadExperiment } from '../domain/launch/change-facts.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { Objective } from '../domain/logbook/events/launch-events.ts';
import type { RunState, SeenCommand } from '../domain/logbook/run-state.ts';
import type { Instant, Observed, RunId, Sha } from '../domain/values.ts';

/** Why there is nothing to propose, or why nobody may now. */
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

export type Nothing = { readonly kind: 'nothing'; readonly code: NothingCode; readonly why: string };

/** `unreadable`: asking again may help, and nothing is lost. `running`: it will. `not-written`: GitHub or git said no. */
export type Failed = {
  readonly kind: 'failed';
  readonly code: 'unreadable' | 'running' | 'not-written';
  readonly why: string;
};

/** What cannot be done as it was asked for, as the answer to whoever asked. */
export type Refused = { readonly kind: 'refused'; readonly code: string; readonly detail: Detail };

/** `already`: a run of the lane is under way. `held`: a person keeps the lane back today. `not-due`: the
 * lane's schedule does not want one now. `asked`: a question stands. */
export type ProposeOutcome =
  | { readonly kind: 'proposed'; readonly run: RunId; readonly pull: number; readonly issue: number }
  | { readonly kind: 'already'; readonly run: RunId }
  | { readonly kind: 'held' | 'not-due'; readonly why: string }
  | { readonly kind: 'asked'; readonly issue: number }
  | Nothing
  | Failed;

/** Nothing, and why. */
export function nothing(code: NothingCode, why: string): Nothing {
  return { kind: 'nothing', code, why };
}

/** Something outside could not be written. */
function notWritten(what: string, why: string): Failed {
  return { kind: 'failed', code: 'not-written', why: `${what} could not be written: ${why}` };
}

/** An effect that was not carried out. Whether asking again may help is the difference between the two failures. */
export function notDone(what: string, outcome: EffectOutcome): Failed {
  if (outcome.kind === 'unknown')
    return { kind: 'failed', code: 'unreadable', why: `${what}: ${outcome.message}` };
  return notWritten(what, outcome.kind === 'done' ? 'no number' : outcome.message);
}

/** The logbook did not take it; nothing is lost. */
export function notRecorded({ message }: { readonly message: string }): Failed {
  return { kind: 'failed', code: 'unreadable', why: message };
}

/** A program of the lab's own that goes on beside. */
export function stillRunning(what: string): Failed {
  return { kind: 'failed', code: 'running', why: `${what} still run` };
}

/** For whom a helper works: the command, and its thread; null where nobody else waits meanwhile. */
export type AskedFor = { readonly by: string; readonly thread: number } | null;

/** How a program of the lab ended; `code`: the system's word where it could not be started. */
export type ProgramEnd = {
  readonly kind: 'exited' | 'signalled' | 'timed-out' | 'cancelled' | 'output-limit' | 'not-started';
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly code: string | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** One program: `input` is its standard input; `about` is what of it decides the answer. */
export type HelperCall = {
  readonly asked: AskedFor;
  readonly about: readonly string[];
  readonly command: readonly string[];
  readonly input: string;
  readonly timeoutMs: number;
  readonly outputBytesMax: number;
};

/** Commands that run one after another in a checkout of `commit` with `files` written over it. */
export type TreeCall = {
  readonly asked: AskedFor;
  readonly git: GitExporter;
  readonly commit: Sha;
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly (readonly string[])[];
};

/** The first command that did not succeed, or null where all did. */
export type TreeResult = { readonly command: readonly string[]; readonly result: ProgramEnd } | null;

/** It goes on beside : the command is looked at again when it is done. */
export type Running = { readonly kind: 'running' };

/** What a proposal asks for. */
export type Helpers = {
  readonly ask: (call: HelperCall) => Promise<ProgramEnd | Running>;
  readonly check: (call: TreeCall) => Promise<TreeResult | Running>;
};

/** What a kind may look at and ask for while it plans; it writes nothing outside. */
export type PlanWork = {
  readonly config: { readonly laneName: string; readonly lane: LaneConfig };
  /** Its code people have reviewed: what runs beside the keys comes from there. */
  readonly defaultBranch: string;
  /** Patterns of what a lane that ships the whole tree does not ship. */
  readonly leavesOut: readonly string[];
  readonly git: GitReader & GitExporter;
  readonly store: { readonly current: () => { readonly runs: readonly RunState[] } };
  readonly lab: { readonly readExperiment: ReadExperiment; readonly helpers: Helpers };
  /** Experiment issues that were updated since a moment. */
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
  /** Nobody said what it is for, where the lab wants to be asked. */
  readonly unanswered?: Unanswered;
  /** The command that asked for it; null = the schedule. */
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
  readonly recorded: Pick<
    EventDataByType['proposed'],
    'experiment' | 'objective' | 'interval' | 'candidate' | 'base'
  >;
  /** What changes, by the paths of its knobs. */
  readonly knobs: readonly { readonly path: string; readonly after: string }[];
};

/** A thread that is to be opened; the body has no marker yet, and no link to the other thread. */
type ThreadText = { readonly title: string; readonly body: string };

/** `unclear`: it is asked about before anything is planned. */
export type ObjectiveReading =
  | { readonly kind: 'clear'; readonly objective: Objective }
  | { readonly kind: 'unclear'; readonly why: 'names-neither' | 'names-both' | 'negated' | 'nothing-said' };

/** `issue`: where it was asked until `until`, RFC 3339; null = there was no time left to ask. */
export type Unanswered = { readonly issue: number; readonly until: string } | { readonly issue: null };

/** The question what a run of this day is for; `runs` are those of the lane. */
export type AskedWhat = {
  readonly lane: LaneConfig;
  readonly laneName: string;
  readonly date: string;
  readonly now: Instant;
  readonly runs: readonly RunState[];
};

export type Asks = {
  /** The objective in a person's words; null = nobody said anything. */
  readonly objective: (said: string | null, lane: LaneConfig) => ObjectiveReading;
  /** The issue that asks where that is not clear, and until when it waits for an answer; null where there is no time left. */
  readonly question: (
    asked: AskedWhat,
  ) => { readonly title: string; readonly body: string; readonly until: Instant } | null;
};

/** How runs of a kind are proposed. */
export type Proposals = {
  /** The objective of a run that the schedule began. */
  readonly usual: Objective;
  /** How people choose the objective; left out: every run has the usual one. */
  readonly asks?: Asks;
  /** Throws `GitError` where git cannot tell. */
  readonly plan: (work: PlanWork, input: PlanInput) => Promise<Planned | Nothing | Failed | Refused>;
  /** What is told of a run whose pull request is somebody's own; left out where there are none. Throws `GitError` where git cannot tell. */
  readonly planOfPull?: (work: PlanWork, pull: PullToPlan) => Promise<PlannedPull | Failed>;
};

/** Somebody's own pull request: its text, and where its change begins and ends. */
export type PullToPlan = Omit<PlanInput, 'objective'> & {
  readonly pull: number;
  readonly body: string;
  readonly mergeBase: Sha;
  readonly head: Sha;
};

/** Nothing of it is written on a branch, or into its text. */
export type PlannedPull = {
  readonly kind: 'planned-pull';
  readonly issue: ThreadText;
  /** Issues that its text says it belongs to, in their order. */
  readonly linked: readonly number[];
  /** What its text lacks and a launch needs, to be pasted; null where it lacks nothing. */
  readonly missing: string | null;
  readonly recorded: Planned['recorded'];
};
