/** A file against versions of it that were committed before: it must begin with each of them. */

import type { BadEntry } from './verify.ts';

/** The first place where `text` does not continue one of `versions`, or null when it continues all. */
export function historyFault(text: string, versions: readonly string[]): BadEntry | null {
  const faults = versions
    .filter((version) => !text.startsWith(version))
    .map((version) => faultOf(text, version));
  return faults.sort((a, b) => a.line - b.line)[0] ?? null;
}

function faultOf(text: string, version: string): BadEntry {
  const now = text.split('\n');
  const before = version.split('\n');
  const index = before.findIndex((line, at) => now[at] !== line);
  // Behind the last newline stands an empty piece: where that is the first difference, the file just ends there.
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
