/**
 * Seals markers and verifies them (docs/logbook.md, Markers): the signature of a role key over repository, thread and the
 * marker's line, which holds a digest of the text below it. Pure: hash, signature and its check come from outside.
 */

import { type Instant, isInstant } from '../domain/ids.ts';
import type { PublicKey } from '../domain/logbook/role.ts';
import { readMarker, readSeal, splitBody, type VerifiedMarker } from '../domain/marker.ts';
import { toRfc3339 } from '../domain/time.ts';
import type { Hash, Signer, VerifySignature } from './ports.ts';

/** Keeps a marker's signature from being one of anything else that the same key signs. */
const MARKER_CONTEXT = 'ferrybot.marker.v1:';

/** Where a text stands. `thread` 0: the body of an issue that has no number before it is opened. */
export type MarkerPlace = { readonly repository: string; readonly thread: number };

/** The thread of a text that is written before its thread has a number. */
export const UNNUMBERED = 0;

/**
 * The text with its marker sealed. What does not begin with a marker has nothing to be sealed, and what is sealed
 * already is somebody's standing text: both stay as they are, since sealing them would vouch for what others wrote.
 */
export function sealMarker(
  body: string,
  place: MarkerPlace,
  { signer, at, hash }: { readonly signer: Signer; readonly at: Instant; readonly hash: Hash },
): string {
  const { line, text } = splitBody(body);
  if (readMarker(body) === null || readSeal(line) !== null) return body;
  const seal = ` at=${toRfc3339(at)} text=${hash(text)} by=${signer.keyId}`;
  const signed = `${line.slice(0, -END.length)}${seal}`;
  const signature = urlSafe(signer.sign(signedText(signed, place, hash)));
  return `${signed} sig=${signature}${END}${body.slice(line.length)}`;
}

/** The marker of a text where its seal is that of a key that was in force when it was written; else null. */
export function verifyMarker(
  body: string,
  place: MarkerPlace,
  {
    keys,
    hash,
    verifySignature,
  }: {
    readonly keys: readonly PublicKey[];
    readonly hash: Hash;
    readonly verifySignature: VerifySignature;
  },
): VerifiedMarker | null {
  const { line, text } = splitBody(body);
  const seal = readSeal(line);
  const marker = seal === null ? null : readMarker(line);
  if (seal === null || marker === null) return null;
  const at = Date.parse(seal.at);
  const key = keys.find(({ id }) => id === seal.keyId);
  if (!isInstant(at) || key === undefined || !isInForce(key, at)) return null;
  const isSigned = verifySignature(
    key.public,
    signedText(seal.signed, place, hash),
    standard(seal.signature),
  );
  if (!isSigned) return null;
  const { run, kind, key: name, fields } = marker;
  const isIntact = hash(text) === seal.text;
  return { run, kind, key: name, fields, role: key.role, at, text: seal.text, isIntact };
}

const END = ' -->';

/** Neither a repository's name nor a number nor the line holds a line end, so that the three cannot be told otherwise. */
function signedText(line: string, { repository, thread }: MarkerPlace, hash: Hash): string {
  return `${MARKER_CONTEXT}${hash(`${repository}\n${thread}\n${line}`)}`;
}

function isInForce({ from, until }: PublicKey, at: Instant): boolean {
  return Date.parse(from) <= at && at < Date.parse(until);
}

/** `+`, `/` and `=` do not stand in a marker's fields: RFC 4648, section 5, without padding. */
function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function standard(urlSafeText: string): string {
  return `${urlSafeText.replaceAll('-', '+').replaceAll('_', '/')}==`;
}
