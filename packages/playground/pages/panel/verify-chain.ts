/** Verifies one run's events for the panel: canonical lines, numbers, hashes, signatures (docs/logbook.md, "Hash" and "Signature"). */

import { createHash, createPublicKey, verify } from 'node:crypto';
import * as z from 'zod';
import { canonicalText } from './canonical.ts';

const entry = z.looseObject({
  run: z.string(),
  seq: z.number(),
  at: z.string(),
  type: z.string(),
  role: z.string(),
  actor: z.looseObject({ login: z.string() }).nullish(),
  prev: z.string(),
  keyId: z.string(),
  hash: z.string(),
  sig: z.string(),
});

export type ChainEvent = {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly role: string;
  /** The person who acted, if any. */
  readonly login: string | null;
  readonly hash: string;
};

export type Chain = {
  readonly run: string;
  /** The valid events, oldest first. */
  readonly events: readonly ChainEvent[];
  /** The error in the first invalid line; null if all are valid. */
  readonly bad: { readonly line: number; readonly reason: string } | null;
};

/** Public keys by id: raw Ed25519 in base64, as listed in the config. */
export type ChainKeys = ReadonlyMap<string, string>;

/** A last line without a line break is invalid too: it was truncated. */
export function verifyChain(run: string, text: string, keys: ChainKeys): Chain {
  const events: ChainEvent[] = [];
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  let before = '0'.repeat(64);
  for (const [index, line] of lines.entries()) {
    const read = verifyEntry(line, { run, seq: index, before, keys });
    if (!read.ok) return { run, events, bad: { line: index + 1, reason: read.reason } };
    events.push(read.event);
    before = read.event.hash;
  }
  return { run, events, bad: rest === '' ? null : { line: lines.length + 1, reason: 'the last line is cut' } };
}

type Expected = { readonly run: string; readonly seq: number; readonly before: string; readonly keys: ChainKeys };

type Read = { readonly ok: true; readonly event: ChainEvent } | { readonly ok: false; readonly reason: string };

function verifyEntry(line: string, { run, seq, before, keys }: Expected): Read {
  const bad = (reason: string): Read => ({ ok: false, reason });
  const value = canonicalValue(line);
  const parsed = entry.safeParse(value);
  if (!parsed.success) return bad('it is no canonical event');
  const event = parsed.data;
  if (event.run !== run || event.seq !== seq) return bad(`it is entry ${event.seq} of ${event.run}`);
  const { hash, sig, ...hashed } = event;
  if (createHash('sha256').update(canonicalText(hashed)).digest('hex') !== hash) return bad('its hash is another one');
  if (event.prev !== before) return bad('it does not follow the line before');
  const key = keys.get(event.keyId);
  if (key === undefined) return bad(`the config lists no key ${event.keyId}`);
  if (!isSignatureValid(hash, sig, key)) return bad('its signature is another one’s');
  const { at, type, role, actor } = event;
  return { ok: true, event: { seq, at, type, role, login: actor?.login ?? null, hash } };
}

/** Null for text that is not JSON, or not canonical. */
function canonicalValue(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return canonicalText(value) === line ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}

/** RFC 8410's prefix turns the 32 raw bytes into an Ed25519 key. */
function isSignatureValid(hash: string, signature: string, key: string): boolean {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(key, 'base64')]);
  if (der.length !== 44) return false;
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const message = Buffer.from(`ferrybot.logbook.v1:${hash}`);
  return verify(null, message, publicKey, Buffer.from(signature, 'base64'));
}
