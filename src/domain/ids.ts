/** Identifiers and instants as branded types, so that a run id cannot be passed as a commit id. */

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** For example `ferry-daily-20261121`; names a folder in the logbook and is part of the job id. */
export type RunId = Brand<string, 'RunId'>;
/** Git commit id: 40 lower-case hex digits. */
export type Sha = Brand<string, 'Sha'>;
/** Git tree or blob id: 40 lower-case hex digits. */
export type TreeId = Brand<string, 'TreeId'>;
/** `sha256:` and 64 lower-case hex digits. */
export type Digest = Brand<string, 'Digest'>;
/** Integer Unix milliseconds, up to the year 9999. */
export type Instant = Brand<number, 'Instant'>;

/** SHA-256 of UTF-8 text, provided by the host. */
export type DigestOf = (text: string) => Digest;

/** Maximum length of a run id. */
export const RUN_ID_MAX = 63;
const RUN_ID = /^[a-z][a-z0-9-]{2,62}$/;
const OBJECT_ID = /^[0-9a-f]{40}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export const isRunId = (text: string): text is RunId => RUN_ID.test(text);
export const isSha = (text: string): text is Sha => OBJECT_ID.test(text);
export const isTreeId = (text: string): text is TreeId => OBJECT_ID.test(text);
export const isDigest = (text: string): text is Digest => DIGEST.test(text);
const INSTANT_MAX = 253_402_300_799_999;
export const isInstant = (value: number): value is Instant =>
  Number.isSafeInteger(value) && value >= 0 && value <= INSTANT_MAX;

/** Brands the value; throws if it is malformed, which is a bug here. */
export function branded<Base, Branded extends Base>(value: Base, is: (v: Base) => v is Branded): Branded {
  if (!is(value)) throw new Error(`malformed identifier: ${String(value)}`);
  return value;
}
