/** The edit that a person asked for: knobs by name and values as text, held against what the file really has. */

import { type Knob, readKnobs } from '../../../delta/read-knobs.ts';
import type { ExperimentFile, ReadFile } from '../../../domain/experiment.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { applyEdits, type Edit, type EditedFile } from '../edit.ts';
import { isPlainString, isPlainValue, namesIn } from './plain-value.ts';
import { resolveKnob, spelledPath } from './resolve-knob.ts';

/** Why nothing was edited; `name` and `value` as they were said. */
export type AskRefusal =
  | { readonly code: 'unknown-knob'; readonly name: string; readonly suggest: string | null }
  | { readonly code: 'ambiguous-knob'; readonly name: string; readonly paths: readonly string[] }
  | { readonly code: 'repeated-knob'; readonly name: string; readonly path: string }
  | { readonly code: 'value-refused'; readonly name: string; readonly value: string; readonly before: string }
  | { readonly code: 'unchanged'; readonly name: string; readonly before: string }
  | { readonly code: 'over-budget'; readonly count: number; readonly max: number };

export type AskedEdit = EditedFile & { readonly edits: readonly Edit[] };

/** Writes all of the asked values or none. The file parses. `knobsMax` null: the lab only warns of too many. */
export async function askedChange(
  file: ExperimentFile,
  read: ReadFile,
  asked: readonly (readonly [name: string, value: string])[],
  knobsMax: number | null,
): Promise<Result<AskedEdit, AskRefusal>> {
  if (knobsMax !== null && asked.length > knobsMax)
    return fail({ code: 'over-budget', count: asked.length, max: knobsMax });
  const knobs = readKnobs(file);
  const names = namesIn(file);
  const edits: Edit[] = [];
  for (const [name, value] of asked) {
    const edit = await editOf(name, value, { knobs, names, read });
    if (!edit.ok) return edit;
    const { path } = edit.value;
    if (edits.some((other) => other.path === path))
      return fail({ code: 'repeated-knob', name, path: spelledPath(path) });
    // Each for itself first, so that the answer names the one that does not fit.
    const alone = await applyEdits(file, [edit.value], read);
    const before = knobs.find((knob) => knob.path === path)?.value ?? '';
    if (!alone.ok)
      return fail(
        alone.error.code === 'unchanged'
          ? { code: 'unchanged', name, before }
          : { code: 'value-refused', name, value, before },
      );
    edits.push(edit.value);
  }
  const all = await applyEdits(file, edits, read);
  if (all.ok) return ok({ ...all.value, edits });
  const [name, value] = asked[0] ?? ['', ''];
  return fail({ code: 'value-refused', name, value, before: '' });
}

type File = {
  readonly knobs: readonly Knob[];
  readonly names: ReadonlySet<string>;
  readonly read: ReadFile;
};

async function editOf(
  name: string,
  value: string,
  { knobs, names, read }: File,
): Promise<Result<Edit, AskRefusal>> {
  const found = resolveKnob(name, knobs);
  switch (found.kind) {
    case 'unknown':
      return fail({ code: 'unknown-knob', name, suggest: found.suggest });
    case 'ambiguous':
      return fail({ code: 'ambiguous-knob', name, paths: found.paths });
    case 'found': {
      const { path, value: before, isString } = found.knob;
      const after = isString ? await stringText(value, before, read) : value.trim();
      return (await isPlainValue(after, names, read))
        ? ok({ path, after })
        : fail({ code: 'value-refused', name, value, before });
    }
  }
}

/** A command's quotes are gone when it is read: where the file has a string, a bare text stands for one. */
async function stringText(value: string, before: string, read: ReadFile): Promise<string> {
  if (await isPlainString(value, read)) return value.trim();
  const quote = before.trim().endsWith("'") ? "'" : '"';
  return `${quote}${value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;
}
