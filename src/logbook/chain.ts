/** The hash chain: canonical JSON, the hashed and signed text of an event, and the checks of each line (docs/logbook.md). */

import writeJson from 'canonicalize';
import * as z from 'zod';
import { findIllegalAction, isActionEvent } from '../domain/actions/action.ts';
import type { LogbookEvent } from '../domain/logbook/define.ts';
import { checkAnswer } from '../domain/logbook/events/command-events.ts';
import { findIllegalOrphan } from '../domain/logbook/events/rental-events.ts';
import { DEFINITIONS, EVENT_TYPES, findDefinition, foldEvent } from '../domain/logbook/fold.ts';
import {
  createJournalFold,
  EMPTY_JOURNAL,
  type JournalFold,
  type JournalState,
} from '../domain/logbook/journal-state.ts';
import { actorSchema, ROLES, type Role } from '../domain/logbook/parts.ts';
import { commandKey, type RunState } from '../domain/logbook/run-state.ts';
import {
  type Digest,
  type DigestOf,
  fail,
  isRunId,
  type Json,
  type JsonObject,
  ok,
  type Result,
} from '../domain/values.ts';

/** Protects the stack from hostile lines; events nest about five levels. */
const LOGBOOK_JSON_DEPTH_MAX = 64;

/** Throws for values without a canonical text here: floats, unsafe integers, lone surrogates, deep nesting. Keep decimals as strings. */
export function canonicalize(value: Json): string {
  const flaw = findJsonFlaw(value, { isSorted: true });
  if (flaw !== null) throw new Error(`no canonical JSON: ${flaw}`);
  // The result is undefined only for undefined, which `findJsonFlaw` rejects.
  return writeJson(value) as string;
}

/** SHA-256 of the canonical JSON. It identifies manifests, orders, proposed actions and their evidence (architecture, D4). */
export function canonicalDigest(value: Json, digestOf: DigestOf): Digest {
  return digestOf(canonicalize(value));
}

/** Parses canonical text only; duplicate keys are never canonical. */
export function parseCanonical(text: string): Result<Json, string> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const order = { isSorted: true };
  const flaw = findJsonFlaw(parsed.value, order);
  if (flaw !== null) return fail(flaw);
  // With sorted keys, JSON.stringify produces RFC 8785 text in a third of the time. Keys that resemble array indices are reordered by
  // JavaScript, so they take the slow path.
  if (order.isSorted && JSON.stringify(parsed.value) === text) return parsed;
  return writeJson(parsed.value) === text ? parsed : fail('not in canonical form (RFC 8785)');
}

/** `JSON.parse` with a result instead of an exception. */
export function parseJson(text: string): Result<Json, string> {
  try {
    // JSON.parse is typed as `any`.
    return ok(JSON.parse(text) as Json);
  } catch (error) {
    return fail(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether all visited objects had sorted keys. */
type KeyOrder = { isSorted: boolean };

/** Why a value is not allowed in the logbook, or null; updates `order`. */
function findJsonFlaw(root: Json, order: KeyOrder): string | null {
  const waiting: { readonly value: Json | undefined; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) return 'a lone surrogate in a string';
    } else if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) return `not a safe integer: ${value}`;
    } else if (value !== null && typeof value === 'object') {
      if (depth >= LOGBOOK_JSON_DEPTH_MAX) return 'nested too deeply';
      const isSorted = !Array.isArray(value);
      let before: string | null = null;
      for (const [key, member] of Object.entries(value)) {
        if (!key.isWellFormed()) return 'a lone surrogate in a key';
        if (isSorted && before !== null && !(before < key)) order.isSorted = false;
        before = key;
        waiting.push({ value: member, depth: depth + 1 });
      }
    } else if (value !== null && typeof value !== 'boolean') return typeof value;
  }
  return null;
}

/** `prev` of the first event. */
export const GENESIS = '0'.repeat(64);

/** Prevents a logbook signature from being valid for anything else. */
const SIGNATURE_CONTEXT = 'ferrybot.logbook.v1:';

export type UnsealedEvent = Omit<LogbookEvent, 'hash' | 'sig'>;

/** Context, colon and the 64 hex digits of `hash`; 84 ASCII bytes. */
export function textToSign(hash: string): string {
  return `${SIGNATURE_CONTEXT}${hash}`;
}

