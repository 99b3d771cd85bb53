/** What a rule across keys is: which parts of the config it reads, and what it says against them. */

import type { Instant } from '../../domain/ids.ts';
import type { KeyPath, Misfit, ProblemCode } from '../config-problem.ts';
import type { LabConfig } from '../schema.ts';

/** The parts that a rule may read: keys of the file, and keys of the lane with `lanes.daily.` before them. */
export type Part =
  | Exclude<keyof LabConfig, 'lanes'>
  | `lanes.daily.${Extract<keyof LabConfig['lanes']['daily'], string>}`;

/** `reads` is complete: a rule is left out where one of these parts is not in shape. `now`: null where no moment is meant. */
export type Rule = {
  readonly reads: readonly Part[];
  readonly misfits: (config: LabConfig, now: Instant | null) => readonly Misfit[];
};

/** A problem that keeps the config from being used. */
export function error(code: ProblemCode, path: KeyPath, message: string): Misfit {
  return { severity: 'error', code, path, message };
}

/** A problem that a lab may live with. */
export function warning(code: ProblemCode, path: KeyPath, message: string): Misfit {
  return { severity: 'warning', code, path, message };
}

/** A path below the daily lane. */
export function inLane(...path: KeyPath): KeyPath {
  return ['lanes', 'daily', ...path];
}

/** The second and later of equal texts, each at its own place. */
export function doubled(
  values: readonly string[],
  placeOf: (index: number) => KeyPath,
  what: string,
): readonly Misfit[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) === index
      ? []
      : [error('doubled', placeOf(index), `${what} ${value} is there twice`)],
  );
}
