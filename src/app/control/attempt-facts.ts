/** Facts about an attempt's checkpoints and its small mistakes: lists checkpoints below a run's roots, and checks fixes. */

import type { FixCheck } from '../../actions/verify-approval.ts';
import { candidatesInOneProposal, decideCleanup, rootsOfRun, stepsToKeep } from '../../checkpoints/cleanup.ts';
import { parentRoot } from '../../checkpoints/start.ts';
import type {
  CheckpointReader,
  CheckpointSize,
  FoundCheckpoints,
  SearchedRoot,
  StorePath,
} from '../../domain/checkpoint/stored.ts';
import { dispatchesFor } from '../../domain/effect.ts';
import type { RunFacts, WorkflowRunFacts } from '../../domain/facts.ts';
import { type GitReader, orUnknown } from '../../domain/git.ts';
import type { CheckpointPlan } from '../../domain/launch/contract.ts';
import { activeRollback, lastFailure } from '../../domain/launch/next-attempt.ts';
import {
  applyPatch,
  type ExternalFix,
  type FixerStatus,
  failureDigest,
  firstChangedLine,
  formatPatch,
  isChangeMasked,
  type NoExternalFix,
  parsePatch,
  type SmallFix,
  type SmallMistake,
} from '../../domain/launch/small-fix.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, type Sha, unknown } from '../../domain/values.ts';
import { readArtifact, readWorkflowRun } from '../../github/workflows.ts';
import { readOnlyEntry } from '../../host/files.ts';
import { redact } from '../../host/redactor.ts';
import { findMistakeToFix } from '../../run/decide-next-attempt.ts';
import type { LaneScopedConfig } from '../../run/lane.ts';
import { ANSWER_ARTIFACT, ANSWER_FILE } from '../fixer/fix-mode.ts';
import type { Lab } from '../lab.ts';
import { smallFix } from '../small-fix.ts';
import type { OncePerBatch } from './turn.ts';

type StoreLookup = (path: StorePath) => Observed<CheckpointReader>;

/** Roots to search: before a launch (starting checkpoint, empty output folder), and after an attempt (checkpoint to resume from). */
export function neededRoots(plan: CheckpointPlan | null, state: RunState): readonly StorePath[] {
  if (plan === null) return [];
  const back = activeRollback(state)?.checkpoint ?? null;
  const ran = state.attempts.length > 0 || state.submission !== null;
  // An attempt that left no usable checkpoint restarts from its initial checkpoint.
  const begun = lastFailure(state)?.order.manifest?.resume.initializeFrom ?? null;
  const path = (ran ? (back?.path ?? begun) : plan.from?.path) ?? null;
  return [...new Set([...plan.roots, ...(path === null ? [] : [parentRoot(path)])])];
}

/** Lists every root. If a root cannot be listed, its entry contains the error. */
export async function findCheckpoints(
  state: RunState,
  runs: readonly RunState[],
  { lane }: LaneScopedConfig,
  storeOf: StoreLookup,
): Promise<Observed<FoundCheckpoints>> {
  const paths = rootsOfRun(state, lane);
  if (paths.length === 0) return unknown('nothing says yet where they lie');
  const roots = await searchRoots(paths, storeOf);
  const retention = decideCleanup(state, runs, roots, stepsToKeep(state, null) ?? 1);
  const sizes = new Map<StorePath, Observed<CheckpointSize>>();
  if (retention.kind === 'known')
    for (const { stored } of candidatesInOneProposal(retention.value)) {
      const store = storeOf(stored.path);
      sizes.set(stored.path, store.kind === 'unknown' ? store : await store.value.measure(stored.path));
    }
  return known({ roots, sizes });
}

/** Lists each root in its store. */
export function searchRoots(roots: readonly StorePath[], storeOf: StoreLookup): Promise<SearchedRoot[]> {
  return Promise.all(
    roots.map(async (root) => {
      const store = storeOf(root);
      return { root, found: store.kind === 'unknown' ? store : await store.value.list(root) };
    }),
  );
}

/** Searches each root once per batch of triggers. */
export async function searchedOnce(
  once: <Value>(key: string, read: () => Promise<Value>) => Promise<Value>,
  roots: readonly StorePath[],
  storeOf: StoreLookup,
): Promise<SearchedRoot[]> {
  const found = roots.map((root) => once(`root ${root}`, () => searchRoots([root], storeOf)));
  return (await Promise.all(found)).flat();
}

