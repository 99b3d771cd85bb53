/** Compares a file with its committed versions, and finds removed entries. */

import { WRITERS } from '../domain/logbook/definitions.ts';
import type { PublicKey, Role } from '../domain/logbook/role.ts';
import { GENESIS, hashedTextOfLine, lineOf } from './chain.ts';
import { decodeLine, splitLines } from './codec.ts';
import { keyFault } from './key-ring.ts';
import type { Anchor, Hash, VerifySignature } from './ports.ts';
import type { GoodFile } from './segments.ts';
import type { BadEntry } from './verify.ts';

/** The first difference between `text` and a committed version that it must start with, or null. */
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

/** The removed entry and the version's lines from there; `from`: the version's first entry. */
export type Dropped = { readonly entry: Anchor; readonly lines: readonly string[]; readonly from: number };

/** The first verified entry of an old file version that the run lacks; null if only invalid lines were removed. */
export function droppedEntry(
  version: string,
  file: GoodFile,
  keys: readonly PublicKey[],
  ports: { readonly hash: Hash; readonly verifySignature: VerifySignature },
): Dropped | null {
  const lines = splitLines(version).whole;
  const first = decodeLine(lines[0] ?? '');
  if (!first.ok) return null;
  const from = first.value.seq;
  const index = lines.findIndex((one, offset) => {
    const now = file.events[from + offset];
    return now === undefined || lineOf(now) !== one;
  });
  const line = lines[index];
  const framed = line === undefined ? null : decodeLine(line);
  if (line === undefined || framed?.ok !== true) return null;
  const event = framed.value;
  const at = from + index;
  const writers: readonly Role[] = WRITERS[event.type];
  const isNext =
    event.run === file.run && event.seq === at && event.prev === (file.events[at - 1]?.hash ?? GENESIS);
  const isWhole = isNext && ports.hash(hashedTextOfLine(line, event)) === event.hash;
  const isSigned =
    isWhole && writers.includes(event.role) && keyFault(event, keys, ports.verifySignature) === null;
  return isSigned ? { entry: { seq: event.seq, hash: event.hash }, lines: lines.slice(index), from } : null;
}
