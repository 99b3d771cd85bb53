/** Whether an older version of a file had an entry that verifies and that the file does not have any more. */

import { type LogbookEvent, WRITERS } from '../domain/logbook/event.ts';
import type { PublicKey, Role } from '../domain/logbook/role.ts';
import { GENESIS, hashedTextOfLine } from './chain.ts';
import { decodeLine, splitLines } from './codec.ts';
import { keyFault } from './key-ring.ts';
import type { Anchor, Hash, VerifySignature } from './ports.ts';

/** A file as far as it verifies: its run, its good lines, and the events that they are. */
export type GoodFile = {
  readonly run: string;
  readonly text: string;
  readonly events: readonly LogbookEvent[];
};

/**
 * The first entry of `version` that the file lacks although somebody signed it; null where all that `version` has beyond
 * the file is what nobody signed: junk that was taken back is no loss.
 */
export function droppedEntry(
  version: string,
  file: GoodFile,
  keys: readonly PublicKey[],
  ports: { readonly hash: Hash; readonly verifySignature: VerifySignature },
): Anchor | null {
  if (file.text.startsWith(version)) return null;
  const now = splitLines(file.text).whole;
  const before = splitLines(version).whole;
  const at = before.findIndex((line, index) => now[index] !== line);
  const line = before[at];
  if (line === undefined) return null;
  const framed = decodeLine(line);
  if (!framed.ok) return null;
  const event = framed.value;
  const writers: readonly Role[] = WRITERS[event.type];
  const isNext =
    event.run === file.run && event.seq === at && event.prev === (file.events[at - 1]?.hash ?? GENESIS);
  const isWhole = isNext && ports.hash(hashedTextOfLine(line, event)) === event.hash;
  const isSigned =
    isWhole && writers.includes(event.role) && keyFault(event, keys, ports.verifySignature) === null;
  return isSigned ? { seq: event.seq, hash: event.hash } : null;
}

/** The first `count` lines of a text. */
export function firstLines(text: string, count: number): string {
  return splitLines(text)
    .whole.slice(0, count)
    .map((line) => `${line}\n`)
    .join('');
}
