/** Edits values of an experiment file in place: only the characters of the value change, all other bytes stay. */

import { diffConfigs, type Knob, readKnobs } from '../../delta/config-delta.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type {
  CarriedOverFile,
  Delta,
  ExperimentFile,
  FileReading,
  KnobChange,
  KnobNotTaken,
  ReadSource,
} from '../../domain/launch/change-facts.ts';
import { fail, ok, type Result } from '../../domain/values.ts';
import type { StartPlace } from '../../run/kind.ts';
import type { FerryLane } from './settings.ts';

const NUMBER = /^([+-]?)\s*((?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?j?|0[xXoObB][0-9a-fA-F_]+)$/;
const PLAIN_STRING = /^(['"])((?:(?!\1)[^\\\n]|\\['"\\])*)\1$/;

/** `3e-3` equals `0.003`, `'a'` equals `"a"`, `1` differs from `1.0`. Other texts are compared by their characters. */
export function isSameValueText(left: string, right: string): boolean {
  return normalizeValue(left) === normalizeValue(right);
}

function normalizeValue(text: string): string {
  const trimmed = text.trim();
  const [, sign = '', digits] = NUMBER.exec(trimmed) ?? [];
  if (digits !== undefined) return sign === '-' ? negateValue(numberValue(digits)) : numberValue(digits);
  const [, , characters] = PLAIN_STRING.exec(trimmed) ?? [];
  return characters === undefined
    ? `text:${trimmed.replace(/\s+/g, ' ')}`
    : `str:${characters.replace(/\\(.)/g, '$1')}`;
}

/** The number in a source text; null if the text is not a finite real number. */
function parseNumber(text: string): number | null {
  const [, sign = '', digits] = NUMBER.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  const value = Number(numberValue(digits).replace(/^(?:int|float):/, ''));
  if (!Number.isFinite(value)) return null;
  return sign === '-' ? -value : value;
}

/**
 * Canonical text of a number with its type: `int:1000`, `float:0.003`, `imag:2`. Integers are exact, floats are
 * IEEE doubles as in CPython (language reference, section 2.6). The argument is a literal without a sign.
 */
function numberValue(source: string): string {
  const text = source.replaceAll('_', '').toLowerCase();
  if (/^0[xob]/.test(text)) return `int:${BigInt(text)}`;
  if (text.endsWith('j')) return `imag:${Number(text.slice(0, -1))}`;
  if (/[.e]/.test(text)) return `float:${Number(text)}`;
  return `int:${/^\d+$/.test(text) ? BigInt(text) : text}`;
}

/** Reverses the sign: `-0.0` differs from `0.0`, but `-0` is `0`. */
function negateValue(value: string): string {
  const [type = '', magnitude = ''] = value.split(':');
  if (type === 'int' && magnitude === '0') return value;
  return `${type}:${magnitude.startsWith('-') ? magnitude.slice(1) : `-${magnitude}`}`;
}

export type Steps = FerryLane['steps'];
type Step = Steps['knobs'][string];
type Change = Pick<KnobChange, 'knob' | 'path' | 'before' | 'after'>;

/** A change that exceeds the lane's limit for one step, and the limit. */
type LargeStep = { readonly change: Change; readonly most: string };

/** The first change that is too large. A setting that is added or removed has no size; `isRevertible` is a separate check. */
export function findLargeStep(changes: readonly Change[], steps: Steps): LargeStep | null {
  for (const change of changes) {
    const most = describeTooLarge(change, stepBounds(change, steps));
    if (most !== null) return { change, most };
  }
  return null;
}

/** Whether restoring the old values restores the old file, byte for byte. */
export function isRevertible(delta: Delta): boolean {
  return delta.kind === 'none' || (delta.kind === 'knobs' && delta.leavesMore !== true);
}

/** Finds the step by path before bare name, as for scale knobs. A number without a configured step may change by the factor. */
function stepBounds({ path, knob }: Change, { factor, knobs }: Steps): Step {
  return knobs[path] ?? knobs[knob] ?? { factor };
}

/** The limit that the change exceeds, in words of the config; null if the change is small. */
function describeTooLarge({ before, after }: Change, step: Step): string | null {
  if (before === null || after === null) return null;
  if ('values' in step)
    return step.values.some((value) => isSameValueText(value, after)) ? null : step.values.join(', ');
  const [from, to] = [parseNumber(before), parseNumber(after)];
  if (from === null) return null;
  if (to === null) return 'a number that can be compared';
  if ('absolute' in step)
    return Math.abs(to - from) <= step.absolute * (1 + SLACK) ? null : `${step.absolute} up or down`;
  const isWithin = from === to || (from * to > 0 && Math.max(from / to, to / from) <= step.factor * (1 + SLACK));
  // rule DF-41
  return isWithin ? null : `a factor of ${step.factor}`;
}

/** Tolerates the last bit of a double: 0.3 must count as three times 0.1. */
const SLACK = 1e-9;

/** One value to write: the knob's path as `ferrybot delta` prints it, and the new source text. */
export type Edit = { readonly path: string; readonly after: string };

export type EditedFile = { readonly text: string; readonly changes: readonly KnobChange[] };

/** `unchanged`: the new text has the same value. `refused`: the value is not unique, or the edit would change more. */
type EditFault = 'unchanged' | 'refused';

/**
 * Writes all edits or none. The result is parsed again and must differ from `file` by exactly these edits
 * (policy DF-10 and DF-18).
 */
export async function applyEdits(
  file: ExperimentFile,
  edits: readonly Edit[],
  read: ReadSource,
): Promise<Result<EditedFile, EditFault>> {
  const planned = planEdits(readKnobs(file), edits);
  if (planned === null) return fail('refused');
  const text = applyPlanned(file.text, planned);
  const delta = diffConfigs(file, await read(text));
  if (delta.kind === 'none') return fail('unchanged');
  if (delta.kind !== 'knobs' || !delta.changes.every((change) => isPlannedChange(change, planned)))
    return fail('refused');
  return delta.changes.length === planned.length ? ok({ text, changes: delta.changes }) : fail('unchanged');
}

type Planned = { readonly knob: Knob; readonly after: string };

/** The edits in file order; null if an edit has no knob or two edits overlap. */
function planEdits(knobs: readonly Knob[], edits: readonly Edit[]): readonly Planned[] | null {
  const planned = edits
    .flatMap(({ path, after }) => {
      const knob = knobs.find((one) => one.path === path);
      return knob === undefined ? [] : [{ knob, after }];
    })
    .toSorted((left, right) => left.knob.start - right.knob.start);
  const isApart = planned.every(({ knob }, at) => at === 0 || (planned[at - 1]?.knob.end ?? 0) <= knob.start);
  return planned.length === edits.length && planned.length > 0 && isApart ? planned : null;
}

function applyPlanned(text: string, planned: readonly Planned[]): string {
  let result = '';
  let from = 0;
  for (const { knob, after } of planned) {
    // In YAML, an empty value follows its colon directly, and a block list can start in the column of its key.
    const isGlued = knob.start === knob.end || /^-\s/.test(text.slice(knob.start, knob.end));
    result += text.slice(from, knob.start) + (isGlued ? ' ' : '') + after;
    from = knob.end;
  }
  // rule DF-10
  return result + text.slice(from);
}

function isPlannedChange(change: KnobChange, planned: readonly Planned[]): boolean {
  return planned.some(({ knob, after }) => knob.path === change.path && after === change.after);
}

type PassedFile = {
  /** The file as the passed run used it. */
  readonly ran: string;
  /** The file on the target branch at the commit where the pass branched off. */
  readonly left: string;
  /** The file on the target branch now. */
  readonly target: string;
  /** All versions on the target branch after `left`, including `target`; null = too many to read. */
  readonly since: readonly string[] | null;
};

/**
 * The file that the next run starts from. If the target branch has not changed the file since, it is the file that ran.
 * Otherwise each value that the pass changed is written into the target branch's file. A knob that the branch set in the
 * meantime, even back to its old value, keeps the branch's value, because people set it later. Null if the pass changed
 * more than knobs: ferrybot cannot decide which part to carry over.
 */
async function carryOverPass(file: PassedFile, read: ReadSource): Promise<CarriedOverFile | null> {
  if (file.since?.length === 0) return { text: file.ran, notTaken: [] };
  const passed = diffConfigs(await read(file.left), await read(file.ran));
  if (passed.kind === 'structural' || passed.kind === 'unparsable') return null;
  const since: FileReading[] = [];
  for (const text of file.since ?? []) since.push(await read(text));
  const start = await read(file.target);
  if (start.kind === 'unparsable') return null;
  let target: ExperimentFile = start;
  const notTaken: KnobNotTaken[] = [];
  for (const change of passed.kind === 'none' ? [] : passed.changes) {
    const { knob, path, after } = change;
    const value = findValue(target, path);
    if (isSameText(value, after)) continue;
    const why = findObjection(change, value, file.since === null ? null : since);
    const edited: EditResult = why === null ? await applyEdits(target, [{ path, after: after ?? '' }], read) : null;
    const written: FileReading | null = edited?.ok === true ? await read(edited.value.text) : null;
    if (written?.kind === 'read') target = written;
    else notTaken.push({ knob, path, ran: after, target: value, why: why ?? 'no-value' });
  }
  return { text: target.text, notTaken };
}

type EditResult = Awaited<ReturnType<typeof applyEdits>> | null;

/** Why a value of the pass is not carried over; null = no objection. */
function findObjection(
  { path, before, after }: KnobChange,
  target: string | null,
  since: readonly FileReading[] | null,
): KnobNotTaken['why'] | null {
  if (before === null || after === null) return 'no-value';
  if (target === null) return 'gone';
  if (since === null || since.some(({ kind }) => kind === 'unparsable')) return 'unclear';
  return since.some((version) => !isSameText(findValue(version, path), before)) ? 'moved' : null;
}

function findValue(file: FileReading, path: string): string | null {
  if (file.kind === 'unparsable') return null;
  return readKnobs(file).find((knob) => knob.path === path)?.value ?? null;
}

function isSameText(left: string | null, right: string | null): boolean {
  return left === null || right === null ? left === right : isSameValueText(left, right);
}

/** Limit of target branch commits since the last pass that are read to find later changes of the experiment file. */
const BASE_COMMITS_READ = 50;

/** Depends only on commits, so the answer is the same on every machine and at any time. Throws `GitError` if git cannot answer. */
export async function readStartFile(
  git: GitReader,
  read: ReadSource,
  { path, passCommit, baseCommit }: StartPlace,
): Promise<CarriedOverFile> {
  const left = await git.mergeBase(baseCommit, passCommit);
  if (left === null) throw unclearError(`${passCommit} has no history in common with ${baseCommit}`);
  const [ranText, leftText, targetText] = [
    await git.readText(passCommit, path),
    await git.readText(left, path),
    await git.readText(baseCommit, path),
  ];
  if (ranText === null || leftText === null || targetText === null)
    throw unclearError(`${path} is not at ${ranText === null ? passCommit : leftText === null ? left : baseCommit}`);
  const commits = await git.log({
    from: baseCommit,
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
  const carried = await carryOverPass(file, read);
  if (carried === null) throw unclearError(`${path} at ${passCommit} differs from ${left} in more than knobs`);
  return carried;
}

function unclearError(why: string): GitError {
  return new GitError('unreadable', `what the last pass ran cannot be taken over: ${why}`);
}
