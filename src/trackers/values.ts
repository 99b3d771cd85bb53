/** Metrics as trackers write them: flat or nested, with Python's NaN, as decimal texts. */

import { limits } from '../domain/limits.ts';

/** All names and values of one summary, as they are written down: with them the entry of a job's end stays well within one line. */
const METRICS_CHARACTERS_MAX = 256 * 1024;
/** Flattened keys, the nested ones among them; Paloma alone has some hundred. */
export const METRICS_KEYS_MAX = 5_000;
/** Trackers nest a summary two or three deep. */
const METRICS_DEPTH_MAX = 16;

const NOT_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

/**
 * The metrics of a summary, by flat keys (`eval/loss`); what is no number is left out, and what has no name of a metric. Null:
 * there are too many. A job writes them as it likes, and what is recorded of them has to fit.
 */
export function metricsIn(summary: unknown): Readonly<Record<string, string>> | null {
  const all = flatten('', summary, 0);
  if (all.length > METRICS_KEYS_MAX) return null;
  const entries = all.filter(([key]) => key.length <= limits.metricNameCharactersMax);
  // A sign that nobody types is six in JSON.
  const characters = JSON.stringify(entries).length;
  return characters > METRICS_CHARACTERS_MAX ? null : Object.fromEntries(entries);
}

/** The greatest of the named numbers that are one: of several devices the fullest. */
export function greatestOf(
  metrics: Readonly<Record<string, string>>,
  isMeant: (key: string) => boolean,
): number | null {
  const values = Object.entries(metrics)
    .filter(([key]) => isMeant(key))
    .map(([, value]) => Number(value))
    .filter(Number.isFinite);
  return values.length === 0 ? null : Math.max(...values);
}

/** JSON as Python writes it: bare NaN and Infinity become strings, and raw control characters in strings blanks. Throws a SyntaxError. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const plain = text.replace(/\p{Cc}/gu, ' ');
    return JSON.parse(
      plain.replace(STRING_OR_NOT_FINITE, (found) => (found.startsWith('"') ? found : `"${found}"`)),
    );
  }
}

/** Strings are passed over whole: one may say NaN. The last quote is optional, so that a broken text is read once. */
const STRING_OR_NOT_FINITE = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|NaN|-?Infinity/g;

function flatten(prefix: string, value: unknown, depth: number): readonly (readonly [string, string])[] {
  if (typeof value === 'number') return [[prefix, toDecimal(value)]];
  if (typeof value === 'string' && NOT_FINITE.has(value)) return [[prefix, value]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (depth >= METRICS_DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    flatten(prefix === '' ? key : `${prefix}/${key}`, inner, depth + 1),
  );
}

/** The shortest text that reads back as the same number, without an exponent: 1e-7 is `0.0000001`. */
function toDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', head = '', tail = '', exponent = '0'] = match;
  const point = Number(exponent);
  const digits = head + tail;
  if (point < 0) return `${sign}0.${'0'.repeat(-point - 1)}${digits}`;
  return `${sign}${digits.padEnd(point + 1, '0')}`;
}
