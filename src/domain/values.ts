/** Identifiers and instants as branded types, so that a run id cannot be passed as a commit id. */

import { limits } from './limits.ts';

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
export function brandAs<Base, Branded extends Base>(value: Base, is: (v: Base) => v is Branded): Branded {
  if (!is(value)) throw new Error(`malformed identifier: ${String(value)}`);
  return value;
}

const MS_PER_DAY = 86_400_000;

/** For example `2026-11-21T03:09:00.000Z`, UTC. */
export function toRfc3339(at: Instant): string {
  return new Date(at).toISOString();
}

/** Null if the text is not a time since 1970. */
export function fromRfc3339(text: string): Instant | null {
  return instantFromMs(Date.parse(text));
}

/** Truncates to whole ms; null if not a valid instant. */
export function instantFromMs(ms: number): Instant | null {
  const whole = Math.trunc(ms);
  return isInstant(whole) ? whole : null;
}

/** UTC date, `2026-11-21`. */
export function utcDate(at: Instant): string {
  return toRfc3339(at).slice(0, 10);
}

/** `2026-11-21` → `20261121`, for tags and run ids. */
export function compactDate(date: string): string {
  return date.replaceAll('-', '');
}

/** UTC time, `06:30`. */
export function utcTime(at: Instant): string {
  return toRfc3339(at).slice(11, 16);
}

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Throws for an invalid date. */
export function weekdayOf(date: string): Weekday {
  const day = WEEKDAYS[new Date(Date.parse(`${date}T00:00:00Z`)).getUTCDay()];
  if (day === undefined) throw new Error(`${date} is no date`);
  return day;
}

/** The instant `durationMs` later. */
export function addMs(at: Instant, durationMs: number): Instant {
  return brandAs(Math.trunc(at + durationMs), isInstant);
}

/** The UTC date `days` later. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * MS_PER_DAY).toISOString().slice(0, 10);
}

export type Observed<Value> =
  | { readonly kind: 'known'; readonly value: Value }
  | { readonly kind: 'unknown'; readonly why: string };

/** A fact that was read. */
export function known<Value>(value: Value): Observed<Value> {
  return { kind: 'known', value };
}

/** `why` is shown to people and holds no secret. */
export function unknown(why: string): { readonly kind: 'unknown'; readonly why: string } {
  return { kind: 'unknown', why };
}

export type Result<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failure };

/** A successful result. */
export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

/** A failed result. */
export function fail<Failure>(error: Failure): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error };
}

