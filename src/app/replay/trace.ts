/** A recorded trace of a job: one JSON value per line (docs/traces.md). */

import { z } from 'zod';
import { DETECTOR_IDS, FAILURES, isTransient } from '../../domain/failure-class.ts';
import { lastEnded } from '../../domain/launch/next-attempt.ts';
import type { LogbookEvent } from '../../domain/logbook/define.ts';
import { foldEvent } from '../../domain/logbook/fold.ts';
import type { IssuedOrder, RunState, Submission } from '../../domain/logbook/run-state.ts';
import { TRACKER_SILENCES } from '../../domain/tracker.ts';
import { fail, fromRfc3339, type Instant, ok, type Result, toRfc3339 } from '../../domain/values.ts';

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

/** Without `rowAt`, the newest row gets the time of the question. */
const trackerSays = z.strictObject({
  run: z.string(),
  name: z.string().optional(),
  state: z.string().default('running'),
  globalStep: z.number().int().nullable().default(null),
  loss: z.string().nullable().default(null),
  metrics: z.record(z.string(), z.string()).default({}),
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
  /** Attempts after the first that need no separate approval. */
  restarts: z.number().int().min(0).default(3),
  /** Loss curves of the lane's last runs, for comparison. */
  lane: z
    .array(z.array(z.tuple([z.number().int(), z.string()])))
    .nullable()
    .default(null),
  /** Expected results for the regression suite; the replay ignores them. */
  expect: z
    .strictObject({
      alarms: z.array(z.strictObject({ detector: z.union([z.enum(DETECTOR_IDS), z.string()]), lawMetAt: time })),
      finalState: z.string().optional(),
      actions: z.array(z.string()).optional(),
    })
    .optional(),
});

const record = z.union([
  z.strictObject({ at: time, log: z.string() }),
  z.strictObject({ at: time, engine: z.union([engineSays, z.enum(['unreachable', 'absent', 'state-lost'])]) }),
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

/** Parses a trace and sorts its records by time; an error names the line. */
export function readTrace(text: string): Result<Trace, string> {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const told = lines.filter(({ line }) => line.trim() !== '');
  const [first, ...rest] = told;
  if (first === undefined) return fail('the trace is empty');
  const head = parseWith(header, first);
  if (!head.ok) return head;
  const records: TraceRecord[] = [];
  for (const line of rest) {
    const one = parseWith(record, line);
    if (!one.ok) return one;
    records.push(one.value);
  }
  return ok({ header: head.value, records: records.toSorted((a, b) => a.at - b.at) });
}

/** The first line of a trace. */
export function defaultHeader(submittedAt: string, about: string): TraceHeader {
  return header.parse({ trace: 1, about, submittedAt });
}

function parseWith<Schema extends z.ZodType>(
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

/** The state of the run right after its submission. */
export function createReplayRun({ submittedAt, checkpointMinutes, restarts }: TraceHeader): RunState {
  const at = toRfc3339(submittedAt);
  const data = {
    lane: 'replay',
    date: at.slice(0, 10),
    runName: 'replay',
    repository: 'replay/replay',
    issue: 1,
    pull: 1,
    baseBranch: 'main',
    headBranch: 'replay',
    experiment: '',
    objective: { kind: 'integration', text: '' },
    interval: { sinceCommit: null, sinceDate: at.slice(0, 10), fallback: true, lastRun: null },
    keys: [],
    request: null,
  };
  const head = { v: 1, run: 'replay', seq: 0, at, prev: '', keyId: '', hash: '', sig: '' };
  const begun = foldEvent(null, { ...head, type: 'proposed', role: 'control', data } as unknown as LogbookEvent);
  if (!begun.ok) throw new Error(`a replay cannot begin: ${begun.error.rule}`);
  return {
    ...begun.value,
    order: buildOrder(checkpointMinutes, restarts),
    submission: buildSubmission(submittedAt, 1),
  };
}

/** The run with the next attempt, which uses the same manifest. */
export function startNextAttempt(state: RunState, at: Instant, attempt: number): RunState {
  const past = lastEnded(state);
  return {
    ...state,
    attempts: past === null ? state.attempts : [...state.attempts, past],
    submission: buildSubmission(at, attempt),
    observation: null,
    firstEval: null,
    end: null,
    trace: [],
    losses: [],
    paces: [],
  };
}

function buildSubmission(at: Instant, attempt: number): Submission {
  return {
    attempt,
    engine: 'trace',
    jobId: `replay-${attempt}`,
    cluster: 'replay',
    command: [],
    commit: '0'.repeat(40),
    adopted: false,
    urls: {},
    details: {},
    at: toRfc3339(at),
    seq: 0,
  } as unknown as Submission;
}

/** Contains only the manifest values that detectors compare with. */
function buildOrder(temporaryEveryMinutes: number | null, restarts: number): IssuedOrder {
  const manifest = {
    command: [],
    resume: { roots: null },
    tracker: { kind: '', entity: '', project: '', runId: '' },
    retention: { permanentEverySteps: null, temporaryEveryMinutes, keepTemporary: null },
    envelope: { restarts, fixes: [], reductions: [], restartAfter: FAILURES.filter(isTransient) },
  };
  return { order: { digest: 'replay' }, status: 'submitted', manifest, claim: null } as unknown as IssuedOrder;
}
