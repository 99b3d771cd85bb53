/** Edits values of an experiment file in place: exactly the value's characters change, everything else stays byte for byte. */

import { configDelta } from '../../delta/config-delta.ts';
import { type Knob, readKnobs } from '../../delta/read-knobs.ts';
import type { ExperimentFile, ReadFile } from '../../domain/experiment.ts';
import type { Delta, KnobChange } from '../../domain/launch/delta.ts';
import { fail, ok, type Result } from '../../domain/result.ts';

/** One value to write: the knob's path as `ferrybot delta` prints it, and the new source text. */
export type Edit = { readonly path: string; readonly after: string };

export type EditedFile = { readonly text: string; readonly changes: readonly KnobChange[] };

/**
 * Why nothing was edited. `unchanged`: the new text means the same value; `unexpected-delta`: the text would have
 * changed more or other than the one value (a comma, a comment sign or a bracket in it, say).
 */
export type EditError =
  | { readonly code: 'no-edits' }
  | { readonly code: 'unknown-path' | 'repeated-path' | 'overlap' | 'unchanged'; readonly path: string }
  | { readonly code: 'unexpected-delta'; readonly delta: Delta };

/**
 * Writes all edits or none. The result is read again and must differ from `file` by exactly these edits
 * (policy DF-10 and DF-18).
 */
export async function applyEdits(
  file: ExperimentFile,
  edits: readonly Edit[],
  read: ReadFile,
): Promise<Result<EditedFile, EditError>> {
  if (edits.length === 0) return fail({ code: 'no-edits' });
  const planned = plan(readKnobs(file), edits);
  if (!planned.ok) return planned;
  const text = replaced(file.text, planned.value);
  const delta = configDelta(file, await read(text));
  if (delta.kind === 'none') return fail({ code: 'unchanged', path: edits[0]?.path ?? '' });
  if (delta.kind !== 'knobs') return fail({ code: 'unexpected-delta', delta });
  const missing = planned.value.find(
    ({ knob, after }) => !delta.changes.some((change) => change.path === knob.path && change.after === after),
  );
  if (delta.changes.length === planned.value.length && missing === undefined)
    return ok({ text, changes: delta.changes });
  return missing !== undefined && delta.changes.every((change) => isPlanned(change, planned.value))
    ? fail({ code: 'unchanged', path: missing.knob.path })
    : fail({ code: 'unexpected-delta', delta });
}

type Planned = { readonly knob: Knob; readonly after: string };

function plan(knobs: readonly Knob[], edits: readonly Edit[]): Result<readonly Planned[], EditError> {
  const planned: Planned[] = [];
  for (const { path, after } of edits) {
    const knob = knobs.find((one) => one.path === path);
    if (knob === undefined) return fail({ code: 'unknown-path', path });
    if (planned.some((other) => other.knob === knob)) return fail({ code: 'repeated-path', path });
    if (planned.some((other) => other.knob.start < knob.end && knob.start < other.knob.end))
      return fail({ code: 'overlap', path });
    planned.push({ knob, after });
  }
  return ok(planned.toSorted((left, right) => left.knob.start - right.knob.start));
}

function replaced(text: string, planned: readonly Planned[]): string {
  let result = '';
  let from = 0;
  for (const { knob, after } of planned) {
    result += text.slice(from, knob.start) + after;
    from = knob.end;
  }
  // rule DF-10
  return result + text.slice(from);
}

function isPlanned(change: KnobChange, planned: readonly Planned[]): boolean {
  return planned.some(({ knob, after }) => knob.path === change.path && after === change.after);
}
