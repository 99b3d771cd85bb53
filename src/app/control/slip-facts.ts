/** What there is to a slip that the newest attempt died of: by the files themselves, and by the lab's own fixer. */

import type { RunFacts, WorkflowRunFacts } from '../../domain/facts.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import {
  type ExternalFix,
  type FixerStanding,
  failureDigest,
  type NoExternalFix,
} from '../../domain/launch/fixer.ts';
import { applyPatch, firstLineOf, hidesChange, readPatch, shownPatch } from '../../domain/launch/patch.ts';
import type { SlipOfAttempt } from '../../domain/launch/small-fix.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { type LeftArtifact, readArtifact } from '../../github/artifacts.ts';
import { isWorkflowMissing, listWorkflowRuns } from '../../github/workflows.ts';
import { redact } from '../../host/redactor.ts';
import { onlyEntryOf } from '../../host/zip-entry.ts';
import { runsOfFixer, wasTakenAway } from '../../run/decide-fixer.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { slipToMend } from '../../run/slip-to-mend.ts';
import { ANSWER_ARTIFACT, ANSWER_FILE, readAnswer } from '../fixer/answer.ts';
import type { Lab } from '../lab.ts';
import { fixFacts, textIn } from './fix-facts.ts';
import type { Once } from './once.ts';

/** What its job leaves, as GitHub keeps it: the answer above in JSON, packed. */
const FIX_ARTIFACT_BYTES_MAX = 64 * 1_024;
/** Runs of its workflow that were cancelled, left nothing or were started from elsewhere, until people are told so. */
const FIXER_RUNS_MAX = 4;

type Reader = {
  readonly lab: Lab;
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
  readonly once: Once;
};

/** What the files say, where the lane names some that a program may put a slip right in. */
export async function smallFixFacts(reader: Reader, state: RunState): Promise<RunFacts['smallFix']> {
  const asked = askedOf(reader, state);
  if (asked === null) return NO_SLIP;
  const { slip, mayChange } = asked;
  const { lab, git, config, once } = reader;
  const scope = { mayChange, python: config.lane.python };
  return once(`fix ${state.run} ${slip.attempt}`, () => fixFacts(lab, git, slip, scope));
}

/** What came of the question to the lab's own fixer: a request for the list of its jobs, and one for its answer. */
export async function fixerFacts(reader: Reader, state: RunState): Promise<RunFacts['fixer']> {
  const asked = askedOf(reader, state);
  if (asked === null) return NO_SLIP;
  const { slip, mayChange } = asked;
  return reader.once(`fixer ${state.run} ${slip.attempt}`, () =>
    fixerStanding(reader, state, slip, mayChange),
  );
}

const NO_SLIP = unknown('no attempt died of a slip that may be put right');

function askedOf(
  { config }: Reader,
  state: RunState,
): { readonly slip: SlipOfAttempt; readonly mayChange: (path: string) => boolean } | null {
  const slip = slipToMend(state, config);
  const mayChange = config.kind.fixes?.(config.lane).mends ?? null;
  return slip === null || mayChange === null ? null : { slip, mayChange };
}

