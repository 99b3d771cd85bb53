/** Cryptography that the pure logbook receives from outside. */

import type { Role } from '../domain/logbook/role.ts';

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