/**
 * The hashed text of a verified canonical line: cuts both members, each with its comma (`keyId` and `type` always follow). Quotes inside
 * strings are escaped, and a nested copy of the member would have to contain its own hash.
 */
export function hashedTextOfLine(line: string, event: Pick<LogbookEvent, 'hash' | 'sig'>): string {
  return withoutMember(withoutMember(line, `"sig":"${event.sig}",`), `"hash":"${event.hash}",`);
}

/** Searches from the end, because the long `data` comes first. */
function withoutMember(line: string, member: string): string {
  const start = line.lastIndexOf(member);
  return start < 0 ? line : line.slice(0, start) + line.slice(start + member.length);
}

/** The canonical JSON, without a newline. Without `hash` and `sig` it is the text that is hashed. */
export function formatLine(event: UnsealedEvent): string {
  // Events consist of JSON (domain/logbook/define.ts), which branded strings hide from the compiler.
  return canonicalize(event as unknown as Json);
}

/** SHA-256 of UTF-8 text as 64 lower-case hex digits. */
export type Hash = (utf8: string) => string;

/** Ed25519 signature (RFC 8032) of UTF-8 text, in base64. */
export type Sign = (utf8: string) => string;

/** Verifies a base64 signature with a raw base64 public key. */
export type VerifySignature = (publicKey: string, utf8: string, signature: string) => boolean;

/** A private key with its config id and role. */
export type Signer = { readonly keyId: string; readonly role: Role; readonly sign: Sign };

/** A known event; `hash` may be a prefix. */
export type Anchor = { readonly seq: number; readonly hash: string };

export type AppendResult =
  /** `seqs`: sequence numbers of the new events by file. */
  | { readonly kind: 'appended'; readonly seqs: ReadonlyMap<string, readonly number[]> }
  | { readonly kind: 'conflict' }
  /** Nothing was added; the existing record is valid, but the remote or the disk refused. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

const name = z.string('not a name').min(1, 'not a name');
const hash = z.string('not a hash').regex(/^[0-9a-f]{64}$/, 'not a hash');
const isPerson = (value: unknown): boolean => actorSchema.safeParse(value).success;

/** Checks everything but the content of `data`. */
const frame = z.looseObject(
  {
    v: z.literal(1, 'not version 1'),
    run: name,
    seq: z.int('not a number from 0').min(0, 'not a number from 0'),
    at: z.iso
      .datetime({ precision: 3, error: 'not a moment in UTC' })
      .refine((at) => at >= '1970', 'not a moment since 1970'),
    type: z.enum(EVENT_TYPES, 'not a type of event'),
    role: z.enum(ROLES, 'not a role'),
    actor: z.custom(isPerson, 'not a person').exactOptional(),
    data: z.looseObject({}, 'not an object'),
    prev: hash,
    keyId: name,
    hash,
    // 64 bytes in base64; unused bits must be zero, so that each signature has one text.
    sig: z.string('not a signature').regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/, 'not a signature'),
  },
  'not an object',
);

const frameOfAnyType = frame.extend({ type: name });

/**
 * The first missing or invalid field (docs/logbook.md, the fields of an event), or null. `data` only has to be an object; further fields
 * are allowed.
 */
export function findFrameFlaw(value: Json): string | null {
  const [issue] = frame.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return null;
  const [field] = issue.path;
  if (field === undefined) return issue.message;
  const isMissing = !Object.hasOwn(value as JsonObject, field);
  return `${String(field)}: ${isMissing ? 'missing' : issue.message}`;
}

/** Far above the largest event, a manifest with hundreds of preconditions and trees. */
export const LOGBOOK_LINE_CHARS_MAX = 1_000_000;

/** `torn`: text after the last newline, or null. */
export type SplitLines = { readonly whole: readonly string[]; readonly torn: string | null };

/** Each line ends with `\n`; a last line without it was only partly written. */
export function splitLines(text: string): SplitLines {
  const parts = text.split('\n');
  const last = parts.pop();
  return { whole: parts, torn: last === undefined || last === '' ? null : last };
}

