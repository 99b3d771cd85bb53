/**
 * Seals and verifies markers (docs/logbook.md, Markers): a role key signs the repository, the thread, and the marker's line, which contains
 * the text's digest.
 */

import { type Instant, isInstant } from '../domain/ids.ts';
import type { PublicKey } from '../domain/logbook/role.ts';
import { readMarker, readSeal, splitBody, type VerifiedMarker } from '../domain/marker.ts';
import { toRfc3339 } from '../domain/time.ts';
import { isInForce } from './key-ring.ts';
import type { Hash, Signer, VerifySignature } from './ports.ts';

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
  const { line, text } = splitBody(body);
  if (readMarker(body) === null || readSeal(line) !== null) return body;
  const seal = ` at=${toRfc3339(at)} text=${hash(text)} by=${signer.keyId}`;
  const signed = `${line.slice(0, -END.length)}${seal}`;
  const signature = urlSafe(signer.sign(markerLineText(signed, place, hash)));
  return `${signed} sig=${signature}${END}${body.slice(line.length)}`;
}

/** Null unless sealed by a key that was valid at that time. */
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
    markerLineText(seal.signed, place, hash),
    standard(seal.signature),
  );
  if (!isSigned) return null;
  const { run, kind, key: name, fields } = marker;
  const isIntact = hash(text) === seal.text;
  return { run, kind, key: name, fields, role: key.role, at, text: seal.text, isIntact };
}

const END = ' -->';

/** None of the parts contains a newline, so the text is unambiguous. */
function markerLineText(line: string, { repository, thread }: MarkerPlace, hash: Hash): string {
  return `${MARKER_CONTEXT}${hash(`${repository}\n${thread}\n${line}`)}`;
}

/** RFC 4648, section 5, without padding: marker fields cannot contain `+`, `/` and `=`. */
function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function standard(urlSafeText: string): string {
  return `${urlSafeText.replaceAll('-', '+').replaceAll('_', '/')}==`;
}
