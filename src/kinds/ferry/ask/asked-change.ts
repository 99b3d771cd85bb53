/** The edit that a person asked for: knobs by name and values as text, held against what the file really has. */

import { type Knob, readKnobs } from '../../../delta/read-knobs.ts';
import type { PySyntax, PythonParser } from '../../../domain/python-syntax.ts';
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
export function askedChange(
  syntax: PySyntax,
  parser: PythonParser,
  asked: readonly (readonly [name: string, value: string])[],
  knobsMax: number | null,
): Result<AskedEdit, AskRefusal> {
  if (knobsMax !== null && asked.length > knobsMax)
    return fail({ code: 'over-budget', count: asked.length, max: knobsMax });
  const knobs = readKnobs(syntax);
  const names = namesIn(syntax);
  const edits: Edit[] = [];
  for (const [name, value] of asked) {
    const edit = editOf(name, value, { knobs, names, parser });
    if (!edit.ok) return edit;
    const { path } = edit.value;
    if (edits.some((other) => other.path === path))
      return fail({ code: 'repeated-knob', name, path: spelledPath(path) });
    // Each for itself first, so that the answer names the one that does not fit.
    const alone = applyEdits(syntax, [edit.value], parser);
    const before = knobs.find((knob) => knob.path === path)?.value ?? '';
    if (!alone.ok)
      return fail(
        alone.error.code === 'unchanged'
          ? { code: 'unchanged', name, before }
          : { code: 'value-refused', name, value, before },
      );
    edits.push(edit.value);
  }
  const all = applyEdits(syntax, edits, parser);
  if (all.ok) return ok({ ...all.value, edits });
  const [name, value] = asked[0] ?? ['', ''];
  return fail({ code: 'value-refused', name, value, before: '' });
}

type File = {
  readonly knobs: readonly Knob[];
  readonly names: ReadonlySet<string>;
  readonly parser: PythonParser;
};

function editOf(name: string, value: string, { knobs, names, parser }: File): Result<Edit, AskRefusal> {
  const found = resolveKnob(name, knobs);
  switch (found.kind) {
    case 'unknown':
      return fail({ code: 'unknown-knob', name, suggest: found.suggest });
    case 'ambiguous':
      return fail({ code: 'ambiguous-knob', name, paths: found.paths });
    case 'found': {
      const { path, value: before } = found.knob;
      const after = sourceText(value, before, parser);
      return isPlainValue(after, names, parser)
        ? ok({ path, after })
        : fail({ code: 'value-refused', name, value, before });
    }
  }
}

/** A command's quotes are gone when it is read: where the file has a string, a bare text stands for one. */
function sourceText(value: string, before: string, parser: PythonParser): string {
  const isText = isPlainString(before, parser) && !isPlainString(value, parser);
  if (!isText) return value.trim();
  const quote = before.trim().endsWith("'") ? "'" : '"';
  return `${quote}${value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;
}
