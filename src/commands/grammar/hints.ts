/** The hint for a person whose command is there but does not fire. */

import type { IgnoredWord, Reading } from './reading.ts';

/**
 * The comment's only command, if it stands where it does not fire (a list, a quote, bold, the line under a pasted
 * `<img>` …), else null. Whoever answers says it once. A comment with a command or an error in a right place has
 * an answer of its own, and one that names several commands talks about them, so neither gets a hint. A
 * comment that was too much to parse gets one for its first command.
 */
export function hintOf(reading: Reading): IgnoredWord | null {
  return reading.hint;
}