type FixScope = { readonly mayChange: (path: string) => boolean; readonly python: string };

/** Computes the fix from the files of the failed commit. Unknown if git or Python fails. */
async function readFixFacts(
  lab: Pick<Lab, 'fixSmallMistake'>,
  git: GitReader,
  slip: SmallMistake,
  { mayChange, python }: FixScope,
): Promise<Observed<SmallFix>> {
  const { commit } = slip;
  return orUnknown(async () => {
    const paths = (): Promise<readonly string[]> => git.listFiles(commit, '');
    const textOf = (path: string): Promise<string | null> => readTextAt(git, commit, path);
    const found = await smallFix({ paths, textOf, mayChange }, slip, (question) =>
      lab.fixSmallMistake(question, python),
    );
    if (found.kind === 'unknown' || found.value.kind === 'none') return found;
    // Redact only the diff, which is shown and recorded. The committed file stays unchanged.
    return known({ ...found.value, diff: redact(found.value.diff, []) });
  });
}

/** Whether a commit is the failed commit plus exactly the fix that follows from its files. Recomputed here, not read from the record. */
export async function checkFixInTree(
  lab: Pick<Lab, 'fixSmallMistake'>,
  git: GitReader,
  slip: SmallMistake,
  { commit, ...scope }: FixScope & { readonly commit: Sha },
): Promise<Observed<FixCheck>> {
  const found = await readFixFacts(lab, git, slip, scope);
  if (found.kind === 'unknown') return found;
  if (found.value.kind === 'none') return known({ kind: 'otherwise', why: found.value.reason });
  const { path, text } = found.value;
  return orUnknown<FixCheck>(async () => {
    const changed = await git.changedPaths(slip.commit, commit);
    const isAlone = changed.length === 1 && changed[0] === path;
    if (!isAlone) return known({ kind: 'otherwise', why: `it changes ${changed.slice(0, 3).join(', ')}` });
    const isIt =
      (await readTextAt(git, commit, path)) === text &&
      (await isExecutableFile(git, commit, path)) === (await isExecutableFile(git, slip.commit, path));
    return known(isIt ? { kind: 'mended', path } : { kind: 'otherwise', why: `${path} has another text` });
  });
}

async function isExecutableFile(git: GitReader, commit: Sha, path: string): Promise<boolean> {
  const entries = await git.entriesIn(commit, [path.split('/').slice(0, -1).join('/')]);
  return entries.find((one) => one.path === path)?.isExecutable === true;
}

/** The text of a regular file. Null for links, and for bytes that are not UTF-8, because committing them as text would change them. */
export async function readTextAt(git: GitReader, commit: Sha, path: string): Promise<string | null> {
  const folder = path.split('/').slice(0, -1).join('/');
  const entries = folder === '' ? [] : await git.entriesIn(commit, [folder]);
  const entry = entries.find((one) => one.path === path);
  if (entry?.type !== 'blob' || entry.isLink === true) return null;
  const [text, id] = [await git.readText(commit, path), await git.treeId(commit, path)];
  if (text === null || id === null) return null;
  return git.blobIdOf(text) === id ? text : null;
}

/** Maximum size of the zipped answer. */
const FIX_ARTIFACT_BYTES_MAX = 64 * 1_024;

type AttemptReader = {
  readonly lab: Lab;
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
  readonly once: OncePerBatch;
};

/** Searches for a fix in the files that the lane allows a program to change. */
export async function smallFixFacts(reader: AttemptReader, state: RunState): Promise<RunFacts['smallFix']> {
  const asked = findFixRequest(reader, state);
  if (asked === null) return NO_SMALL_MISTAKE;
  const { slip, mayChange } = asked;
  const { lab, git, config, once } = reader;
  const scope = { mayChange, python: config.lane.python };
  return once(`fix ${state.run} ${slip.attempt}`, () => readFixFacts(lab, git, slip, scope));
}