/** An event before its `data` is parsed: enough to check place, chain and signature. */
export type FramedEvent = Pick<
  LogbookEvent,
  'run' | 'seq' | 'at' | 'type' | 'role' | 'prev' | 'keyId' | 'hash' | 'sig'
> & { readonly data: unknown };

/** Rejects lines that are not canonical, too long, lack a valid field, or have an unknown type or version. Keeps unknown fields. */
export function decodeLine(line: string): Result<FramedEvent, string> {
  if (line === '') return fail('an empty line');
  if (line.length > LOGBOOK_LINE_CHARS_MAX) return fail('the line is longer than an event may be');
  const json = parseCanonical(line);
  if (!json.ok) return json;
  const flaw = findFrameFlaw(json.value);
  if (flaw !== null) return fail(flaw);
  // Checked above.
  return ok(json.value as unknown as FramedEvent);
}

export type UnknownEvent = Omit<FramedEvent, 'type'> & { readonly type: string };

/** Decodes a line that is valid except for its unknown type; null for any other fault. */
export function decodeUnknownType(line: string): UnknownEvent | null {
  const json = line.length > LOGBOOK_LINE_CHARS_MAX ? null : parseCanonical(line);
  if (json?.ok !== true || !frameOfAnyType.safeParse(json.value).success) return null;
  const event = json.value as unknown as UnknownEvent;
  return Object.hasOwn(DEFINITIONS, event.type) ? null : event;
}

/** Validates `data` by its type; keeps unknown fields. */
export function completeEvent(framed: FramedEvent): Result<LogbookEvent, string> {
  const data = DEFINITIONS[framed.type].data.safeParse(framed.data);
  // LogbookEvent's types are inferred from these schemas.
  return data.success ? ok(framed as LogbookEvent) : fail(`data: ${describeFirstIssue(data.error)}`);
}

function describeFirstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'not an event' : `${issue.path.map(String).join('.')}: ${issue.message}`;
}

/** The journal's name in the field `run`, and its folder. */
export const JOURNAL = 'journal';

/** The state after a file's entries. */
export type FileState =
  | { readonly kind: 'run'; readonly state: RunState | null }
  | { readonly kind: 'journal'; readonly state: JournalState };

export type TransitionCheck = {
  /** Takes events in order; returns the broken rule or null. */
  readonly check: (event: LogbookEvent) => string | null;
  /** Undefined after a broken rule. */
  readonly state: () => FileState;
};

/** `from` null: start of the file. */
export function createTransitionCheck(run: string, from: FileState | null = null): TransitionCheck {
  if (run === JOURNAL) return createJournalCheck(from?.kind === 'journal' ? from.state : EMPTY_JOURNAL);
  return createRunCheck(from?.kind === 'run' ? from.state : null);
}

function createRunCheck(from: RunState | null): TransitionCheck {
  let state = from;
  return {
    check: (event) => {
      // An invalid run id is a broken rule, not an exception.
      if (!isRunId(event.run)) return 'no run can have this name';
      const step = foldEvent(state, event);
      if (!step.ok) return step.error.rule;
      state = step.value;
      return null;
    },
    state: () => ({ kind: 'run', state }),
  };
}

function createJournalCheck(from: JournalState): TransitionCheck {
  const fold = createJournalFold(from);
  return {
    check: (event) => {
      const rule = findIllegalJournalEvent(fold, event);
      if (rule === null) fold.add(event);
      return rule;
    },
    state: () => ({ kind: 'journal', state: fold.state() }),
  };
}

function findIllegalJournalEvent(fold: JournalFold, event: LogbookEvent): string | null {
  const { isInJournal, isByPerson } = findDefinition(event);
  if (isInJournal !== true) return `${event.type} belongs to a run, not to the journal`;
  if (isActionEvent(event)) return findIllegalAction(fold.actions(), JOURNAL, event);
  const orphanRule = findIllegalOrphan(fold.orphans(), event);
  if (orphanRule !== null) return orphanRule;
  if (event.type === 'command-seen' && fold.seen(commandKey(event.data)) !== undefined) return 'a command is seen once';
  const answer = event.type === 'command-answered' ? checkAnswer(fold.seen(commandKey(event.data))) : null;
  if (answer !== null) return answer;
  return isByPerson === true && event.actor === undefined ? `${event.type} names no person` : null;
}
