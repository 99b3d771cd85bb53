/** Reads `tracker_metrics.jsonl`, a run's last metrics without any tracking service. */

import * as z from 'zod';
import { openPlainFile } from '../host/plain-file.ts';
import { codeOf } from '../host/publish-once.ts';
import { METRICS_KEYS_MAX, metricsIn, parseLoosely } from './values.ts';

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
    if (codeOf(error) === 'ENOENT') return { kind: 'missing' };
    if (codeOf(error) === undefined) throw error;
    return { kind: 'unreadable', why: String(error) };
  }
}

/**
 * The metrics of the last complete record. Levanter writes a `summary` with flat (`eval/loss`) or nested keys, and Python writes bare NaN
 * (marin-community/marin scripts, validate_canary_metrics.py). Skips an incomplete last line.
 */
export function parseMetrics(text: string): MetricsRead {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const whole = text.endsWith('\n') ? lines : [...lines.slice(0, -1), ...lines.slice(-1).filter(isJson)];
  const last = whole.at(-1);
  if (last === undefined) return { kind: 'unreadable', why: 'no whole record' };
  if (!isJson(last)) return { kind: 'unreadable', why: 'the last record is no JSON' };
  const parsed = record.safeParse(parseLoosely(last));
  if (!parsed.success) return { kind: 'unreadable', why: z.prettifyError(parsed.error) };
  const metrics = metricsIn(parsed.data.summary);
  if (metrics === null) return { kind: 'unreadable', why: `more than ${METRICS_KEYS_MAX} metrics` };
  return { kind: 'metrics', metrics };
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
