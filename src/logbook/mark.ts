/**
 * Marks: signed statements that an entry stood in a file, kept in tags beside the branch that only grows by agreement.
 * They go with the push that they are about, so that nobody can later show a record in which the entry never was.
 */

import * as z from 'zod';
import type { Json } from '../domain/json.ts';
import { DEFINITIONS } from '../domain/logbook/definitions.ts';
import type { EventType } from '../domain/logbook/event.ts';
import { type PublicKey, ROLES } from '../domain/logbook/role.ts';
import { canonicalize, parseCanonical } from './canonical.ts';
import { isInForce } from './key-ring.ts';
import type { Hash, Signer, VerifySignature } from './ports.ts';

/** What is said; `base`: the commit on whose record the entry was put, null where there was no branch. */
export type MarkStatement = {
  readonly v: 1;
  readonly repository: string;
  readonly run: string;
  readonly seq: number;
  readonly hash: string;
  /** Time of the first entry of the file, in whose month the run lies. */
  readonly began: string;
  readonly at: string;
  readonly base: string | null;
  /** Files that did not verify at `base`: for all others the mark says that they did. */
  readonly without: readonly string[];
  readonly role: PublicKey['role'];
  readonly keyId: string;
  /** That nothing will follow in the file: a run that is over is found to be so without reading it. Left out otherwise. */
  readonly over?: true | undefined;
};

export type Mark = MarkStatement & { readonly sig: string };

/** Whether an append of these events is marked whatever was marked before. */
export function isDecisive(events: readonly { readonly type: EventType }[]): boolean {
  return events.some(({ type }) => DEFINITIONS[type].isDecisive === true);
}

/** Whether nothing follows these events in their file. */
export function isLast(events: readonly { readonly type: EventType }[]): boolean {
  return events.some(({ type }) => type === 'sealed' || type === 'closed');
}

/** The folder of our tags, where a ruleset keeps them from being moved and deleted. */
export const TAG_FOLDER = 'ferry';

/**
 * Every mark's name begins with one of these. Git keeps tags like files: whoever pushes a tag that is named as the folder
 * leaves no room for anything in it, and then marks stand beside it.
 */
export const MARK_PREFIXES = [`${TAG_FOLDER}/mark-`, `${TAG_FOLDER}-mark-`] as const;
export type MarkPrefix = (typeof MARK_PREFIXES)[number];

/** Where the next marks go; `isFolderTaken`: there is a tag of the folder's own name. */
export function markPrefix(isFolderTaken: boolean): MarkPrefix {
  return MARK_PREFIXES[isFolderTaken ? 1 : 0];
}

/** One level deep and ending in a hash that nobody knows before the push, so that nobody can take the name first. */
export function markName(
  { run, seq, hash }: Pick<MarkStatement, 'run' | 'seq' | 'hash'>,
  prefix: MarkPrefix,
): string {
  return `${prefix}${run}-${seq}-${hash}`;
}

/** Keeps a signature of a mark from ever being one of an entry or of anything else. */
const SIGNATURE_CONTEXT = 'ferrybot.mark.v1:';

/** The message of the tag: the statement and its signature in canonical JSON, one line. */
export function markMessage(statement: MarkStatement, signer: Signer, hash: Hash): string {
  return canonicalize({ ...jsonOf(statement), sig: signer.sign(signedText(statement, hash)) });
}

const schema = z.strictObject({
  v: z.literal(1),
  repository: z.string(),
  run: z.string().min(1),
  seq: z.int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  began: z.iso.datetime({ precision: 3 }),
  at: z.iso.datetime({ precision: 3 }),
  base: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .nullable(),
  without: z.array(z.string()),
  role: z.enum(ROLES),
  keyId: z.string().min(1),
  over: z.literal(true).optional(),
  sig: z.string(),
});

/** The mark that a tag carries, or null where it carries none: anybody may write tags of any name. */
export function readMark(name: string, message: string): Mark | null {
  const json = parseCanonical(message.endsWith('\n') ? message.slice(0, -1) : message);
  const mark = json.ok ? schema.safeParse(json.value) : null;
  if (mark?.success !== true) return null;
  const { data } = mark;
  return MARK_PREFIXES.some((prefix) => markName(data, prefix) === name) ? data : null;
}

/** Whether a mark of this repository was signed by a key of its role that was in force. */
export function isGenuine(
  mark: Mark,
  repository: string,
  keys: readonly PublicKey[],
  { hash, verifySignature }: { readonly hash: Hash; readonly verifySignature: VerifySignature },
): boolean {
  const { sig, ...statement } = mark;
  const key = keys.find(({ id }) => id === mark.keyId);
  if (mark.repository !== repository || key === undefined || key.role !== mark.role) return false;
  return isInForce(key, Date.parse(mark.at)) && verifySignature(key.public, signedText(statement, hash), sig);
}

function signedText(statement: MarkStatement, hash: Hash): string {
  return `${SIGNATURE_CONTEXT}${hash(canonicalize(jsonOf(statement)))}`;
}

function jsonOf(statement: MarkStatement): { readonly [name: string]: Json } {
  const { over, ...rest } = statement;
  return { ...rest, without: [...rest.without], ...(over === true ? { over } : {}) };
}
