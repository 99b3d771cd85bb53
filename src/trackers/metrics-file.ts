/** Reads `tracker_metrics.jsonl`, a run's last metrics independent of any tracking service. */

import { open } from 'node:fs/promises';
import * as z from 'zod';
import { limits } from '../domain/limits.ts';
import { codeOf } from '../host/publish-once.ts';

/** Values are decimal texts, or `NaN`, `Infinity`, `-Infinity`. Everything but `metrics` means unknown. */
export type MetricsRead =
  | { readonly kind: 'metrics'; readonly metrics: Readonly<Record<string, string>> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string };

const record = z.looseObject({ summary: z.record(z.string(), z.unknown()) });
const NOT_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

/** Reads the file at `path`; a file larger than any real one is unreadable. */
export async function readMetricsFile(path: string): Promise<MetricsRead> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (size > limits.metricsFileBytesMax) return { kind: 'unreadable', why: `${path} has ${size} bytes` };
      return parseMetrics(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'missing' };
    if (codeOf(error) === undefined) throw error;
    return { kind: 'unreadable', why: String(error) };
  }
}

/**
 * The metrics of the last whole record. Levanter writes one record whose `summary` has flat keys
 * (`eval/loss`) or nested ones (`{eval: {loss}}`), and Python writes NaN bare (marin-community/marin
 * scripts, validate_canary_metrics.py handles both shapes). A last line without its end is passed over.
 */
export function parseMetrics(text: string): MetricsRead {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const whole = text.endsWith('\n') ? lines : [...lines.slice(0, -1), ...lines.slice(-1).filter(isJson)];
  const last = whole.at(-1);
  if (last === undefined) return { kind: 'unreadable', why: 'no whole record' };
  if (!isJson(last)) return { kind: 'unreadable', why: 'the last record is no JSON' };
  const parsed = record.safeParse(parseLoosely(last));
  if (!parsed.success) return { kind: 'unreadable', why: z.prettifyError(parsed.error) };
  const entries = flatten('', parsed.data.summary, 0);
  if (entries.length > limits.metricsKeysMax) return { kind: 'unreadable', why: `${entries.length} metrics` };
  return { kind: 'metrics', metrics: Object.fromEntries(entries) };
}

function isJson(line: string): boolean {
  try {
    parseLoosely(line);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** JSON with Python's bare NaN and Infinity, which become strings. */
function parseLoosely(line: string): unknown {
  return JSON.parse(line.replace(/(:\s*)(NaN|-?Infinity)(?=\s*[,}])/g, '$1"$2"'));
}

function flatten(prefix: string, value: unknown, depth: number): readonly (readonly [string, string])[] {
  if (typeof value === 'number') return [[prefix, toDecimal(value)]];
  if (typeof value === 'string' && NOT_FINITE.has(value)) return [[prefix, value]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (depth >= limits.metricsDepthMax) return [];
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
