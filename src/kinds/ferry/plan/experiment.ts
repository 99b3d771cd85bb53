/** Reads what a proposal starts from: the experiment file of the lane's last sealed pass, on the tip of the lane's branch. */

import { z } from 'zod';
import { buildAnswer } from '../../../commands/decision.ts';
import { readKnobs } from '../../../delta/config-delta.ts';
import { GitError, type LoggedCommit } from '../../../domain/git.ts';
import {
  type ExperimentFile,
  type KnobNotTaken,
  newChanges,
  type ReadSource,
  type RunBase,
} from '../../../domain/launch/change-facts.ts';
import { limits } from '../../../domain/limits.ts';
import type { IntervalStart, Objective } from '../../../domain/logbook/events/launch-events.ts';
import { type RunState, runsInLane } from '../../../domain/logbook/run-state.ts';
import { brandAs, cutTextFromEnd, isSha, parseJson, type Sha } from '../../../domain/values.ts';
import { findLastPass } from '../../../run/lane.ts';
import {
  type Failed,
  failStillRunning,
  type NoProposal,
  noProposal,
  type PlanWork,
  type Refused,
  type RequestOrigin,
} from '../../../run/proposing.ts';
import { chooseCandidate, type RecentFerry } from '../candidates.ts';
import { applyEdits, type EditedFile, readStartFile } from '../edit.ts';
import {
  buildIntervalContext,
  type ConfiguredFerry,
  findIntervalStart,
  findLastFerry,
  type IntervalContext,
  type ProposalView,
} from '../interval.ts';
import { applyRequestedKnobs, assessRisk, validateProposedEdits } from '../requested-change.ts';
import { type FerryLane, ferryLane, RISKS, type Risk } from '../settings.ts';

/** Without a last ferry, the context covers this many days, and the PR marks it as a fallback. */
const INTERVAL_FALLBACK_DAYS = 7;

/** The context of this day's ferry at the branch tip `base`. Throws `GitError` if git cannot answer. */
export async function readIntervalContext(open: PlanWork, base: Sha, date: string): Promise<IntervalContext | Failed> {
  const { runs } = open.store.current();
  const last = findLastFerry(runsInLane(runs, open.config.laneName), `${date}~`);
  const given = ferryLane(open.config.lane).lastFerry;
  const from = last !== null || given === null ? null : await readConfiguredStart(open, base, given);
  // rule DF-40
  const start = findIntervalStart(last, date, INTERVAL_FALLBACK_DAYS, from);
  const issues = await open.issuesSince(`${start.sinceDate}T00:00:00Z`);
  if (issues.kind === 'unknown') return { kind: 'failed', code: 'unreadable', why: issues.why };
  const commits = await listCommitsSince(open, base, start);
  const ferryIssues = new Set(runs.map((run) => run.proposal.issue));
  return buildIntervalContext({ start, last, configured: given, commits, issues: issues.value, ferryIssues });
}

/** The configured commit if it is in the branch's history, else only its date: a wrong config value must not block a ferry. */
async function readConfiguredStart(
  { git }: PlanWork,
  base: Sha,
  { commit, date }: ConfiguredFerry,
): Promise<{ readonly commit: Sha | null; readonly date: string }> {
  try {
    const sha = brandAs(commit, isSha);
    return { commit: (await git.mergeBase(base, sha)) === sha ? sha : null, date };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { commit: null, date };
  }
}

/** `git log SHA..HEAD -- <shipped paths>`, or since a date if no launch commit is known. */
async function listCommitsSince(
  open: PlanWork,
  base: Sha,
  { sinceCommit, sinceDate }: IntervalStart,
): Promise<readonly LoggedCommit[]> {
  const sinceMs = sinceCommit === null ? Date.parse(`${sinceDate}T00:00:00Z`) : null;
  const paths = open.config.lane.ships;
  const { leavesOut } = open;
  return open.git.log({ from: base, not: sinceCommit, sinceMs, paths, leavesOut, limit: limits.intervalCommitsRead });
}

/** `text` and `file` are what the run starts from; `onBranch` is the file on the target branch at `base`. */
type Experiment = ExperimentStart & {
  readonly kind: 'read';
  readonly base: Sha;
  readonly onBranch: string;
  readonly file: ExperimentFile;
  readonly read: ReadSource;
};

/** `pass` null: the lane has no sealed pass to start from, so the run starts from the target branch. */
type ExperimentStart = {
  readonly text: string;
  readonly passedRun: RunBase | null;
  readonly notTaken: readonly KnobNotTaken[];
};

