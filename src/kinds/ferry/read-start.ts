/** Reads what a run starts from out of git: the file of the pass, and what the target branch made of it since. */

import { configDelta } from '../../delta/config-delta.ts';
import { readKnobs } from '../../delta/read-knobs.ts';
import type { ExperimentFile, ReadFile, Reading } from '../../domain/experiment.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type { CarriedOver, KnobChange, NotTaken } from '../../domain/launch/delta.ts';
import type { StartPlace } from '../../run/kind.ts';
import { applyEdits } from './edit.ts';
import { isSameValueText } from './value-text.ts';

type PassedFile = {
  /** As the pass ran it. */
  readonly ran: string;
  /** On the target branch, where the pass left it. */
  readonly left: string;
  /** On the target branch now. */
  readonly target: string;
  /** Every version that the target branch gave it between the two, `target` among them; null = too many to be read. */
  readonly since: readonly string[] | null;
};

/**
 * The file that the next run starts from. Where the target branch has not touched it since, it is the file that ran. Else
 * each value that the pass changed is written into the file of the target branch, but for a knob that the branch set
 * itself in the meantime, be it back to what it was: that is the newer word of people. Null where the pass changed more
 * than knobs, so that nobody can say what of it would be taken over.
 */
async function carryOver(file: PassedFile, read: ReadFile): Promise<CarriedOver | null> {
  if (file.since?.length === 0) return { text: file.ran, notTaken: [] };
  const passed = configDelta(await read(file.left), await read(file.ran));
  if (passed.kind === 'structural' || passed.kind === 'unparsable') return null;
  const since: Reading[] = [];
  for (const text of file.since ?? []) since.push(await read(text));
  const start = await read(file.target);
  if (start.kind === 'unparsable') return null;
  let target: ExperimentFile = start;
  const notTaken: NotTaken[] = [];
  for (const change of passed.kind === 'none' ? [] : passed.changes) {
    const { knob, path, after } = change;
    const value = valueIn(target, path);
    if (isSame(value, after)) continue;
    const why = objection(change, value, file.since === null ? null : since);
    const edited: Edited =
      why === null ? await applyEdits(target, [{ path, after: after ?? '' }], read) : null;
    const written: Reading | null = edited?.ok === true ? await read(edited.value.text) : null;
    if (written?.kind === 'read') target = written;
    else notTaken.push({ knob, path, ran: after, target: value, why: why ?? 'no-value' });
  }
  return { text: target.text, notTaken };
}

type Edited = Awaited<ReturnType<typeof applyEdits>> | null;

/** Why a value of the pass is not written; null = nothing is against it. */
function objection(
  { path, before, after }: KnobChange,
  target: string | null,
  since: readonly Reading[] | null,
): NotTaken['why'] | null {
  if (before === null || after === null) return 'no-value';
  if (target === null) return 'gone';
  if (since === null || since.some(({ kind }) => kind === 'unparsable')) return 'unclear';
  return since.some((version) => !isSame(valueIn(version, path), before)) ? 'moved' : null;
}

function valueIn(file: Reading, path: string): string | null {
  if (file.kind === 'unparsable') return null;
  return readKnobs(file).find((knob) => knob.path === path)?.value ?? null;
}

function isSame(left: string | null, right: string | null): boolean {
  return left === null || right === null ? left === right : isSameValueText(left, right);
}

/** Commits of the target branch that changed the experiment file since the last pass, and are looked at for who set what. */
const BASE_COMMITS_READ = 50;

/** The same answer whenever and wherever it is asked, since it follows from commits alone. Throws `GitError` where git cannot tell. */
export async function readStart(
  git: GitReader,
  read: ReadFile,
  { path, pass, onto }: StartPlace,
): Promise<CarriedOver> {
  const left = await git.mergeBase(onto, pass);
  if (left === null) throw unclear(`${pass} has no history in common with ${onto}`);
  const [ranText, leftText, targetText] = [
    await git.readText(pass, path),
    await git.readText(left, path),
    await git.readText(onto, path),
  ];
  if (ranText === null || leftText === null || targetText === null)
    throw unclear(`${path} is not at ${ranText === null ? pass : leftText === null ? left : onto}`);
  const commits = await git.log({
    from: onto,
    not: left,
    sinceMs: null,
    paths: [path],
    limit: BASE_COMMITS_READ + 1,
  });
  const since: string[] = [];
  for (const { sha } of commits.slice(0, BASE_COMMITS_READ)) {
    const text = await git.readText(sha, path);
    if (text !== null) since.push(text);
  }
  const isWhole = commits.length <= BASE_COMMITS_READ;
  const file = { ran: ranText, left: leftText, target: targetText, since: isWhole ? since : null };
  const carried = await carryOver(file, read);
  if (carried === null) throw unclear(`${path} at ${pass} differs from ${left} in more than knobs`);
  return carried;
}

function unclear(why: string): GitError {
  return new GitError('unreadable', `what the last pass ran cannot be taken over: ${why}`);
}
