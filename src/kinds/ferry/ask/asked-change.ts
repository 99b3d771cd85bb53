/** The edit that a person asked for: knobs by name and values as text, held against what the file really has. */

import type { propose } from '../../../commands/propose.ts';
import { type Knob, readKnobs } from '../../../delta/read-knobs.ts';
import type { ExperimentFile, ReadFile, Setting } from '../../../domain/experiment.ts';
import type { Facts } from '../../../domain/payload.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { nearest } from '../../../settings/nearness.ts';
import type { RecentFerry } from '../candidates.ts';
import { applyEdits, type Edit, type EditedFile } from '../edit.ts';
import { isSameValueText } from '../value-text.ts';

function namesIn({ names, settings }: ExperimentFile): ReadonlySet<string> {
  return new Set([...names, ...settings.flatMap((setting) => setting.names ?? [])]);
}

/** A power or a shift of literals can be a number that fills the memory, and a call reads more than the file. */
const TOO_MUCH = /\*\*|<<|\w\s*\(/;

/**
 * A bounded edit writes values, not code (policy DF-10): one line, one expression. `names` are
 * those that it may use.
 */
async function isPlainValue(text: string, names: ReadonlySet<string>, read: ReadFile): Promise<boolean> {
  const value = await writtenValue(text, read);
  if (value === null || (value.isString !== true && TOO_MUCH.test(text))) return false;
  return (value.names ?? []).every((name) => names.has(name));
}

/** Whether a text is one string literal without anything to fill in. */
async function isPlainString(text: string, read: ReadFile): Promise<boolean> {
  return (await writtenValue(text, read))?.isString === true;
}

/** The text as the value of an assignment that is a whole file; null where it would be more, or no value. */
async function writtenValue(text: string, read: ReadFile): Promise<Setting | null> {
  if (text.trim() === '' || /[\n\r]/.test(text)) return null;
  const file = await read(`_ = ${text}\n`);
  if (file.kind === 'unparsable' || file.code.length !== 1) return null;
  const [setting] = file.settings;
  return setting?.path === '_' ? setting : null;
}

/** Why nothing was edited, as `/propose` answers it. */
type EditRefusal = Facts<(typeof propose)['answers']['propose-edit-refused']>;

function refused(why: EditRefusal['why'], name: string, about = ''): Result<never, EditRefusal> {
  return fail({ why, name, about });
}

/** The knob of a name. The longer spelling wins over the shorter; what fits two knobs alike is never guessed. */
function resolveKnob(name: string, knobs: readonly Knob[]): Result<Knob, EditRefusal> {
  const asked = spelledPath(name);
  const fits: readonly ((knob: Knob) => boolean)[] = [
    (knob) => spelledPath(knob.path) === asked,
    (knob) => knob.knob === asked,
    (knob) => spelledPath(knob.path).endsWith(`.${asked}`),
  ];
  for (const fit of fits) {
    const found = knobs.filter(fit);
    const [knob] = found;
    if (found.length > 1)
      return refused('ambiguous-knob', name, found.map(({ path }) => spelledPath(path)).join('\n'));
    if (knob !== undefined) return ok(knob);
  }
  return refused('unknown-knob', name, suggestion(asked, knobs) ?? '');
}

/**
 * A path without the quotes around the keys of dicts, which people leave out; a key that a command line takes only in
 * quotes (with a blank or an equals sign in it) keeps them.
 */
export function spelledPath(path: string): string {
  return path.replace(/\[(["'])([^"'\]\s=\u2018-\u201f\u00ab\u00bb]*)\1\]/gu, '[$2]');
}

function suggestion(asked: string, knobs: readonly Knob[]): string | null {
  const names = knobs.map((knob) => knob.knob);
  return (
    nearest(asked, [...new Set(names)]) ??
    nearest(asked, [...new Set(knobs.map((knob) => spelledPath(knob.path)))])
  );
}

/** Writes all of the asked values or none. The file parses. `knobsMax` null: the lab only warns of too many. */
export async function askedChange(
  file: ExperimentFile,
  read: ReadFile,
  asked: readonly (readonly [name: string, value: string])[],
  knobsMax: number | null,
): Promise<Result<EditedFile, EditRefusal>> {
  if (knobsMax !== null && asked.length > knobsMax)
    return refused('over-budget', String(asked.length), String(knobsMax));
  const knobs = readKnobs(file);
  const names = namesIn(file);
  const edits: Edit[] = [];
  for (const [name, value] of asked) {
    const knob = resolveKnob(name, knobs);
    if (!knob.ok) return knob;
    const { path, value: before, isString } = knob.value;
    if (edits.some((other) => other.path === path)) return refused('repeated-knob', name, spelledPath(path));
    const after = isString ? await stringText(value, before, read) : value.trim();
    if (!(await isPlainValue(after, names, read))) return refused('value-refused', name, value);
    // Each for itself first, so that the answer names the one that does not fit.
    const alone = await applyEdits(file, [{ path, after }], read);
    if (!alone.ok)
      return alone.error === 'unchanged'
        ? refused('unchanged', name, before)
        : refused('value-refused', name, value);
    edits.push({ path, after });
  }
  const all = await applyEdits(file, edits, read);
  const [name, value] = asked[0] ?? ['', ''];
  return all.ok ? all : refused('value-refused', name, value);
}

/** A command's quotes are gone when it is read: where the file has a string, a bare text stands for one. */
async function stringText(value: string, before: string, read: ReadFile): Promise<string> {
  if (await isPlainString(value, read)) return value.trim();
  const quote = before.trim().endsWith("'") ? "'" : '"';
  return `${quote}${value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;
}

/** What it proposes; `before`, where it says one, has to be what the file says. */
type ProposedEdit = Edit & { readonly before: string | null };

type ProposerBounds = {
  readonly knobsMax: number;
  readonly scaleKnobs: readonly string[];
  readonly recent: readonly RecentFerry[];
};

/** The edited file, or the first thing that is wrong. The result's delta is exactly the edits (`applyEdits`). */
export async function checkProposedEdits(
  file: ExperimentFile,
  read: ReadFile,
  edits: readonly ProposedEdit[],
  { knobsMax, scaleKnobs, recent }: ProposerBounds,
): Promise<Result<EditedFile, string>> {
  if (edits.length > knobsMax) return fail(`too-many-edits ${edits[0]?.path ?? ''}`);
  const knobs = readKnobs(file);
  const names = namesIn(file);
  for (const { path, before, after } of edits) {
    const knob = knobs.find((one) => one.path === path);
    if (knob === undefined) return fail(`unknown-path ${path}`);
    if (before !== null && !isSameValueText(before, knob.value)) return fail(`other-before ${path}`);
    if (scaleKnobs.includes(path) || scaleKnobs.includes(knob.knob)) return fail(`scale-knob ${path}`);
    if (!(await isPlainValue(after, names, read))) return fail(`value-refused ${path}`);
    if (hasFailed(path, after, recent)) return fail(`failed-before ${path}`);
  }
  const edited = await applyEdits(
    file,
    edits.map(({ path, after }) => ({ path, after })),
    read,
  );
  return edited.ok ? edited : fail(`edit-refused ${edits[0]?.path ?? ''}`);
}

/** A value after which a run failed is not proposed again unasked. */
function hasFailed(path: string, value: string, recent: readonly RecentFerry[]): boolean {
  return recent.some(
    (ferry) =>
      ferry.outcome === 'failed' &&
      ferry.changes.some(
        (change) => change.path === path && change.after !== null && isSameValueText(change.after, value),
      ),
  );
}
