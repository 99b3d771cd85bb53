/** Values of knobs as text and as numbers, and how large a step between two of them is. */

import type { Delta, KnobChange } from '../../domain/launch/delta.ts';
import type { FerryLane } from './settings.ts';

const NUMBER =
  /^([+-]?)\s*((?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?j?|0[xXoObB][0-9a-fA-F_]+)$/;
const PLAIN_STRING = /^(['"])((?:(?!\1)[^\\\n]|\\['"\\])*)\1$/;

/** `3e-3` and `0.003` are the same, `1` and `1.0` are not, `'a'` and `"a"` are; other texts by their characters. */
export function isSameValueText(left: string, right: string): boolean {
  return valueForm(left) === valueForm(right);
}

function valueForm(text: string): string {
  const trimmed = text.trim();
  const [, sign = '', digits] = NUMBER.exec(trimmed) ?? [];
  if (digits !== undefined) return sign === '-' ? negated(numberValue(digits)) : numberValue(digits);
  const [, , characters] = PLAIN_STRING.exec(trimmed) ?? [];
  return characters === undefined
    ? `text:${trimmed.replace(/\s+/g, ' ')}`
    : `str:${characters.replace(/\\(.)/g, '$1')}`;
}

/** The number that a source text says, or null where it says none that can be held against another. */
function numberOf(text: string): number | null {
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

/** The value with its sign turned: `-0.0` is not `0.0`, `-0` is `0`. */
function negated(value: string): string {
  const [type = '', magnitude = ''] = value.split(':');
  if (type === 'int' && magnitude === '0') return value;
  return `${type}:${magnitude.startsWith('-') ? magnitude.slice(1) : `-${magnitude}`}`;
}

export type Steps = FerryLane['steps'];
type Step = Steps['knobs'][string];
type Change = Pick<KnobChange, 'knob' | 'path' | 'before' | 'after'>;

/** A change that is larger than its lane wants it in one step, and what would be small enough. */
type LargeStep = { readonly change: Change; readonly most: string };

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