/** Exhaustiveness check for switches: a compile error, and an exception if the types were wrong. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/** Throws if an assumption does not hold; `code` names it. Also active in production. */
export function invariant(condition: boolean, code: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${code}`);
}

type Present<Value> = {
  readonly [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key];
} & {
  readonly [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<Value[Key], undefined>;
};

/** Drops all keys with an undefined value. */
export function omitUndefined<const Value extends object>(value: Value): Present<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Present<Value>;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Parses JSON; undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Enough for the bodies of all live runs and the config, a few hundred kB. */
export const MEMOIZED_MAX = 50;

/** An LRU cache around a pure function. Callers must not modify the results. `keyOf` must cover everything that affects the result. */
export function memoize<Asked, Reading>(
  read: (asked: Asked) => Reading,
  keyOf: (asked: Asked) => string,
): (asked: Asked) => Reading {
  const kept = new Map<string, { readonly reading: Reading }>();
  return (asked) => {
    const key = keyOf(asked);
    const entry = kept.get(key) ?? { reading: read(asked) };
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > MEMOIZED_MAX && oldest !== undefined) kept.delete(oldest);
    return entry.reading;
  };
}

/** The first `max` code units at most; ill-formed input becomes U+FFFD. */
export function cutText(text: string, max: number): string {
  const end = isHighHalf(text.charCodeAt(max - 1)) && text.length > max ? max - 1 : max;
  return text.slice(0, Math.max(0, end)).toWellFormed();
}

/** The last `max` code units at most; ill-formed input becomes U+FFFD. */
export function cutTextFromEnd(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  const begin = text.length - max;
  return text.slice(isLowHalf(text.charCodeAt(begin)) ? begin + 1 : begin).toWellFormed();
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Removes `signs` from the end, in linear time: a regular expression ending in `$` is quadratic on long runs. */
export function trimEndCharacters(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes trailing slashes. */
export function withoutEndSlashes(text: string): string {
  return trimEndCharacters(text, '/');
}

/** Content of a character class (flag `u`): format characters, private use, Braille blank, default ignorables. */
export const INVISIBLE = String.raw`\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800`;

/** Pattern (flag `u`): also control characters and unusual blanks. Tabs and line ends are visible in the layout. */
export const UNSEEN_CHARACTER = String.raw`[${INVISIBLE}]|(?![ \t\n\r])[\p{White_Space}\p{Cc}]`;

const UNSEEN_SIGN = new RegExp(UNSEEN_CHARACTER, 'u');

/** The first unseen character, for example as `U+200B`; null if there is none. */
export function findInvisibleCharacter(text: string): string | null {
  const sign = UNSEEN_SIGN.exec(text.toWellFormed())?.[0];
  return sign === undefined ? null : formatCodePoint(sign);
}

/** `U+200B` for the first character. */
export function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Negative, 0 or positive, as for `sort`. Throws on text that is not a plain decimal. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [splitDecimal(a), splitDecimal(b)];
  const digits = Math.max(left.fraction.length, right.fraction.length);
  const difference = scaleDecimal(left, digits) - scaleDecimal(right, digits);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The exact sum, without trailing zeros. */
export function addDecimals(a: string, b: string): string {
  const [left, right] = [splitDecimal(a), splitDecimal(b)];
  const digits = Math.max(left.fraction.length, right.fraction.length);
  const sum = scaleDecimal(left, digits) + scaleDecimal(right, digits);
  const text = String(sum < 0n ? -sum : sum).padStart(digits + 1, '0');
  const whole = `${sum < 0n ? '-' : ''}${text.slice(0, text.length - digits)}`;
  const fraction = digits === 0 ? '' : trimEndCharacters(text.slice(-digits), '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

type Parts = { readonly sign: bigint; readonly whole: string; readonly fraction: string };

function splitDecimal(text: string): Parts {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new Error(`no decimal: ${text}`);
  return { sign: match[1] === '-' ? -1n : 1n, whole: match[2] ?? '0', fraction: match[3] ?? '' };
}

function scaleDecimal({ sign, whole, fraction }: Parts, digits: number): bigint {
  return sign * BigInt(whole + fraction.padEnd(digits, '0'));
}

/** Four significant digits: `3.468`, `0.002594`, `1235000`. A text that is not a number stays as it is. */
export function formatNumber(value: number | string): string {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? String(Number(number.toPrecision(4))) : String(value);
}

/** Units of time from the smallest; each is used up to the start of the next. The first value is in milliseconds. */
const UNITS = [
  [1_000, 's', 60_000],
  [60_000, 'min', 3_600_000],
  [3_600_000, 'h', 48 * 3_600_000],
  [86_400_000, 'd', Number.POSITIVE_INFINITY],
] as const;

/** One unit of time: `45 s`, `12.5 min`, `2.5 h`, `3.2 d`. */
export function formatDuration(ms: number): string {
  const [size, unit] = UNITS.find(([, , below]) => ms < below) ?? UNITS[3];
  return `${Number((ms / size).toFixed(unit === 's' ? 0 : 1))} ${unit}`;
}

export const MICRODOLLARS = 1_000_000;

/** `$0.35`. A text that is not a number stays as it is. */
export function formatMoney(dollars: number | string): string {
  return `$${Number.isFinite(Number(dollars)) ? Number(dollars).toFixed(2) : dollars}`;
}

/** The same of the record's microdollars. */
export function formatMicrodollars(microdollars: number): string {
  return formatMoney(microdollars / MICRODOLLARS);
}

/** The digest prefix that people copy: just long enough to bind. */
export function shortDigestHex(digest: string): string {
  return digest
    .replace(/^sha256:/, '')
    .replace(/[^0-9a-f]/g, '')
    .slice(0, limits.bindingHexDigits);
}
