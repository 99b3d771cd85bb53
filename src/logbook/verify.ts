/** Verifies one file: each entry, and the end against a known anchor. */

import * as z from 'zod';
import type { LogbookEvent } from '../domain/logbook/define.ts';
import { WRITERS } from '../domain/logbook/fold.ts';
import type { PublicKey, Role } from '../domain/logbook/parts.ts';
import { publicKeySchema } from '../domain/logbook/parts.ts';
import { cutText } from '../domain/values.ts';
import {
  type Anchor,
  completeEvent,
  createTransitionCheck,
  decodeLine,
  decodeUnknownType,
  type FileState,
  type FramedEvent,
  GENESIS,
  type Hash,
  hashedTextOfLine,
  parseJson,
  splitLines,
  type TransitionCheck,
  type VerifySignature,
} from './chain.ts';
import { findKeyFault } from './mark.ts';
import { monthOfTime } from './segments.ts';

const UNKNOWN_TYPE_CHARS_MAX = 40;

/** See docs/logbook.md, Checking a file. */
export type BadReason =
  | 'hash'
  | 'signature'
  | 'role'
  | 'order'
  | 'transition'
  | 'canonical'
  | 'truncated'
  | 'unanchored';

/** `line` counts from 1; `seq`: the expected number. */
export type BadEntry = {
  readonly line: number;
  readonly seq: number;
  readonly reason: BadReason;
  readonly message: string;
  /** Everything but its type is valid, including the signature. */
  readonly isOfUnknownType?: true;
};

export type VerifyInput = {
  readonly text: string;
  /** Texts of the following files in the chain. */
  readonly next?: readonly string[];
  /** The verified entries before `text`. */
  readonly from?: Checkpoint;
  /** The expected run, for example from the folder's name; null accepts the run of the first entry. */
  readonly run: string | null;
  /** `YYYY/MM` of the file's folder. The first entry must have been written in that month. Null: unknown. */
  readonly month?: string | null;
  /** Keys from the config; null uses the keys recorded in the first event. */
  readonly keys: readonly PublicKey[] | null;
  readonly anchor: Anchor | null;
  /** First line with invalid UTF-8, or null. */
  readonly undecodableLine: number | null;
  readonly hash: Hash;
  /** Null skips signatures that were verified before. */
  readonly verifySignature: VerifySignature | null;
};

/** Number of verified entries, the newest one, and the resulting state. */
export type Checkpoint = {
  readonly entries: number;
  readonly last: LogbookEvent | null;
  readonly state: FileState | null;
};

/** The valid entries before `bad` (null: the whole file is valid). */
export type Verification = {
  readonly run: string;
  /** Without entries before `from`. */
  readonly events: readonly LogbookEvent[];
  readonly head: Anchor | null;
  readonly keys: 'config' | 'recorded';
  /** The last entry closes the run, so it also anchors the end. */
  readonly isTerminal: boolean;
  readonly badEntry: BadEntry | null;
  /** Valid entries up to the end of each text, including those before `from`. */
  readonly ends: readonly number[];
  readonly checkpoint: Checkpoint;
};

/** Follows docs/logbook.md. Never throws for a file's content. */
export function verifyLogbook(input: VerifyInput): Verification {
  const { from, run, keys } = input;
  const walk: VerificationState = {
    ...{ input, run, keys, events: [], transitions: null },
    ...{ seq: from?.entries ?? 0, last: from?.last ?? null },
  };
  const ends: number[] = [];
  let bad: BadEntry | null = null;
  const next = input.next ?? [];
  for (const [index, text] of [input.text, ...next].entries()) {
    bad = verifyText(walk, text, index > 0 || (next.length > 0 && from === undefined));
    ends.push(walk.seq);
    if (bad !== null) break;
  }
  bad ??= findEndFault(walk, input.anchor);
  const { last } = walk;
  return {
    run: last?.run ?? run ?? '',
    events: walk.events,
    head: last === null ? null : { seq: last.seq, hash: last.hash },
    keys: keys === null ? 'recorded' : 'config',
    isTerminal: last?.type === 'sealed' || last?.type === 'closed',
    badEntry: bad,
    ends,
    checkpoint: { entries: walk.seq, last, state: walk.transitions?.state() ?? from?.state ?? null },
  };
}

/** `seq`: the expected number of the next entry. */
type VerificationState = {
  readonly input: VerifyInput;
  readonly events: LogbookEvent[];
  seq: number;
  last: LogbookEvent | null;
  run: string | null;
  keys: readonly PublicKey[] | null;
  transitions: TransitionCheck | null;
};

function verifyText(walk: VerificationState, text: string, mustHaveEntry: boolean): BadEntry | null {
  const { whole, torn } = splitLines(text);
  for (const line of whole) {
    const bad = verifyLine(walk, line);
    if (bad !== null) return bad;
  }
  const truncatedEntry = (message: string): BadEntry => ({ ...nextEntryRef(walk), reason: 'truncated', message });
  if (torn !== null) return truncatedEntry('the last line has no end: it was torn');
  return mustHaveEntry && whole.length === 0 ? truncatedEntry('a file of it is missing, or empty') : null;
}

function nextEntryRef({ seq }: VerificationState): Pick<BadEntry, 'line' | 'seq'> {
  return { line: seq + 1, seq };
}

