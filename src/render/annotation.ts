/** What stands beside a changed line in the check run: plain text, since GitHub renders no Markdown there. */

import { assertNever } from '../domain/assert.ts';
import type { Mismatch } from '../domain/facts.ts';
import type { Delta } from '../domain/launch/delta.ts';
import { limits } from '../domain/limits.ts';
import { cleanLine } from './clean-text.ts';
import type { PlaceWord } from './place-word.ts';

export type AnnotationText = { readonly title: string; readonly message: string };

/** A knob that the before/after table does not declare as it is; `real` and `declared` read `before -> after`. */
export function renderMismatch(mismatch: Mismatch, place: PlaceWord = 'pull request'): AnnotationText {
  const knob = plain(mismatch.knob);
  const real = plain(mismatch.real ?? '');
  const declared = plain(mismatch.declared ?? '');
  const row = mismatch.row === null ? '' : `\nThe row that is right:\n${plain(mismatch.row)}`;
  switch (mismatch.kind) {
    case 'undeclared':
      return {
        title: `${knob} is not declared`,
        message: `This changes ${real}, and the before/after table of the ${place} does not say so.${row}`,
      };
    case 'misdeclared':
      return {
        title: `${knob} is declared otherwise`,
        message: `The file says ${real}; the table${inLine(mismatch.bodyLine)} says ${declared}.${row}`,
      };
    case 'doubled':
      return {
        title: `${knob} is declared twice`,
        message: `The table declares ${knob} again${inLine(mismatch.bodyLine)}: ${declared}. Take one of the rows out.`,
      };
    case 'unchanged':
      return {
        title: `${knob} does not change`,
        message: `The table${inLine(mismatch.bodyLine)} says ${declared}, and the files change no such knob. Take the row out.`,
      };
    default:
      return assertNever(mismatch.kind);
  }
}

/** A change that cannot be counted in knobs, or a file that is no Python. */
export function renderUnreadableDelta(
  delta: Extract<Delta, { readonly kind: 'structural' | 'unparsable' }>,
): AnnotationText {
  switch (delta.kind) {
    case 'structural':
      return {
        title: 'More than a knob changes here',
        message: `${plain(delta.statement)}\nA ferry changes values only, so that people can see what they approve. Land code in a pull request of its own.`,
      };
    case 'unparsable':
      return {
        title: 'This is no valid Python',
        message: `${plain(delta.message)}\nUntil the file parses, nobody can say what the ferry would change.`,
      };
    default:
      return assertNever(delta);
  }
}

function plain(text: string): string {
  return cleanLine(text, limits.shownTextCharsMax);
}

function inLine(line: number | null): string {
  return line === null ? '' : ` (line ${line} of the body)`;
}
