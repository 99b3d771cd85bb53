/** What the pure logbook is given from outside: a hash, a signature and the check of one. */

import type { Role } from '../domain/logbook/role.ts';

/** SHA-256 of the UTF-8 bytes of a text, as 64 lower-case hex digits. */
export type Hash = (utf8: string) => string;

/** Ed25519 signature (RFC 8032) over the UTF-8 bytes of a text, in base64. */
export type Sign = (utf8: string) => string;

/** Whether `signature` (base64) is the holder's of `publicKey` (raw, base64) over the UTF-8 bytes of a text. */
export type VerifySignature = (publicKey: string, utf8: string, signature: string) => boolean;

/** One private key at work: the key's id in config, and the role that it signs for. */
export type Signer = { readonly keyId: string; readonly role: Role; readonly sign: Sign };

/** `seq:hash` of an event that is known to have been there; `hash` may be a prefix of the 64 hex digits. */
export type Anchor = { readonly seq: number; readonly hash: string };

/** What came of an append. */
export type AppendResult =
  /** `seqs`: sequence numbers of the new events by file. */
  | { readonly kind: 'appended'; readonly seqs: ReadonlyMap<string, readonly number[]> }
  | { readonly kind: 'conflict' }
  /** Nothing was added, and nothing is wrong with what is there: the remote or this machine's disk said no. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };
