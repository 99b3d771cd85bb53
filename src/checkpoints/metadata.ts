/** `metadata.json` of a checkpoint: what it has to say for the checkpoint to be complete (levanter, checkpoint.py). */

import { z } from 'zod';

export type CheckpointMetadata = {
  readonly step: number;
  readonly timestamp: string;
  /** Microseconds since 1970 of the time as it is written: it names no zone, so that it orders checkpoints of one writer alone. */
  readonly micros: number;
  readonly isTemporary: boolean;
};

// Python writes `datetime.now().isoformat()`: naive, with microseconds or without; where it has a zone, that counts.
const TIMESTAMP =
  /^([12]\d{3})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/;

const schema = z.looseObject({
  step: z.int().nonnegative(),
  timestamp: z.string().regex(TIMESTAMP),
  is_temporary: z.boolean().default(false),
});

/** Null where it is no JSON, or a step or a time is missing: then nobody can say which checkpoint it is. */
export function readMetadata(text: string): CheckpointMetadata | null {
  const parsed = schema.safeParse(parsedJson(text));
  if (!parsed.success) return null;
  const { step, timestamp, is_temporary: isTemporary } = parsed.data;
  const micros = microsOf(timestamp);
  return micros === null ? null : { step, timestamp, micros, isTemporary };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Null for a date that no calendar has. */
function microsOf(timestamp: string): number | null {
  const match = TIMESTAMP.exec(timestamp);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', , sign, zoneHours, zoneMinutes] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Date.parse takes the 31st of a month with 30 days for the next one.
  if (!Number.isFinite(ms) || new Date(ms).getUTCDate() !== Number(day)) return null;
  const zone = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  const micros = Number(fraction.padEnd(6, '0').slice(0, 6));
  return (ms - (sign === '-' ? -zone : zone)) * 1_000 + micros;
}
