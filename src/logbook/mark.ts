/**
 * Marks are signed tags that state that an entry exists. They are pushed together with the entry, so that the branch cannot later be
 * replaced by one without the entry. Markers are the hidden lines of posted texts, which this module seals and verifies. It verifies all
 * signatures with the keys that were in force.
 */

import * as z from 'zod';
import type { EventType } from '../domain/logbook/define.ts';
import { DEFINITIONS } from '../domain/logbook/fold.ts';
import { type Parsed, type PublicKey, ROLES } from '../domain/logbook/parts.ts';
import { parseMarkerLine, splitMarkerLine, type VerifiedMarker } from '../domain/marker.ts';
import { type Instant, isInstant, type Json, toRfc3339 } from '../domain/values.ts';
import {
  canonicalize,
  type FramedEvent,
  type Hash,
  parseCanonical,
  type Signer,
  textToSign,
  type VerifySignature,
} from './chain.ts';

const schema = z.strictObject({
  v: z.literal(1),
  repository: z.string(),
  run: z.string().min(1),
  seq: z.int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Time of the run's first entry. Its month is part of the run's folder. */
  firstEntryAt: z.iso.datetime({ precision: 3 }),
  at: z.iso.datetime({ precision: 3 }),
  /** The commit that the entry was added to; null for a new branch. */
  base: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .nullable(),
  /** Files that did not verify at `base`; all others did. */
  brokenFiles: z.array(z.string()),
  role: z.enum(ROLES),
  keyId: z.string().min(1),
  /** The file is complete, so the run is known to be over without reading it. */
  isComplete: z.literal(true).optional(),
  sig: z.string(),
});

export type Mark = Parsed<typeof schema>;
export type MarkStatement = Omit<Mark, 'sig'>;

/** Whether an append of these events needs a mark even if the last mark is recent. */
export function containsDecision(events: readonly { readonly type: EventType }[]): boolean {
  return events.some(({ type }) => DEFINITIONS[type].isDecisive === true);
}

/** Whether one of these events is the last of its run. */
export function endsRun(events: readonly { readonly type: EventType }[]): boolean {
  return events.some(({ type }) => type === 'sealed' || type === 'closed');
}

/** Outside `ferry/`, where a ruleset protects seals forever. Not in a folder, because another tag could take the folder's name. */
export const MARK_PREFIX = 'ferrybot-mark-';

/** Begins with the month, so that a process can leave older marks out. Ends in a hash that nobody can know before the push. */
export function buildMarkName({ run, seq, hash, at }: Pick<MarkStatement, 'run' | 'seq' | 'hash' | 'at'>): string {
  return `${MARK_PREFIX}${at.slice(0, 7)}-${run}-${seq}-${hash}`;
}

/** Names of the marks of this and the last month. A checkpoint of the record covers older ones. */
export function recentMarks(now: Instant): readonly string[] {
  const [year = 0, month = 0] = toRfc3339(now).split('-', 2).map(Number);
  return [month - 2, month - 1].map((one) => {
    const first = new Date(Date.UTC(year, one)).toISOString();
    return `${MARK_PREFIX}${first.slice(0, 7)}-`;
  });
}

/** Prevents a mark's signature from being valid for anything else. */
const SIGNATURE_CONTEXT = 'ferrybot.mark.v1:';

/** The statement with its signature as one line of canonical JSON. */
export function buildMarkMessage(statement: MarkStatement, signer: Signer, hash: Hash): string {
  return canonicalize({ ...statement, sig: signer.sign(statementText(statement, hash)) } as Json);
}

/** Parses a tag's message; null if it is not a valid mark. Tags are untrusted: everyone with push access can create them. */
export function readMark(name: string, message: string): Mark | null {
  const json = parseCanonical(message.endsWith('\n') ? message.slice(0, -1) : message);
  const mark = json.ok ? schema.safeParse(json.value) : null;
  if (mark?.success !== true) return null;
  const { data } = mark;
  return buildMarkName(data) === name ? data : null;
}

/** Whether the mark belongs to this repository and a valid key of its role signed it. */
export function isGenuineMark(
  mark: Mark,
  repository: string,
  keys: readonly PublicKey[],
  { hash, verifySignature }: { readonly hash: Hash; readonly verifySignature: VerifySignature },
): boolean {
  const { sig, ...statement } = mark;
  const key = keys.find(({ id }) => id === mark.keyId);
  if (mark.repository !== repository || key === undefined || key.role !== mark.role) return false;
  return isKeyInForce(key, Date.parse(mark.at)) && verifySignature(key.public, statementText(statement, hash), sig);
}

