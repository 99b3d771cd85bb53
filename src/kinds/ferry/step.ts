/** What a change of a knob may be in one step: small, and its file can be put back (policy DF-41). One rule for all who ask. */

import type { Delta, KnobChange } from '../../domain/launch/delta.ts';
import type { FerryLane } from './settings.ts';
import { isSameValueText, numberOf } from './value-text.ts';

export type Steps = FerryLane['steps'];
type Step = Steps['knobs'][string];
type Change = Pick<KnobChange, 'knob' | 'path' | 'before' | 'after'>;

/** A change that is larger than its lane wants it in one step, and what would be small enough. */
export type LargeStep = { readonly change: Change; readonly most: string };

/** The first one that is too large. A setting that comes or goes has no size: whether it can be put back is another question. */
export function largeStep(changes: readonly Change[], steps: Steps): LargeStep | null {
  for (const change of changes) {
    const most = tooLarge(change, stepOf(change, steps));
    if (most !== null) return { change, most };
  }
  return null;
}

/** Whether writing the old values back gives the old file, byte for byte. */
export function canBePutBack(delta: Delta): boolean {
  return delta.kind === 'none' || (delta.kind === 'knobs' && delta.leavesMore !== true);
}

/** By its path before its bare name, as scale knobs are named; a number that the lab says nothing of may change by the factor. */
function stepOf({ path, knob }: Change, { factor, knobs }: Steps): Step {
  return knobs[path] ?? knobs[knob] ?? { factor };
}

/** Null where it is small: the bound that it breaks in words of the config. */
function tooLarge({ before, after }: Change, step: Step): string | null {
  if (before === null || after === null) return null;
  if ('values' in step)
    return step.values.some((value) => isSameValueText(value, after)) ? null : step.values.join(', ');
  const [from, to] = [numberOf(before), numberOf(after)];
  if (from === null) return null;
  if (to === null) return 'a number that can be compared';
  if ('absolute' in step)
    return Math.abs(to - from) <= step.absolute * (1 + SLACK) ? null : `${step.absolute} up or down`;
  const isWithin =
    from === to || (from * to > 0 && Math.max(from / to, to / from) <= step.factor * (1 + SLACK));
  // rule DF-41
  return isWithin ? null : `a factor of ${step.factor}`;
}

/** 0.3 is three times 0.1, but for the last bit of a double. */
const SLACK = 1e-9;
