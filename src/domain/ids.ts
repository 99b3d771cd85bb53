/** Identifiers and moments as branded types: a run id is never handed over where a commit id belongs. */

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** `ferry-daily-20261121`: lower-case letters, digits and dashes; names a folder in the logbook and a part of the job id. */
export type RunId = Brand<string, 'RunId'>;
/** A git commit id: 40 lower-case hex digits. */
export type Sha = Brand<string, 'Sha'>;
/** A git tree or blob id: 40 lower-case hex digits. */
export type TreeId = Brand<string, 'TreeId'>;
/** `sha256:` and 64 lower-case hex digits. */
export type Digest = Brand<string, 'Digest'>;
/** Milliseconds since 1970-01-01 UTC, an integer, of a year that RFC 3339 can name. */
export type Instant = Brand<number, 'Instant'>;

/** SHA-256 over UTF-8 text, given by the host. */
export type DigestOf = (text: string) => Digest;

/** Characters of a run's name at the most. */
export const RUN_ID_MAX = 63;
const RUN_ID = /^[a-z][a-z0-9-]{2,62}$/;
const OBJECT_ID = /^[0-9a-f]{40}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export const isRunId = (text: string): text is RunId => RUN_ID.test(text);
export const isSha = (text: string): text is Sha => OBJECT_ID.test(text);
export const isTreeId = (text: string): text is TreeId => OBJECT_ID.test(text);
export const isDigest = (text: string): text is Digest => DIGEST.test(text);
/** The end of the year 9999. */
const INSTANT_MAX = 253_402_300_799_999;
export const isInstant = (value: number): value is Instant =>
  Number.isSafeInteger(value) && value >= 0 && value <= INSTANT_MAX;

/** The branded value, or an exception: for places where a malformed id is a bug and not an input. */
export function branded<Base, Branded extends Base>(value: Base, is: (v: Base) => v is Branded): Branded {
  if (!is(value)) throw new Error(`malformed identifier: ${String(value)}`);
  return value;
}
