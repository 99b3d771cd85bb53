/** A recorded trace of a job: one JSON value per line (docs/traces.md). */

import { z } from 'zod';
import { DETECTOR_IDS } from '../../domain/detector-ids.ts';
import type { Instant } from '../../domain/ids.ts';
import { fail, ok, type Result } from '../../domain/result.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { TRACKER_SILENCES } from '../../domain/tracker.ts';

const time = z.string().transform((text, context): Instant => {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? fromRfc3339(text) : null;
  if (at !== null) return at;
  context.addIssue({ code: 'custom', message: 'a time such as 2026-11-21T12:00:00Z' });
  return z.NEVER;
});

const status = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED']);
const engineSays = z.strictObject({
  status,
  message: z.string().default(''),
  errorType: z.string().nullable().default(null),
  exitCode: z.number().int().nullable().default(null),
  details: z.record(z.string(), z.string()).default({}),
});

/** Without `rowAt`, the newest row has the time of the question. */
const trackerSays = z.strictObject({
  run: z.string(),
  name: z.string().optional(),
  state: z.string().default('running'),
  globalStep: z.number().int().nullable().default(null),
  loss: z.string().nullable().default(null),
  heartbeatAt: time.nullable().default(null),
  rowAt: time.nullable().optional(),
});

const header = z.strictObject({
  trace: z.literal(1),
  about: z.string().default(''),
  submittedAt: time,
  startupSeconds: z.number().int().positive().default(120),
  pollSeconds: z.number().int().positive().default(570),
  alertSeconds: z.number().int().positive().default(120),
  /** Launch settings that detectors compare with. */
  trackerRun: z.string().nullable().default(null),
  checkpointMinutes: z.number().int().positive().nullable().default(null),
  config: z.record(z.string(), z.string()).default({}),
  /** Attempts after the first that need no approval. */
  restarts: z.number().int().min(0).default(3),
  /** Loss curves of the lane's last runs. */
  lane: z
    .array(z.array(z.tuple([z.number().int(), z.string()])))
    .nullable()
    .default(null),
  /** Expected results for the regression suite; the replay ignores them. */
  expect: z
    .strictObject({
      alarms: z.array(
        z.strictObject({ detector: z.union([z.enum(DETECTOR_IDS), z.string()]), lawMetAt: time }),
      ),
      finalState: z.string().optional(),
      actions: z.array(z.string()).optional(),
    })
    .optional(),
});

const record = z.union([
  z.strictObject({ at: time, log: z.string() }),
  z.strictObject({
    at: time,
    engine: z.union([engineSays, z.enum(['unreachable', 'absent', 'state-lost'])]),
  }),
  z.strictObject({ at: time, attempt: z.number().int().min(2) }),
  z.strictObject({ at: time, stop: z.string() }),
  z.strictObject({ at: time, tracker: z.union([trackerSays, z.enum(TRACKER_SILENCES)]) }),
  z.strictObject({
    at: time,
    store: z.union([
      z.literal('unreadable'),
      z.strictObject({
        newest: z.strictObject({ step: z.number().int(), writtenAt: time.optional() }).nullable(),
        partial: z.number().int().nullable().default(null),
      }),
    ]),
  }),
  z.strictObject({ at: time, config: z.record(z.string(), z.string()) }),
  z.strictObject({ at: time, disk: z.strictObject({ freeBytes: z.number(), totalBytes: z.number() }) }),
  z.strictObject({
    at: time,
    left: z.strictObject({ checkpoint: z.boolean().nullable(), metrics: z.boolean().nullable() }),
  }),
  z.strictObject({ at: time, until: z.literal(true) }),
]);

export type TraceHeader = z.infer<typeof header>;
export type TraceRecord = z.infer<typeof record>;
export type Trace = { readonly header: TraceHeader; readonly records: readonly TraceRecord[] };

/** Parses a trace and sorts its records by time; the error names the line. */
export function readTrace(text: string): Result<Trace, string> {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const told = lines.filter(({ line }) => line.trim() !== '');
  const [first, ...rest] = told;
  if (first === undefined) return fail('the trace is empty');
  const head = parsed(header, first);
  if (!head.ok) return head;
  const records: TraceRecord[] = [];
  for (const line of rest) {
    const one = parsed(record, line);
    if (!one.ok) return one;
    records.push(one.value);
  }
  return ok({ header: head.value, records: records.toSorted((a, b) => a.at - b.at) });
}

/** The first line of a trace. */
export function headerFor(submittedAt: string, about: string): TraceHeader {
  return header.parse({ trace: 1, about, submittedAt });
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  { line, number }: { readonly line: string; readonly number: number },
): Result<z.infer<Schema>, string> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail(`line ${number} is no JSON: ${error.message}`);
  }
  const read = schema.safeParse(value);
  return read.success ? ok(read.data) : fail(`line ${number}: ${z.prettifyError(read.error)}`);
}