function verifyLine(walk: VerificationState, line: string): BadEntry | null {
  const { seq } = walk;
  const badEntry = (reason: BadReason, message: string): BadEntry => ({ line: seq + 1, seq, reason, message });
  if (walk.input.undecodableLine === seq + 1) return badEntry('canonical', 'not UTF-8');
  const framed = decodeLine(line);
  if (!framed.ok) return judgeUnknownType(walk, line) ?? badEntry('canonical', framed.error);
  const fault = findFault(walk, framed.value, line);
  if (fault !== null) return badEntry(fault.reason, fault.message);
  const event = completeEvent(framed.value);
  if (!event.ok) return badEntry('canonical', event.error);
  walk.transitions ??= createTransitionCheck(event.value.run, walk.input.from?.state ?? null);
  const rule = walk.transitions.check(event.value);
  if (rule !== null) return badEntry('transition', rule);
  walk.events.push(event.value);
  walk.last = event.value;
  walk.seq += 1;
  return null;
}

/** The entries of these lines if each hash leads to the last, known one; null otherwise. Their content is what was hashed, so it is not checked again. */
export function readChain(
  lines: readonly string[],
  { hash: known }: Anchor,
  hash: Hash,
): readonly LogbookEvent[] | null {
  let expected = known;
  const events: LogbookEvent[] = [];
  for (const line of lines.toReversed()) {
    const json = parseJson(line);
    const event = json.ok ? (json.value as unknown as LogbookEvent) : null;
    if (event?.hash !== expected || hash(hashedTextOfLine(line, event)) !== expected) return null;
    expected = event.prev;
    events.push(event);
  }
  return expected === GENESIS ? events.reverse() : null;
}

/**
 * Written by a newer release, or by another holder of the key. Uses the same reason as an unknown line, for compatibility with other
 * verifiers.
 */
function judgeUnknownType(walk: VerificationState, line: string): BadEntry | null {
  const event = decodeUnknownType(line);
  const { verifySignature } = walk.input;
  if (event === null || verifySignature === null || walk.keys === null) return null;
  if ((findOrderFault(walk, event) ?? findChainFault(walk, event, line)) !== null) return null;
  if (findKeyFault(event, walk.keys, verifySignature) !== null) return null;
  const type = JSON.stringify(cutText(event.type, UNKNOWN_TYPE_CHARS_MAX));
  const message = `of a type that this release does not know (${type}), and signed by ${event.keyId}: a newer release wrote it, or somebody who has that key`;
  return { line: walk.seq + 1, seq: walk.seq, reason: 'canonical', message, isOfUnknownType: true };
}

type Fault = { readonly reason: BadReason; readonly message: string };

/**
 * Fixed order: place, chain, writer, then data and lifecycle, so that a verifier without schemas (docs/verify_logbook.py) reports the same
 * fault.
 */
function findFault(walk: VerificationState, event: FramedEvent, line: string): Fault | null {
  return findOrderFault(walk, event) ?? findChainFault(walk, event, line) ?? findWriterFault(walk, event);
}

function findOrderFault(walk: VerificationState, event: Pick<FramedEvent, 'run' | 'seq' | 'at'>): Fault | null {
  walk.run ??= event.run;
  const { seq } = walk;
  const month = walk.input.month ?? null;
  if (seq === 0 && month !== null && monthOfTime(event.at) !== month)
    return { reason: 'order', message: `began in ${monthOfTime(event.at)} and lies in ${month}` };
  if (event.run !== walk.run)
    return { reason: 'order', message: `an event of ${event.run} in the file of ${walk.run}` };
  return event.seq === seq ? null : { reason: 'order', message: `number ${event.seq} stands where ${seq} belongs` };
}

function findChainFault(
  walk: VerificationState,
  event: Pick<FramedEvent, 'hash' | 'prev' | 'sig'>,
  line: string,
): Fault | null {
  const prev = walk.last?.hash ?? GENESIS;
  if (walk.input.hash(hashedTextOfLine(line, event)) !== event.hash) {
    return { reason: 'hash', message: 'the entry is not the one that was hashed' };
  }
  return event.prev === prev ? null : { reason: 'hash', message: 'does not continue the entry before it' };
}

function findWriterFault(walk: VerificationState, event: FramedEvent): Fault | null {
  const writers: readonly Role[] = WRITERS[event.type];
  if (!writers.includes(event.role)) return { reason: 'role', message: `${event.role} may not write ${event.type}` };
  if (walk.input.verifySignature === null) return null;
  walk.keys ??= readRecordedKeys(event);
  if (walk.keys === null) return { reason: 'signature', message: 'no keys are given and the first event records none' };
  return findKeyFault(event, walk.keys, walk.input.verifySignature);
}

function findEndFault(walk: VerificationState, anchor: Anchor | null): BadEntry | null {
  const { events, input } = walk;
  const next = nextEntryRef(walk);
  if (walk.seq === 0) return { ...next, reason: 'truncated', message: 'there is no entry' };
  if (anchor === null) return null;
  const anchored = events[anchor.seq - (input.from?.entries ?? 0)];
  if (anchored === undefined) {
    return { ...next, reason: 'truncated', message: `entry ${anchor.seq} was there and is missing` };
  }
  if (anchored.hash.startsWith(anchor.hash)) return null;
  return {
    line: anchor.seq + 1,
    seq: anchor.seq,
    reason: 'hash',
    message: `another entry ${anchor.seq} was there, with hash ${anchor.hash}`,
  };
}

/** The first difference between `text` and a committed version that it must start with, or null. */
export function historyFault(text: string, versions: readonly string[]): BadEntry | null {
  const faults = versions
    .filter((version) => !text.startsWith(version))
    .map((version) => describeDifference(text, version));
  return faults.sort((a, b) => a.line - b.line)[0] ?? null;
}

function describeDifference(text: string, version: string): BadEntry {
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

/** The keys recorded in the first event, or null. */
function readRecordedKeys(first: FramedEvent): readonly PublicKey[] | null {
  const recorded = z.looseObject({ keys: z.array(publicKeySchema) }).safeParse(first.data);
  return recorded.success ? recorded.data.keys : null;
}