function statementText(statement: MarkStatement, hash: Hash): string {
  return `${SIGNATURE_CONTEXT}${hash(canonicalize(statement as Json))}`;
}

/** Prevents a marker's signature from being valid for anything else. */
const MARKER_CONTEXT = 'ferrybot.marker.v1:';

/** `thread` 0: the body of an issue that is not opened yet. */
export type MarkerPlace = { readonly repository: string; readonly thread: number };

export const UNNUMBERED = 0;

/** Seals a text's marker. Returns text without a marker, or with a seal, unchanged: sealing it would vouch for another author's text. */
export function sealMarker(
  body: string,
  place: MarkerPlace,
  { signer, at, hash }: { readonly signer: Signer; readonly at: Instant; readonly hash: Hash },
): string {
  const { line, text } = splitMarkerLine(body);
  const parsed = parseMarkerLine(line);
  if (parsed === null || parsed.seal !== null) return body;
  const signed = `${parsed.plain} at=${toRfc3339(at)} text=${hash(text)} by=${signer.keyId}`;
  // RFC 4648, section 5, without padding: marker fields cannot contain `+`, `/` and `=`.
  const signature = signer
    .sign(markerTextToSign(signed, place, hash))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return `${signed} sig=${signature} -->${body.slice(line.length)}`;
}

/** Null unless sealed by a key that was valid at that time. */
export function verifyMarker(
  body: string,
  place: MarkerPlace,
  {
    keys,
    hash,
    verifySignature,
  }: { readonly keys: readonly PublicKey[]; readonly hash: Hash; readonly verifySignature: VerifySignature },
): VerifiedMarker | null {
  const { line, text } = splitMarkerLine(body);
  const parsed = parseMarkerLine(line);
  if (parsed === null || parsed.seal === null) return null;
  const { marker, seal } = parsed;
  const at = Date.parse(seal.at);
  const key = keys.find(({ id }) => id === seal.keyId);
  if (!isInstant(at) || key === undefined || !isKeyInForce(key, at)) return null;
  if (!verifySignature(key.public, markerTextToSign(seal.signed, place, hash), seal.signature)) return null;
  return { ...marker, role: key.role, at, text: seal.text, isIntact: hash(text) === seal.text };
}

/** None of the parts contains a newline, so the text is unambiguous. */
function markerTextToSign(line: string, { repository, thread }: MarkerPlace, hash: Hash): string {
  return `${MARKER_CONTEXT}${hash(`${repository}\n${thread}\n${line}`)}`;
}

/** `role`: signed by a key of another role. */
export type KeyFault = { readonly reason: 'signature' | 'role'; readonly message: string };

/** Null if signed by a valid key of the entry's role. */
export function findKeyFault(
  event: Omit<FramedEvent, 'type'>,
  keys: readonly PublicKey[],
  verifySignature: VerifySignature,
): KeyFault | null {
  const key = keys.find((candidate) => candidate.id === event.keyId);
  if (key === undefined) return { reason: 'signature', message: `no key ${event.keyId} is known` };
  if (key.role !== event.role) {
    return { reason: 'role', message: `${event.keyId} is a ${key.role} key and signed as ${event.role}` };
  }
  if (!isKeyInForce(key, Date.parse(event.at))) {
    return { reason: 'signature', message: `${event.keyId} was not in force at ${event.at}` };
  }
  return verifySignature(key.public, textToSign(event.hash), event.sig)
    ? null
    : { reason: 'signature', message: `the signature is not that of ${event.keyId}` };
}

/** From inclusive, until exclusive; an invalid date is never in force. */
function isKeyInForce(key: PublicKey, atMs: number): boolean {
  return parseTime(key.from) <= atMs && atMs < parseTime(key.until);
}

const RFC_3339 =
  /^((?!0000)\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Unix ms; NaN if invalid. Stricter than Date.parse, because all verifiers must agree. */
function parseTime(text: string): number {
  const day = RFC_3339.exec(text)?.[1];
  if (day === undefined) return Number.NaN;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const isRealDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return isRealDay ? Date.parse(text) : Number.NaN;
}
