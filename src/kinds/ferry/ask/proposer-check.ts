/** The answer of an outside proposer, checked like anybody's: bounded, plain values, no scale, nothing that failed before. */

import { readKnobs } from '../../../delta/read-knobs.ts';
import type { ExperimentFile, ReadFile } from '../../../domain/experiment.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import type { RecentFerry } from '../candidates.ts';
import { applyEdits, type Edit, type EditedFile } from '../edit.ts';
import { isSameValueText } from '../value-text.ts';
import { isPlainValue, namesIn } from './plain-value.ts';

/** What it proposes; `before`, where it says one, has to be what the file says. */
export type ProposedEdit = Edit & { readonly before: string | null };

export type ProposerRefusal = {
  readonly code:
    | 'no-edits'
    | 'too-many-edits'
    | 'unknown-path'
    | 'other-before'
    | 'scale-knob'
    | 'value-refused'
    | 'failed-before'
    | 'edit-refused';
  readonly path: string;
};

export type ProposerBounds = {
  readonly knobsMax: number;
  readonly scaleKnobs: readonly string[];
  readonly recent: readonly RecentFerry[];
};

/** The edited file, or the first thing that is wrong. The result's delta is exactly the edits (`applyEdits`). */
export async function checkProposedEdits(
  file: ExperimentFile,
  read: ReadFile,
  edits: readonly ProposedEdit[],
  bounds: ProposerBounds,
): Promise<Result<EditedFile, ProposerRefusal>> {
  if (edits.length === 0) return fail({ code: 'no-edits', path: '' });
  if (edits.length > bounds.knobsMax) return fail({ code: 'too-many-edits', path: edits[0]?.path ?? '' });
  const knobs = readKnobs(file);
  const names = namesIn(file);
  for (const { path, before, after } of edits) {
    const knob = knobs.find((one) => one.path === path);
    if (knob === undefined) return fail({ code: 'unknown-path', path });
    if (before !== null && !isSameValueText(before, knob.value)) return fail({ code: 'other-before', path });
    if (bounds.scaleKnobs.includes(path) || bounds.scaleKnobs.includes(knob.knob))
      return fail({ code: 'scale-knob', path });
    if (!(await isPlainValue(after, names, read))) return fail({ code: 'value-refused', path });
    if (hasFailed(path, after, bounds.recent)) return fail({ code: 'failed-before', path });
  }
  const edited = await applyEdits(
    file,
    edits.map(({ path, after }) => ({ path, after })),
    read,
  );
  return edited.ok ? ok(edited.value) : fail({ code: 'edit-refused', path: edits[0]?.path ?? '' });
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