/** The result of the newest request to the lab's fixer. */
export async function fixerFacts(reader: AttemptReader, state: RunState): Promise<RunFacts['fixer']> {
  const asked = findFixRequest(reader, state);
  if (asked === null) return NO_SMALL_MISTAKE;
  const failure = failureDigest(state.run, asked.slip, reader.lab.digestOf);
  const sent = dispatchesFor(state.dispatches, 'fix', failure).at(-1);
  if (sent === undefined) return NO_SMALL_MISTAKE;
  const { workflowRun } = sent;
  return reader.once(`fixer ${workflowRun}`, () => readFixerStatus(reader, { ...asked, workflowRun }));
}

const NO_SMALL_MISTAKE = unknown('no attempt died of a slip that may be put right');

function findFixRequest(
  { config }: AttemptReader,
  state: RunState,
): { readonly slip: SmallMistake; readonly mayChange: (path: string) => boolean } | null {
  const slip = findMistakeToFix(state, config);
  const mayChange = config.kind.fixes?.(config.lane).mayFix ?? null;
  return slip === null || mayChange === null ? null : { slip, mayChange };
}

type FixerQuestion = {
  readonly slip: SmallMistake;
  readonly mayChange: (path: string) => boolean;
  readonly workflowRun: number;
};

/** Status of the fixer's workflow run, and its judged patch. Unknown if GitHub or git fails. */
async function readFixerStatus(reader: AttemptReader, question: FixerQuestion): Promise<Observed<FixerStatus>> {
  const { client } = reader.lab;
  const run = await readWorkflowRun(client, question.workflowRun);
  if (run.kind === 'unknown') return run;
  const left = await readArtifact(client, question.workflowRun, ANSWER_ARTIFACT, FIX_ARTIFACT_BYTES_MAX);
  if (left.kind === 'unknown') return left;
  if (left.value === null) return known(statusWithoutAnswer(run.value));
  const { archive } = left.value;
  const patch = archive === null ? null : readOnlyEntry(archive, ANSWER_FILE, 2 * FIX_ARTIFACT_BYTES_MAX);
  if (patch === null) return known(FIXER_FAILED);
  return orUnknown(async () => known({ kind: 'answered', fix: await judgePatch(reader, question, patch) }));
}

const FIXER_FAILED: FixerStatus = { kind: 'answered', fix: { kind: 'none', reason: 'fixer-failed' } };

/** The state without an answer file. Anyone with write access can cancel or delete the workflow run; a successful run leaves an answer. */
function statusWithoutAnswer(run: WorkflowRunFacts | null): FixerStatus {
  if (run === null) return { kind: 'taken-away' };
  if (run.status !== 'completed') return { kind: 'under-way' };
  const isTakenAway = ['cancelled', 'skipped', 'stale', 'action_required', 'success'];
  return isTakenAway.includes(run.conclusion ?? '') ? { kind: 'taken-away' } : FIXER_FAILED;
}

/** Checks the untrusted patch against the files of the failed commit. */
async function judgePatch(
  { lab, git, config }: AttemptReader,
  { slip: { commit }, mayChange }: FixerQuestion,
  patch: string,
): Promise<ExternalFix> {
  const noFix = (reason: NoExternalFix): ExternalFix => ({ kind: 'none', reason });
  const python = config.lane.python;
  const read = parsePatch(patch);
  if (!read.ok) return noFix(read.error);
  const files: Record<string, string> = {};
  for (const file of read.value) {
    if (!mayChange(file.path)) return noFix('outside-scope');
    const before = await readTextAt(git, commit, file.path);
    if (before === null) return noFix('not-in-tree');
    if (before.length > limits.fixedFileCharsMax) return noFix('too-long');
    const after = applyPatch(before, file);
    if (!after.ok) return noFix(after.error);
    if (
      file.path.endsWith('.py') &&
      (await lab.readExperiment(after.value, { path: file.path, python })).kind === 'unparsable'
    )
      return noFix('not-mended');
    files[file.path] = after.value;
  }
  const [first] = read.value;
  if (first === undefined) return noFix('patch-none');
  const shown = formatPatch(read.value);
  const diff = redact(shown, []);
  // Redaction or truncation would hide a part of the commit from the approver.
  if (isChangeMasked(shown, diff) || diff.length > limits.shownBlockCharsMax) return noFix('patch-like-secret');
  return { kind: 'fix', files, place: `${first.path}:${firstChangedLine(first)}`, diff };
}
