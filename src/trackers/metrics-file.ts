/** Reads `tracker_metrics.jsonl`, a run's last metrics without any tracking service. */

import * as z from 'zod';
import { limits } from '../domain/limits.ts';
import { parseJson } from '../domain/values.ts';
import { errorCode, openPlainFile } from '../host/files.ts';

/** Keeps the entry of a job's end below the size of a log line. */
const METRICS_CHARACTERS_MAX = 256 * 1024;
/** Flattened keys; Paloma alone has some hundred. */
const METRICS_KEYS_MAX = 5_000;
/** Real summaries are nested two or three deep. */
const METRICS_DEPTH_MAX = 16;

const NOT_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

/**
 * The metrics of a summary as decimal texts by flat keys (`eval/loss`). Skips other values. Null if there are too many, because jobs
 * control the summary and the record is limited.
 */
export function flattenMetrics(summary: unknown): Readonly<Record<string, string>> | null {
  const all = flatten('', summary, 0);
  if (all.length > METRICS_KEYS_MAX) return null;
  const entries = all.filter(([key]) => key.length <= limits.metricNameCharactersMax);
  // Unusual characters take six bytes in JSON.
  const characters = JSON.stringify(entries).length;
  return characters > METRICS_CHARACTERS_MAX ? null : Object.fromEntries(entries);
}

/** The maximum of the matching finite numbers: the fullest device. */
export function greatestMetric(
  metrics: Readonly<Record<string, string>>,
  isMeant: (key: string) => boolean,
): number | null {
  const values = Object.entries(metrics)
    .filter(([key]) => isMeant(key))
    .map(([, value]) => Number(value))
    .filter(Number.isFinite);
  return values.length === 0 ? null : Math.max(...values);
}

/** Parses JSON as Python writes it: bare NaN and Infinity become strings, raw control characters blanks. Undefined if it is no JSON. */
export function parseJsonWithNan(text: string): unknown {
  return (
    parseJson(text) ??
    parseJson(
      text
        .replace(/\p{Cc}/gu, ' ')
        .replace(STRING_OR_NOT_FINITE, (found) => (found.startsWith('"') ? found : `"${found}"`)),
    )
  );
}

/** Matches whole strings, which may contain NaN. The last quote is optional, so that broken text takes linear time. */
const STRING_OR_NOT_FINITE = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|NaN|-?Infinity/g;

function flatten(prefix: string, value: unknown, depth: number): readonly (readonly [string, string])[] {
  if (typeof value === 'number') return [[prefix, formatDecimal(value)]];
  if (typeof value === 'string' && NOT_FINITE.has(value)) return [[prefix, value]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (depth >= METRICS_DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    flatten(prefix === '' ? key : `${prefix}/${key}`, inner, depth + 1),
  );
}

/** The shortest decimal without an exponent: 1e-7 is `0.0000001`. */
function formatDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', head = '', tail = '', exponent = '0'] = match;
  const point = Number(exponent);
  const digits = head + tail;
  if (point < 0) return `${sign}0.${'0'.repeat(-point - 1)}${digits}`;
  return `${sign}${digits.padEnd(point + 1, '0')}`;
}

/** Larger files are not summaries. */
export const METRICS_FILE_BYTES_MAX = 4 * 1024 * 1024;

/** Values are decimal texts, or `NaN`, `Infinity`, `-Infinity`. Other kinds mean unknown. */
type MetricsRead =
  | { readonly kind: 'metrics'; readonly metrics: Readonly<Record<string, string>> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string };

const record = z.looseObject({ summary: z.record(z.string(), z.unknown()) });

/** Reads a job's metrics file; absent if it does not exist, unknown if it cannot be read. */
export async function readMetricsFile(path: string): Promise<MetricsRead> {
  try {
    await using file = await openPlainFile(path);
    const { size } = await file.stat();
    if (size > METRICS_FILE_BYTES_MAX) return { kind: 'unreadable', why: `${path} has ${size} bytes` };
    return parseMetrics(await file.readFile('utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'missing' };
    if (errorCode(error) === undefined) throw error;
    return { kind: 'unreadable', why: String(error) };
  }
}

/**
 * The metrics of the last complete record. Levanter writes a `summary` with flat (`eval/loss`) or nested keys, and Python writes bare NaN
 * (marin-community/marin scripts, validate_canary_metrics.py). Skips an incomplete last line.
 */
export function parseMetrics(text: string): MetricsRead {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isWhole = text.endsWith('\n') || parseJsonWithNan(lines.at(-1) ?? '') !== undefined;
  const last = lines.at(isWhole ? -1 : -2);
  if (last === undefined) return { kind: 'unreadable', why: 'no whole record' };
  const json = parseJsonWithNan(last);
  if (json === undefined) return { kind: 'unreadable', why: 'the last record is no JSON' };
  const parsed = record.safeParse(json);
  if (!parsed.success) return { kind: 'unreadable', why: z.prettifyError(parsed.error) };
  const metrics = flattenMetrics(parsed.data.summary);
  if (metrics === null) return { kind: 'unreadable', why: `more than ${METRICS_KEYS_MAX} metrics` };
  return { kind: 'metrics', metrics };
}
