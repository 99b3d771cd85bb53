/** Compares a file with its committed versions. */

import type { BadEntry } from './verify.ts';

/** The first difference between `text` and a committed version that it must start with, or null. */
export function historyFault(text: string, versions: readonly string[]): BadEntry | null {
  const faults = versions
    .filter((version) => !text.startsWith(version))
    .map((version) => differenceIn(text, version));
  return faults.sort((a, b) => a.line - b.line)[0] ?? null;
}

function differenceIn(text: string, version: string): BadEntry {
  const now = text.split('\n');
  const before = version.split('\n');
  const index = before.findIndex((line, at) => now[at] !== line);
  // The empty piece after the last newline means that the file ends there.
  const isCut = version.startsWith(text) || (now[index] ?? '') === '';
  return {
    line: index + 1,
    seq: index,
    reason: isCut ? 'truncated' : 'hash',
    message: isCut
      ? `the branch's history has ${before.length - 1} entries`
      : "the branch's history has another entry here",
  };
}
