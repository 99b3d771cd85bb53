/** Parses metrics of trackers: flat or nested, with Python's NaN. */

import { limits } from '../domain/limits.ts';

/** Keeps the entry of a job's end below the size of a log line. */
const METRICS_CHARACTERS_MAX = 256 * 1024;
/** Flattened keys; Paloma alone has some hundred. */
export const METRICS_KEYS_MAX = 5_000;
/** Real summaries are nested two or three deep. */
const METRICS_DEPTH_MAX = 16;

const NOT_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

/**
 * The metrics of a summary as decimal texts by flat keys (`eval/loss`). Skips other values. Null if there are too many, because jobs
 * control the summary and the record is limited.
 */
export function metricsIn(summary: unknown): Readonly<Record<string, string>> | null {
  const all = flatten('', summary, 0);
  if (all.length > METRICS_KEYS_MAX) return null;
  const entries = all.filter(([key]) => key.length <= limits.metricNameCharactersMax);
  // Unusual characters take six bytes in JSON.
  const characters = JSON.stringify(entries).length;
  return characters > METRICS_CHARACTERS_MAX ? null : Object.fromEntries(entries);
}

/** The maximum of the matching finite numbers: the fullest device. */
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

/** Parses JSON as Python writes it: bare NaN and Infinity become strings, raw control characters blanks. Throws a SyntaxError. */
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

/** Matches whole strings, which may contain NaN. The last quote is optional, so that broken text takes linear time. */
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

/** The shortest decimal without an exponent: 1e-7 is `0.0000001`. */
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
