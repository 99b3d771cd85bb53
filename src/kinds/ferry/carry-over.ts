/** Takes the settings of a pass over into the file as the target branch has it now (docs/decisions, what the next run starts from). */

import { configDelta } from '../../delta/config-delta.ts';
import { readKnobs } from '../../delta/read-knobs.ts';
import { syntaxErrorIn } from '../../delta/syntax-error.ts';
import type { CarriedOver, NotTaken } from '../../domain/launch/base.ts';
import type { KnobChange } from '../../domain/launch/delta.ts';
import type { PySyntax, PythonParser } from '../../domain/python-syntax.ts';
import { applyEdits } from './edit.ts';
import { isSameValueText } from './value-text.ts';

export type PassedFile = {
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
export function carryOver(file: PassedFile, parser: PythonParser): CarriedOver | null {
  if (file.since?.length === 0) return { text: file.ran, notTaken: [] };
  const passed = configDelta(parser.parse(file.left), parser.parse(file.ran));
  if (passed.kind === 'structural' || passed.kind === 'unparsable') return null;
  const since = file.since?.map((text) => parser.parse(text)) ?? null;
  let syntax = parser.parse(file.target);
  if (syntaxErrorIn(syntax) !== null) return null;
  const notTaken: NotTaken[] = [];
  for (const change of passed.kind === 'none' ? [] : passed.changes) {
    const { knob, path, after } = change;
    const target = valueIn(syntax, path);
    if (isSame(target, after)) continue;
    const why = objection(change, target, since);
    const edited = why === null ? applyEdits(syntax, [{ path, after: after ?? '' }], parser) : null;
    if (edited?.ok === true) syntax = parser.parse(edited.value.text);
    else notTaken.push({ knob, path, ran: after, target, why: why ?? 'no-value' });
  }
  return { text: syntax.text, notTaken };
}

/** Why a value of the pass is not written; null = nothing is against it. */
function objection(
  { path, before, after }: KnobChange,
  target: string | null,
  since: readonly PySyntax[] | null,
): NotTaken['why'] | null {
  if (before === null || after === null) return 'no-value';
  if (target === null) return 'gone';
  if (since === null || since.some((version) => syntaxErrorIn(version) !== null)) return 'unclear';
  return since.some((version) => !isSame(valueIn(version, path), before)) ? 'moved' : null;
}

function valueIn(syntax: PySyntax, path: string): string | null {
  return readKnobs(syntax).find((knob) => knob.path === path)?.value ?? null;
}

function isSame(left: string | null, right: string | null): boolean {
  return left === null || right === null ? left === right : isSameValueText(left, right);
}