/** Throws `GitError` if git cannot answer. */
export async function readExperiment(open: PlanWork): Promise<Experiment | NoProposal> {
  const { config, git } = open;
  const lane = ferryLane(config.lane);
  const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
  const onBranch = base === null ? null : await git.readText(base, lane.experiment);
  if (base === null || onBranch === null)
    return noProposal('experiment-missing', `${lane.experiment} is not on ${lane.targetBranch}`);
  const read = createSourceReader(open);
  const branchFile = await read(onBranch);
  if (branchFile.kind === 'unparsable') return unreadableExperiment(branchFile);
  const start = await readStartOn(open, base, onBranch);
  const file = await read(start.text);
  return file.kind === 'unparsable'
    ? unreadableExperiment(file)
    : { kind: 'read', base, onBranch, ...start, file, read };
}

function unreadableExperiment({ line, message }: { readonly line: number; readonly message: string }): NoProposal {
  return noProposal('experiment-unparsable', `line ${line}: ${message}`);
}

/** Reads versions of the lane's experiment. */
export function createSourceReader({ lab, config }: Pick<PlanWork, 'lab' | 'config'>): ReadSource {
  const { experiment: path, python } = ferryLane(config.lane);
  return (text) => lab.readExperiment(text, { path, python });
}

/** What a run on the commit `onto` starts from. Throws `GitError` if git cannot answer. */
export async function readStartOn(open: PlanWork, onto: Sha, onBranch: string): Promise<ExperimentStart> {
  const { config, git, store } = open;
  const path = ferryLane(config.lane).experiment;
  const pass = findLastPass(store.current().runs, { lane: config.laneName, experiment: path });
  // A rewritten branch has no history in common with the pass. Start from the branch, so that the lane does not wait forever.
  if (pass === null || (await git.mergeBase(onto, pass.commit)) === null)
    return { text: onBranch, passedRun: null, notTaken: [] };
  return {
    ...(await readStartFile(git, createSourceReader(open), { path, passCommit: pass.commit, baseCommit: onto })),
    passedRun: pass,
  };
}

// The lab's own proposer: a program that reads the context as JSON and answers with edits and a rationale (docs/proposer.md).

/** Limit of a proposer's edits; the lane's budget of knobs cannot exceed it. */
const PROPOSER_EDITS_MAX = 20;

const answerSchema = z.strictObject({
  edits: z
    .array(
      z.strictObject({
        path: z.string().min(1).max(500),
        before: z.string().max(500).optional(),
        after: z.string().min(1).max(500),
      }),
    )
    .min(1)
    .max(PROPOSER_EDITS_MAX),
  rationale: z.string().trim().min(1).max(2_000),
  risk: z.enum(RISKS),
});

type ProposerInput = {
  readonly request: RequestOrigin;
  readonly run: string;
  readonly date: string;
  readonly objective: Objective;
  readonly context: IntervalContext;
  readonly recent: readonly RecentFerry[];
};

type ProposedChange = EditedFile & { readonly kind: 'proposes'; readonly rationale: string; readonly risk: Risk };

type Proposer = NonNullable<FerryLane['proposer']>;

