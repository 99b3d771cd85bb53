/** Reads the log of one job as bytes with stable offsets, from the entries of Iris's log server. */

import type { LogRead } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { createLogWindow, type LogWindow } from '../shared/job-files.ts';
import { type Unknown, unknownOutcome } from '../shared/kit.ts';
import { FINAL } from './job-state.ts';
import { type IrisProcess, readProcess } from './observe.ts';
import { buildIrisId, call, type IrisSettings, irisLimits, logsAnswer, statusAnswer } from './request.ts';

export type IrisLogReader = (offset: number) => Promise<LogRead>;

type LogPosition = {
  /** Exclusive position in the whole log store. A restart of the store invalidates it. */
  cursor: number;
  process: IrisProcess | null;
  readonly window: LogWindow;
  /** Whether the reader has waited for the last lines. */
  isSettled: boolean;
};

/**
 * A reader that continues at its last position; a reader in another process starts at the first line. A restarted log server
 * has other positions: the log is then `rewound`, and the caller reads what the server kept from the start.
 */
export function createIrisLogReader(settings: IrisSettings, jobId: string): IrisLogReader {
  let reading = freshReading();
  return async (offset) => {
    if (offset < reading.window.start()) reading = freshReading();
    const problem = await readNextEntries(settings, jobId, reading, offset);
    if (problem?.kind === 'rewound') reading = freshReading();
    if (problem !== null) return problem;
    const { window } = reading;
    return offset > window.end() ? { kind: 'rewound', sizeBytes: window.end() } : window.chunk(offset, true);
  };
}

function freshReading(): LogPosition {
  return { cursor: 0, process: null, window: createLogWindow(), isSettled: false };
}

/** Reads until there is a chunk after `offset`, or no new lines. */
async function readNextEntries(
  settings: IrisSettings,
  jobId: string,
  reading: LogPosition,
  offset: number,
): Promise<Unknown | typeof REWOUND | null> {
  const process = await readProcess(settings);
  if (process.kind === 'unknown') return process;
  if (reading.process !== null && !isSameProcess(reading.process, process)) return REWOUND;
  reading.process = process;
  let empty = 0;
  for (let request = 0; request < irisLimits.requestsPerRead; request += 1) {
    if (reading.window.end() - offset > limits.logChunkBytesMax) return null;
    const count = await readEntries(settings, jobId, reading);
    if (typeof count !== 'number') return count;
    if (count > 0) {
      empty = 0;
      reading.window.forget(Math.min(offset, reading.window.end()));
      continue;
    }
    empty += 1;
    const isOther = await hasStoreRestarted(settings, jobId, reading);
    if (typeof isOther !== 'boolean') return isOther;
    if (isOther) return REWOUND;
    // Iris reports the state before the last lines, so wait for two empty answers a second apart.
    reading.isSettled ||= empty >= 2;
    if (reading.isSettled || !(await hasEnded(settings, jobId))) return null;
    await settings.sleep(irisLimits.lastLinesPauseMs);
  }
  return unknownOutcome('the log is longer than one look can read: the next one goes on');
}

const REWOUND = { kind: 'rewound', sizeBytes: 0 } as const;

async function hasEnded(settings: IrisSettings, jobId: string): Promise<boolean> {
  const answer = await call(settings, 'status', { jobId: buildIrisId(settings, jobId) }, statusAnswer);
  return answer.kind === 'said' && FINAL.has(answer.value.job.state);
}

/** Adds the next lines of the job. Returns the number of received entries. */
async function readEntries(settings: IrisSettings, jobId: string, reading: LogPosition): Promise<number | Unknown> {
  const { cursor } = reading;
  const body = { ...logSource(settings, jobId), cursor, maxLines: irisLimits.linesPerRequest };
  const answer = await call(settings, 'logs', body, logsAnswer);
  if (answer.kind !== 'said') return unknownOutcome(answer.message);
  const { entries } = answer.value;
  if (entries.length > 0) reading.cursor = answer.value.cursor;
  const own = entries.filter(({ key }) => key.startsWith(`${buildIrisId(settings, jobId)}/`));
  reading.window.add(Buffer.from(own.map(({ data }) => `${data}\n`).join('')));
  return entries.length;
}

/** Answers beyond the end of the store are also empty. A store that ends before our position has restarted. */
async function hasStoreRestarted(
  settings: IrisSettings,
  jobId: string,
  { cursor }: LogPosition,
): Promise<boolean | Unknown> {
  if (cursor === 0) return false;
  const body = { ...logSource(settings, jobId), tail: true, maxLines: 1 };
  const answer = await call(settings, 'logs', body, logsAnswer);
  if (answer.kind !== 'said') return unknownOutcome(answer.message);
  return answer.value.cursor < cursor;
}

function logSource(settings: IrisSettings, jobId: string): object {
  // Without the trailing slash, Iris also reads jobs with names that start with this one.
  return { source: `${buildIrisId(settings, jobId)}/`, matchScope: 'MATCH_SCOPE_PREFIX' };
}

/** Whether both are the same controller process, by host, pid and start time. */
function isSameProcess(a: IrisProcess, b: IrisProcess): boolean {
  return a.processKey === b.processKey && Math.abs(a.startedAtMs - b.startedAtMs) <= irisLimits.uptimeSlackMs;
}
