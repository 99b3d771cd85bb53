/** An engine that answers what it answered at that moment of a trace. */

import type { Engine, FoundJob, LogRead } from '../../domain/engine.ts';
import type { Instant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { completeUtf8Length } from '../../host/utf8-boundary.ts';
import type { TraceRecord } from './trace.ts';

/** What the watch asks of an engine; the records are those of one attempt, in the order of their times. */
export type RecordedEngine = Pick<Engine, 'name' | 'observe' | 'readLog'>;

/** `now`: the moment that the replay has come to. */
export function recordedEngine(records: readonly TraceRecord[], now: () => Instant): RecordedEngine {
  const lines = records.flatMap((one) => ('log' in one ? [one] : []));
  const answers = records.filter((one) => 'engine' in one);
  const log = Buffer.from(lines.map(({ log: line }) => `${line}\n`).join(''), 'utf8');
  const ends: number[] = [];
  for (const { log: line } of lines) ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(line, 'utf8') + 1);
  let shown = 0;
  return {
    name: 'trace',
    observe: async () => answerOf(answers, now()),
    readLog: async (_job, offset): Promise<LogRead> => {
      if (newest(answers, now()) === 'unreachable') return { kind: 'unknown', message: UNREACHABLE };
      while (shown < lines.length && (lines[shown]?.at ?? 0) <= now()) shown += 1;
      const size = ends[shown - 1] ?? 0;
      const piece = log.subarray(offset, Math.min(size, offset + limits.logChunkBytesMax));
      const bytes = Uint8Array.from(piece.subarray(0, completeUtf8Length(piece)));
      const nextOffset = offset + bytes.length;
      return { kind: 'chunk', bytes, offset, nextOffset, atEnd: nextOffset >= size };
    },
  };
}

const UNREACHABLE = 'the engine cannot be reached';

type EngineSays = Extract<TraceRecord, { engine: unknown }>['engine'];

function newest(records: readonly TraceRecord[], now: Instant): EngineSays | null {
  const said = records.findLast((one) => 'engine' in one && one.at <= now);
  return said !== undefined && 'engine' in said ? said.engine : null;
}

function answerOf(records: readonly TraceRecord[], now: Instant): Awaited<ReturnType<Engine['observe']>> {
  const said = newest(records, now);
  if (said === null) return found('PENDING', null);
  if (said === 'unreachable') return { kind: 'unknown', message: UNREACHABLE };
  if (said === 'absent') return { kind: 'absent', session: null };
  if (said === 'state-lost')
    return { kind: 'state-lost', session: 'another', message: 'the engine began anew' };
  const since = records.find((one) => 'engine' in one && one.engine === said)?.at ?? null;
  return { ...found(said.status, since), ...said };
}

function found(status: FoundJob['status'], since: Instant | null): FoundJob {
  const isOver = status !== 'PENDING' && status !== 'RUNNING';
  return {
    kind: 'found',
    status,
    message: '',
    errorType: null,
    exitCode: null,
    startedAtMs: null,
    endedAtMs: isOver ? since : null,
    metadata: null,
    session: null,
    details: {},
  };
}