/** Unknown where GitHub or git cannot tell. */
async function fixerStanding(
  { lab, git, config }: Reader,
  { run }: RunState,
  slip: SlipOfAttempt,
  mayChange: (path: string) => boolean,
): Promise<Observed<FixerStanding>> {
  const listed = await listWorkflowRuns(lab.client, config.workflows.fix);
  if (listed.kind === 'unknown')
    return (await isWorkflowMissing(lab.client, config.workflows.fix))
      ? known(answered('fixer-unknown'))
      : listed;
  const failure = failureDigest(run, slip, lab.digestOf);
  const jobs = runsOfFixer(listed.value, failure, slip);
  try {
    if (jobs.length > 0) await git.fetch();
    const job = await firstTry({ lab, git, config }, jobs);
    if (job.kind === 'unknown') return job;
    if (job.value.kind === 'none') return known({ kind: 'not-asked', inVain: job.value.inVain });
    const { left, run: of } = job.value;
    if (left === null)
      return known(
        of.status === 'completed' ? answered('fixer-no-answer') : { kind: 'asked', since: of.createdAt },
      );
    const patch = patchIn(left, failure);
    if (patch.kind === 'none') return known(answered(patch.reason));
    return known({
      kind: 'answered',
      fix: await judgedPatch({ lab, git, config }, slip, mayChange, patch.text),
    });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

type Try =
  | { readonly kind: 'try'; readonly run: WorkflowRunFacts; readonly left: LeftArtifact | null }
  | { readonly kind: 'none'; readonly inVain: NoExternalFix | null };

/**
 * The first run that is the fixer's one try. Whoever may write can start the workflow from a branch of their own, cancel it
 * and delete what it left: such a run is none, and it is asked again; of many of them people are told.
 */
async function firstTry(
  { lab, git, config }: Pick<Reader, 'lab' | 'git' | 'config'>,
  jobs: readonly WorkflowRunFacts[],
): Promise<Observed<Try>> {
  let inVain: NoExternalFix = 'fixer-other-ref';
  for (const run of jobs) {
    if (!(await isOfBranch(git, run, config))) continue;
    const left = await readArtifact(lab.client, run.id, ANSWER_ARTIFACT, FIX_ARTIFACT_BYTES_MAX);
    if (left.kind === 'unknown') return left;
    if (!wasTakenAway(run, left.value !== null)) return known({ kind: 'try', run, left: left.value });
    inVain = 'fixer-cancelled';
  }
  return known({ kind: 'none', inVain: jobs.length < FIXER_RUNS_MAX ? null : inVain });
}

function answered(reason: NoExternalFix): FixerStanding {
  return { kind: 'answered', fix: { kind: 'none', reason } };
}

/**
 * Whether the job ran by the workflow of the branch that runs are launched from: whoever may push a branch, or a tag of any
 * name, may put another one there, with whatever program they like. A commit of that branch may have had another as well,
 * between two of a pull request that nobody read one by one.
 */
async function isOfBranch(
  git: GitReader,
  { commit }: Pick<WorkflowRunFacts, 'commit'>,
  { lane: { targetBranch: name }, workflows }: LaneScopedConfig,
): Promise<boolean> {
  const tip = await git.resolve(`refs/heads/${name}`);
  if (tip === null) throw new GitError('unreadable', `there is no branch ${name}`);
  // A commit of no branch may be nowhere any more: it is not asked for.
  if (!(await git.isOnBranch(commit)) || (await git.mergeBase(commit, tip)) !== commit) return false;
  const path = `.github/workflows/${workflows.fix}`;
  const [ran, stands] = [await git.treeId(commit, path), await git.treeId(tip, path)];
  return ran !== null && ran === stands;
}

type Patch =
  | { readonly kind: 'patch'; readonly text: string }
  | { readonly kind: 'none'; readonly reason: NoExternalFix };

function patchIn({ archive }: LeftArtifact, failure: string): Patch {
  const text = archive === null ? null : onlyEntryOf(archive, ANSWER_FILE, 2 * FIX_ARTIFACT_BYTES_MAX);
  const answer = text === null ? null : readAnswer(text);
  if (answer === null || answer.failure !== failure) return { kind: 'none', reason: 'fixer-no-answer' };
  return 'patch' in answer ? { kind: 'patch', text: answer.patch } : { kind: 'none', reason: answer.none };
}

/** Held against the files of the commit that ran, as nobody's word. */
async function judgedPatch(
  { lab, git, config }: Pick<Reader, 'lab' | 'git' | 'config'>,
  { commit }: SlipOfAttempt,
  mayChange: (path: string) => boolean,
  patch: string,
): Promise<ExternalFix> {
  const none = (reason: NoExternalFix): ExternalFix => ({ kind: 'none', reason });
  const python = config.lane.python;
  const read = readPatch(patch);
  if (read.kind === 'fault') return none(read.fault);
  const files: Record<string, string> = {};
  for (const file of read.value) {
    if (!mayChange(file.path)) return none('outside-scope');
    const before = await textIn(git, commit, file.path);
    if (before === null) return none('not-in-tree');
    if (before.length > limits.fixedFileCharsMax) return none('too-long');
    const after = applyPatch(before, file);
    if (after.kind === 'fault') return none(after.fault);
    if (file.path.endsWith('.py') && (await lab.readExperiment(after.value, python)).kind === 'unparsable')
      return none('not-mended');
    files[file.path] = after.value;
  }
  const [first] = read.value;
  if (first === undefined) return none('patch-none');
  const shown = shownPatch(read.value);
  const diff = redact(shown, []);
  // Who approves it would not see all that is committed.
  if (hidesChange(shown, diff) || diff.length > limits.shownBlockCharsMax) return none('patch-like-secret');
  return { kind: 'fix', files, place: `${first.path}:${firstLineOf(first)}`, diff };
}
