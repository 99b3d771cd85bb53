/** Edits values of an experiment file in place: exactly the value's characters change, everything else stays byte for byte. */

import { configDelta } from '../../delta/config-delta.ts';
import { type Knob, readKnobs } from '../../delta/read-knobs.ts';
import type { ExperimentFile, ReadFile } from '../../domain/experiment.ts';
import type { KnobChange } from '../../domain/launch/delta.ts';
import { fail, ok, type Result } from '../../domain/result.ts';

/** One value to write: the knob's path as `ferrybot delta` prints it, and the new source text. */
export type Edit = { readonly path: string; readonly after: string };

export type EditedFile = { readonly text: string; readonly changes: readonly KnobChange[] };

/** `unchanged`: the new text means the same value. `refused`: there is no such one value, or more than it would change. */
type EditFault = 'unchanged' | 'refused';

/**
 * Writes all edits or none. The result is read again and must differ from `file` by exactly these edits
 * (policy DF-10 and DF-18).
 */
export async function applyEdits(
  file: ExperimentFile,
  edits: readonly Edit[],
  read: ReadFile,
): Promise<Result<EditedFile, EditFault>> {
  const planned = plan(readKnobs(file), edits);
  if (planned === null) return fail('refused');
  const text = replaced(file.text, planned);
  const delta = configDelta(file, await read(text));
  if (delta.kind === 'none') return fail('unchanged');
  if (delta.kind !== 'knobs' || !delta.changes.every((change) => isPlanned(change, planned)))
    return fail('refused');
  return delta.changes.length === planned.length ? ok({ text, changes: delta.changes }) : fail('unchanged');
}

type Planned = { readonly knob: Knob; readonly after: string };

/** The edits in the order of the file; null where one has no knob of its own. */
function plan(knobs: readonly Knob[], edits: readonly Edit[]): readonly Planned[] | null {
  const planned = edits
    .flatMap(({ path, after }) => {
      const knob = knobs.find((one) => one.path === path);
      return knob === undefined ? [] : [{ knob, after }];
    })
    .toSorted((left, right) => left.knob.start - right.knob.start);
  const isApart = planned.every(({ knob }, at) => at === 0 || (planned[at - 1]?.knob.end ?? 0) <= knob.start);
  return planned.length === edits.length && planned.length > 0 && isApart ? planned : null;
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
