/** A setting of the last pass that a run does not take over: both values, which of them it took, and why. */

import { NOT_TAKEN } from '../domain/launch/base.ts';
import type { ManifestBase } from '../domain/launch/manifest.ts';
import { code, text } from './words.ts';

/** One line; `branch` is the target branch. */
export function notTakenText(
  { path, ran, target, why }: ManifestBase['notTaken'][number],
  branch: string,
): string {
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  const both = `${code(path)}: that ferry ran ${value(ran)}, ${code(branch)} has ${value(target)}`;
  const known = NOT_TAKEN.find((one) => one === why);
  return `${both}; taken is ${value(target)}, because ${known === undefined ? text(why) : reasons(branch)[known]}`;
}

function reasons(branch: string): Readonly<Record<(typeof NOT_TAKEN)[number], string>> {
  return {
    moved: `${code(branch)} set it after that ferry was made, and that is the newer word`,
    gone: `${code(branch)} has no such knob any more`,
    'no-value': `the file has changed on ${code(branch)} since, and only values are written into it: put it in by hand`,
    unclear: `what ${code(branch)} did to it since cannot be told`,
  };
}
