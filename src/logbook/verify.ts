/** Verification of one file: every entry in order, and the file's end against what is known to have been there. */

import { type LogbookEvent, WRITERS } from '../domain/logbook/event.ts';
import type { PublicKey, Role } from '../domain/logbook/role.ts';
import { GENESIS, hashedTextOfLine } from './chain.ts';
import { completeEvent, decodeLine, type FramedEvent, splitLines } from './codec.ts';
import { keyFault, recordedKeys } from './key-ring.ts';
import type { Anchor, Hash, VerifySignature } from './ports.ts';
import { type TransitionCheck, transitionCheck } from './rules.ts';

/** Why an entry is bad (interfaces.md, `logbook verify`). */
export type BadReason =
  | 'hash'
  | 'signature'
  | 'role'
  | 'order'
  | 'transition'
  | 'canonical'
  | 'truncated'
  | 'unanchored';

/** The first bad entry. `line` counts from 1; `seq` is the number that the entry there has or would have. */
export type BadEntry = {
  readonly line: number;
  readonly seq: number;
  readonly reason: BadReason;
  readonly message: string;
};

export type VerifyInput = {
  readonly text: string;
  /** The run that the file must be of, e.g. its folder's name; null takes the first entry's word. */
  readonly run: string | null;
  /** Keys from config; null falls back on those that the first event records. */
  readonly keys: readonly PublicKey[] | null;
  /** An event that is known to have been there. */
  readonly anchor: Anchor | null;
  /** Line (from 1) that is no UTF-8, as found where the bytes were read; null when all are. */
  readonly undecodableLine: number | null;
  readonly hash: Hash;
  /** Null leaves signatures out, for a reader that has checked them before. */
  readonly verifySignature: VerifySignature | null;
};

/** The entries that are good, in order, up to the first bad one (null: all are, and the end is as known). */
export type Verification = {
  readonly run: string;
  readonly events: readonly LogbookEvent[];
  readonly head: Anchor | null;
  readonly keys: 'config' | 'recorded';
  /** Whether the last entry ends its run for good, which makes it an anchor of its own. */
  readonly isTerminal: boolean;
  readonly bad: BadEntry | null;
};

/** Checks a file of the logbook as docs/logbook.md describes it. Never throws for what the file contains. */
export function verifyLogbook(input: VerifyInput): Verification {
  const { whole, torn } = splitLines(input.text);
  const walk = beginWalk(input);
  let bad: BadEntry | null = null;
  for (const line of whole) {
    bad = takeLine(walk, line);
    if (bad !== null) break;
  }
  bad ??= endFault(walk, torn, input.anchor);
  const last = walk.events.at(-1);
  return {
    run: last?.run ?? input.run ?? '',
    events: walk.events,
    head: last === undefined ? null : { seq: last.seq, hash: last.hash },
    keys: input.keys === null ? 'recorded' : 'config',
    isTerminal: last?.type === 'sealed' || last?.type === 'closed',
    bad,
  };
}

/** What the walk over the lines has seen so far. */
type Walk = {
  readonly input: VerifyInput;
  readonly events: LogbookEvent[];
  run: string | null;
  keys: readonly PublicKey[] | null;
  transitions: TransitionCheck | null;
};

function beginWalk(input: VerifyInput): Walk {
  return { input, events: [], run: input.run, keys: input.keys, transitions: null };
}

function takeLine(walk: Walk, line: string): BadEntry | null {
  const seq = walk.events.length;
  const bad = (reason: BadReason, message: string): BadEntry => ({ line: seq + 1, seq, reason, message });
  if (walk.input.undecodableLine === seq + 1) return bad('canonical', 'not UTF-8');
  const framed = decodeLine(line);
  if (!framed.ok) return bad('canonical', framed.error);
  const fault = faultOf(walk, framed.value, line);
  if (fault !== null) return bad(fault.reason, fault.message);
  const event = completeEvent(framed.value);
  if (!event.ok) return bad('canonical', event.error);
  const rule = ruleBroken(walk, event.value);
  if (rule !== null) return bad('transition', rule);
  walk.events.push(event.value);
  return null;
}

type Fault = { readonly reason: BadReason; readonly message: string };

/**
 * Place, chain, writer; then the data and the lifecycle. In this order, so that damage is called by the same
 * name by a verifier that knows nothing of the data (docs/verify_logbook.py).
 */
function faultOf(walk: Walk, event: FramedEvent, line: string): Fault | null {
  return placeFault(walk, event) ?? chainFault(walk, event, line) ?? writerFault(walk, event);
}

function placeFault(walk: Walk, event: FramedEvent): Fault | null {
  walk.run ??= event.run;
  const seq = walk.events.length;
  if (event.run !== walk.run)
    return { reason: 'order', message: `an event of ${event.run} in the file of ${walk.run}` };
  return event.seq === seq
    ? null
    : { reason: 'order', message: `number ${event.seq} stands where ${seq} belongs` };
}

function chainFault(walk: Walk, event: FramedEvent, line: string): Fault | null {
  const prev = walk.events.at(-1)?.hash ?? GENESIS;
  if (walk.input.hash(hashedTextOfLine(line, event)) !== event.hash) {
    return { reason: 'hash', message: 'the entry is not the one that was hashed' };
  }
  return event.prev === prev ? null : { reason: 'hash', message: 'does not continue the entry before it' };
}

function writerFault(walk: Walk, event: FramedEvent): Fault | null {
  const writers: readonly Role[] = WRITERS[event.type];
  if (!writers.includes(event.role))
    return { reason: 'role', message: `${event.role} may not write ${event.type}` };
  if (walk.input.verifySignature === null) return null;
  walk.keys ??= recordedKeys(event);
  if (walk.keys === null)
    return { reason: 'signature', message: 'no keys are given and the first event records none' };
  return keyFault(event, walk.keys, walk.input.verifySignature);
}

function ruleBroken(walk: Walk, event: LogbookEvent): string | null {
  walk.transitions ??= transitionCheck(event.run);
  return walk.transitions(event);
}

function endFault(walk: Walk, torn: string | null, anchor: Anchor | null): BadEntry | null {
  const { events } = walk;
  const next = { line: events.length + 1, seq: events.length };
  if (torn !== null)
    return { ...next, reason: 'truncated', message: 'the last line has no end: it was torn' };
  if (events.length === 0) return { ...next, reason: 'truncated', message: 'there is no entry' };
  if (anchor === null) return null;
  const anchored = events[anchor.seq];
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