/** Asks the proposer once. Its answer is checked like a person's request; a wrong answer is reported and edits nothing. */
async function askProposer(
  open: PlanWork,
  proposer: Proposer,
  experiment: Experiment,
  input: ProposerInput,
): Promise<ProposedChange | NoProposal | Failed> {
  const result = await open.lab.helpers.ask({
    request: input.request,
    about: [input.run, input.objective.text, experiment.text],
    command: proposer.command,
    input: `${JSON.stringify(buildProposerInput(open.config, experiment, input))}\n`,
    timeoutMs: proposer.timeoutMs,
    outputBytesMax: proposer.outputBytesMax,
  });
  if (result.kind === 'running') return failStillRunning('the lab’s proposer');
  if (!result.ok) {
    const end = cutTextFromEnd(open.redact(result.stderr).trim(), limits.messageCharactersMax);
    return noProposal('proposer-failed', `${result.kind} ${result.exitCode ?? result.code ?? ''}: ${end}`);
  }
  const answer = answerSchema.safeParse(parseJson(result.stdout));
  if (!answer.success) {
    const [issue] = answer.error.issues;
    return noProposal('proposer-refused', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { edits, rationale, risk } = answer.data;
  const lane = ferryLane(open.config.lane);
  const checked = await validateProposedEdits(
    experiment.file,
    experiment.read,
    edits.map(({ path, before, after }) => ({ path, before: before ?? null, after })),
    { knobsMax: lane.budget.knobs, scaleKnobs: lane.scaleKnobs, recent: input.recent },
  );
  if (!checked.ok) return noProposal('proposer-refused', checked.error);
  return { kind: 'proposes', ...checked.value, rationale: open.redact(rationale), risk };
}

/** The proposer's input: the file, its knobs, earlier ferries with their outcomes, and what happened since the last ferry. */
function buildProposerInput(
  config: PlanWork['config'],
  { text, file }: Pick<Experiment, 'text' | 'file'>,
  { run, date, objective, context, recent }: Omit<ProposerInput, 'request'>,
): object {
  const lane = ferryLane(config.lane);
  return {
    v: 1,
    run,
    date,
    lane: config.laneName,
    objective,
    experiment: { path: lane.experiment, text },
    knobs: readKnobs(file).map(({ path, knob, value, bucket, line }) => ({ path, knob, value, bucket, line })),
    budget: { knobs: lane.budget.knobs },
    scaleKnobs: lane.scaleKnobs,
    recent,
    last: context.last,
    since: context.start,
    commits: context.commits.map(({ sha, subject }) => ({ sha, subject })),
    issues: context.issues.map(({ number, title }) => ({ number, title })),
  };
}

/** The edited file, and how the proposal describes the change. */
export type ChosenChange = Pick<ProposalView, 'changes' | 'risk' | 'reason' | 'candidate' | 'rationale'> & {
  readonly kind: 'change';
  readonly text: string;
};

export type ChooseInput = Omit<ProposerInput, 'recent'> & {
  /** Knobs that a person named; empty = ferrybot chooses. */
  readonly knobs: readonly (readonly [name: string, value: string])[];
};

/** The change of one proposal, or why there is none. Changes nothing outside ferrybot. */
export async function chooseChange(
  open: PlanWork,
  experiment: Experiment,
  input: ChooseInput,
): Promise<ChosenChange | NoProposal | Failed | Refused> {
  const lane = ferryLane(open.config.lane);
  const { file, read, text } = experiment;
  const plain = { kind: 'change', candidate: null, rationale: null, reason: '' } as const;
  if (input.knobs.length > 0) {
    const knobsMax = lane.budget.enforce === 'block' ? lane.budget.knobs : null;
    const asked = await applyRequestedKnobs(file, read, input.knobs, knobsMax);
    if (!asked.ok) return { kind: 'refused', ...buildAnswer('propose-edit-refused', asked.error) };
    const { changes } = asked.value;
    return { ...plain, text: asked.value.text, changes, risk: assessRisk(changes, lane) };
  }
  const recent = runsInLane(open.store.current().runs, open.config.laneName).map(toRecentFerry);
  const choice = chooseCandidate({
    candidates: lane.candidates,
    knobs: readKnobs(file),
    recent,
    today: input.date,
    memoryDays: lane.memoryDays,
    objective: input.objective,
    steps: lane.steps,
  });
  if (choice.kind === 'identical-rerun') {
    const reason = 'the same configuration again, to confirm or rule out a regression';
    return { ...plain, text, changes: [], risk: 'low', reason };
  }
  if (choice.kind === 'proposal') {
    const edited = await applyEdits(file, choice.edits, read);
    if (!edited.ok) return noProposal('edit-refused', `${choice.candidate.id}: ${edited.error}`);
    const { candidate, risk, rationale } = choice;
    return { ...plain, ...edited.value, risk, reason: candidate.reason, candidate: candidate.id, rationale };
  }
  if (lane.proposer !== null) {
    const proposed = await askProposer(open, lane.proposer, experiment, { ...input, recent });
    if (proposed.kind !== 'proposes') return proposed;
    const { changes, risk, rationale: reason } = proposed;
    return { ...plain, text: proposed.text, changes, risk, reason };
  }
  return noProposal(choice.reason, choice.skipped.map((s) => `${s.id}: ${s.why}`).join(', '));
}

type FinishedFerry = Pick<RunState, 'proposal' | 'gate' | 'seal' | 'submission' | 'end'>;

/** The summary of one run. Its changes are those in its manifest, so a run that was never gated has none. */
export function toRecentFerry(run: FinishedFerry): RecentFerry {
  const manifest = run.gate?.manifest ?? null;
  return {
    date: run.proposal.date,
    candidate: run.proposal.candidate,
    changes: manifest === null ? [] : newChanges(manifest),
    outcome: toOutcome(run),
  };
}

/** A run that a person accepted did not pass: its values are not proven good. */
function toOutcome(run: FinishedFerry): RecentFerry['outcome'] {
  if (run.submission === null) return 'not-launched';
  if (run.end?.status === 'FAILED') return 'failed';
  if (run.end?.status === 'STOPPED') return 'stopped';
  if (run.seal === null) return 'unknown';
  return run.seal.verdict === 'pass' ? 'passed' : 'accepted';
}
