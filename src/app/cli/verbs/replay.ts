/** `ferrybot replay`: shows what the watch would have posted for a recorded trace or a plain log. */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createDiagnosis, type EndStatus } from '../../../diagnosis/diagnose.ts';
import { fail, type Instant, ok, type Result } from '../../../domain/values.ts';
import { type Replayed, replay } from '../../replay/replay.ts';
import { readTrace, type Trace } from '../../replay/trace.ts';
import { traceFromLog } from '../../replay/trace-of-log.ts';
import { EXIT, readLogLines, refuse, reply, usageError, type VerbIo } from '../verb-io.ts';

export type ReplayOptions = {
  readonly log?: string | undefined;
  readonly start?: Instant | undefined;
  readonly until?: Instant | undefined;
  readonly endStatus?: string | undefined;
};

const STATUSES = ['SUCCEEDED', 'FAILED', 'STOPPED', 'RUNNING'] as const;

/** Exit 0 after the replay, 1 if the input cannot be read. */
export async function replayVerb(io: VerbIo, path: string | undefined, options: ReplayOptions): Promise<number> {
  const { log, endStatus } = options;
  if ((path === undefined) === (log === undefined)) return usageError(io, 'replay takes a trace, or --log FILE');
  const status = STATUSES.find((one) => one === endStatus?.toUpperCase());
  if (endStatus !== undefined && status === undefined)
    return usageError(io, `--end-status is one of ${STATUSES.join(', ')}`);
  const isOption = options.start !== undefined || options.until !== undefined || status !== undefined;
  if (path !== undefined && isOption)
    return usageError(io, '--start, --until and --end-status belong to --log: a trace says them itself');
  const read =
    log === undefined
      ? await readTraceFile(resolve(io.cwd, path ?? ''))
      : await readTraceFromLog(io, log, options, status ?? null);
  if (!read.ok) return refuse(io, { code: 'unreadable', message: read.error });
  const replayed = await replay(read.value);
  reply(io, replayed, formatReplay(replayed));
  return EXIT.yes;
}

async function readTraceFile(path: string): Promise<Result<Trace, string>> {
  try {
    const read = readTrace(await readFile(path, 'utf8'));
    return read.ok ? read : fail(`${path}: ${read.error}`);
  } catch (error) {
    return unreadableError(error);
  }
}

async function readTraceFromLog(
  io: VerbIo,
  log: string,
  { start, until }: ReplayOptions,
  status: (typeof STATUSES)[number] | null,
): Promise<Result<Trace, string>> {
  try {
    const lines: string[] = [];
    const stream = log === '-' ? io.stdin : createReadStream(resolve(io.cwd, log));
    for await (const line of readLogLines(stream)) lines.push(line);
    const end = status === null ? findEndStatus(lines) : status === 'RUNNING' ? null : status;
    return ok(traceFromLog({ lines, start: start ?? null, until: until ?? null, end }));
  } catch (error) {
    return unreadableError(error);
  }
}

function unreadableError(error: unknown): Result<never, string> {
  if (error instanceof Error && 'syscall' in error) return fail(error.message);
  throw error;
}

/** Infers the end status from the log; null (still running) if the log does not show an end. */
function findEndStatus(lines: readonly string[]): EndStatus | null {
  const diagnosis = createDiagnosis();
  for (const line of lines) diagnosis.read(line);
  const { class: kind, confidence } = diagnosis.conclude(null);
  if (kind === 'unknown') return null;
  if (kind === 'benign') return confidence === 'high' ? 'SUCCEEDED' : null;
  return 'FAILED';
}

function formatReplay({ alarms, actions, finalState, undecided, observations }: Replayed): string {
  return [
    ...alarms.map(({ at, detector, why }) => `${at} ${detector}: ${why}\n`),
    ...actions.map(({ at, action, why }) => `${at} ${action} (${why})\n`),
    `${finalState} after ${observations} looks; ${alarms.length} alarms\n`,
    ...(undecided.length === 0
      ? []
      : [`without a witness: ${undecided.map(({ detector, missing }) => `${detector} (${missing})`).join(', ')}\n`]),
  ].join('');
}
