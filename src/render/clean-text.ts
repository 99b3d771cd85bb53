/** Outside text made harmless as characters: no control sequences, nothing invisible, well-formed, on one line, bounded. */

import { INVISIBLE } from '../domain/unseen-signs.ts';

const CONTROL_SEQUENCE = /(?![\t\n\r])\p{Cc}\[[0-?]*[ -/]*[@-~]/gu;
const OPERATING_SYSTEM_COMMAND = /(?![\t\n\r])\p{Cc}\][^\p{Cc}]*/gu;
const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'gu');
const BLANKS = /[\p{Cc}\p{Z}]+/gu;

/** One line, at most `max` characters (code points); what is longer ends in an ellipsis. */
export function cleanLine(text: string, max: number): string {
  return shortened(visible(text).replace(BLANKS, ' ').trim(), max);
}

/** The same over several lines: line breaks and tabs stay. */
export function cleanLines(text: string, max: number): string {
  const lines = visible(text)
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}]/gu, '');
  return shortened(lines.trimEnd(), max);
}

function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROL_SEQUENCE, '')
    .replace(OPERATING_SYSTEM_COMMAND, '')
    .replace(UNSEEN, '');
}

function shortened(text: string, max: number): string {
  // A code point is at most two units, so that a text of megabytes is not spread into an array.
  const points = [...text.slice(0, 2 * (max + 1)).toWellFormed()];
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}
