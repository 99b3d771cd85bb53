/** Ed25519 keys, and SHA-256. */

import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { fail, memoize, ok, type Result } from '../domain/values.ts';

/** A private key that can sign but not be read. */
export type SigningKey = {
  /** Raw public key in base64, as in the config's `keys[].public`. */
  readonly public: string;
  /** Ed25519 (RFC 8032) over the UTF-8 bytes, in base64. */
  readonly sign: (utf8: string) => string;
};

/**
 * Parses a private key: PKCS #8 as PEM (with real or literal `\n`) or DER in base64, or the 32-byte seed in base64 (RFC 8410, RFC 8032).
 * The error contains no part of the key.
 */
export function parseSigningKey(text: string): Result<SigningKey, string> {
  const trimmed = text.trim().replaceAll('\\n', '\n');
  if (trimmed === '') return fail('the key is empty');
  const key = readKey(trimmed);
  if (key === null)
    return fail('not an Ed25519 private key (PKCS #8 PEM, PKCS #8 DER in base64, or a 32-byte seed in base64)');
  if (key.asymmetricKeyType !== 'ed25519')
    return fail(`an Ed25519 key is needed, this one is ${key.asymmetricKeyType}`);
  return ok({
    public: rawPublicKey(key),
    sign: (utf8) => sign(null, Buffer.from(utf8, 'utf8'), key).toString('base64'),
  });
}

/** Verifies a base64 signature with a raw base64 public key. False for malformed input; never throws. */
export function verifyEd25519(publicKey: string, utf8: string, signature: string): boolean {
  const key = readPublicKey(publicKey);
  const bytes = Buffer.from(signature, 'base64');
  return key !== null && bytes.length === SIGNATURE_BYTES && verify(null, Buffer.from(utf8, 'utf8'), key, bytes);
}

const SEED_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Fixed DER prefixes of Ed25519 keys (PKCS #8, SPKI), RFC 8410 section 10. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

function readKey(text: string): KeyObject | null {
  if (text.startsWith('-----BEGIN')) return nullOnError(() => createPrivateKey({ key: text, format: 'pem' }));
  const bytes = Buffer.from(text, 'base64');
  const der = bytes.length === SEED_BYTES ? Buffer.concat([PKCS8_HEAD, bytes]) : bytes;
  return nullOnError(() => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** Cached, because building a key takes as long as a verification. */
const readPublicKey = memoize(
  (base64: string): KeyObject | null => {
    const bytes = Buffer.from(base64, 'base64');
    const isRaw = bytes.length === SEED_BYTES && bytes.toString('base64') === base64;
    if (!isRaw) return null;
    return nullOnError(() => createPublicKey({ key: Buffer.concat([SPKI_HEAD, bytes]), format: 'der', type: 'spki' }));
  },
  (base64) => base64,
);

/** Node throws for invalid keys; the message could quote the key. */
function nullOnError(read: () => KeyObject): KeyObject | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

function rawPublicKey(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD.length).toString('base64');
}

/** SHA-256 of bytes or UTF-8 text as 64 lower-case hex digits (FIPS 180-4). */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
