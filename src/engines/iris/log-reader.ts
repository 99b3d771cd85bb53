/** The log of one job as bytes that keep their places, out of entries whose numbers do not. */

import { hash } from 'node:crypto';
import type { LogRead } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { type Unknown, unknownBecause } from '../shared/acts.ts';
import { createLogWindow, type LogWindow } from '../shared/log-window.ts';
import {
  ask,
  type IrisSettings,
  irisIdOf,
  irisLimits,
  type LogEntry,
  logsAnswer,
  statusAnswer,
} from './ask.ts';
import { FINAL } from './job-state.ts';
import { type IrisProcess, isSameProcess, readProcess } from './observe.ts';
import { saysBegin } from './wrapper.ts';

export type IrisLogReader = (offset: number) => Promise<LogRead>;

/** What stands in the log where lines may be missing. */
export const GAP = 'ferrybot: the log server of Iris began anew: lines that it had not kept are missing here';
export const HEADLESS =
  'ferrybot: the beginning of this log is missing: the log server of Iris began anew before it was read';

type Reading = {
  /** Exclusive, of the whole store; it means nothing after the store began anew. */
  cursor: number;
  process: IrisProcess | null;
  /** How often each line was given; several may be alike to the millisecond. */
  readonly known: Map<string, number>;
  /** The same while the store is read again from its beginning; null: it is not. */
  again: Map<string, number> | null;
  readonly window: LogWindow;
  hasBegun: boolean;
  isFirstPassOver: boolean;
  /** Its last lines were waited for. */
  isSettled: boolean;
};

/** A reader that goes on where it was; one of another process reads from the first line on. */
export function createIrisLogReader(settings: IrisSettings, jobId: string): IrisLogReader {
  let reading = fresh();
  return async (offset) => {
    if (offset < reading.window.start()) reading = fresh();
    const problem = await readOn(settings, jobId, reading, offset);
    if (problem !== null) return problem;
    const { window } = reading;
    return offset > window.end() ? { kind: 'rewound', sizeBytes: window.end() } : window.chunk(offset, true);
  };
}

function fresh(): Reading {
  return {
    cursor: 0,
    process: null,
    known: new Map(),
    again: null,
    window: createLogWindow(),
    hasBegun: false,
    isFirstPassOver: false,
    isSettled: false,
  };
}

/** Reads until there is a chunk behind `offset`, or nothing new. */
async function readOn(
  settings: IrisSettings,
  jobId: string,
  reading: Reading,
  offset: number,
): Promise<Unknown | null> {
  const process = await readProcess(settings);
  if (process.kind === 'unknown') return process;
  if (reading.process !== null && !isSameProcess(reading.process, process)) beginAnew(reading);
  reading.process = process;
  let empty = 0;
  for (let request = 0; request < irisLimits.requestsPerRead; request += 1) {
    if (reading.window.end() - offset > limits.logChunkBytesMax) return null;
    const entries = await nextEntries(settings, jobId, reading);
    if ('kind' in entries) return entries;
    if (entries.length > 0) {
      empty = 0;
      reading.window.forget(Math.min(offset, reading.window.end()));
      continue;
    }
    empty += 1;
    const isOlder = await storeBeganAnew(settings, jobId, reading);
    if (typeof isOlder !== 'boolean') return isOlder;
    if (isOlder) {
      beginAnew(reading);
      continue;
    }
    passIsOver(settings, reading);
    // The state is told before the last lines: twice nothing, a second apart.
    reading.isSettled ||= empty >= 2;
    if (reading.isSettled || !(await hasEnded(settings, jobId))) return null;
    await settings.sleep(irisLimits.lastLinesPauseMs);
  }
  return unknownBecause('the log is longer than one look can read: the next one goes on');
}

async function hasEnded(settings: IrisSettings, jobId: string): Promise<boolean> {
  const answer = await ask(settings, 'status', { jobId: irisIdOf(settings, jobId) }, statusAnswer);
  return answer.kind === 'said' && FINAL.has(answer.value.job.state);
}

async function nextEntries(
  settings: IrisSettings,
  jobId: string,
  reading: Reading,
): Promise<readonly LogEntry[] | Unknown> {
  const { cursor } = reading;
  const body = { ...sourceOf(settings, jobId), cursor, maxLines: irisLimits.linesPerRequest };
  const answer = await ask(settings, 'logs', body, logsAnswer);
  if (answer.kind !== 'said') return unknownBecause(answer.message);
  const { entries } = answer.value;
  if (entries.length > 0) reading.cursor = answer.value.cursor;
  const own = entries.filter(({ key }) => key.startsWith(`${irisIdOf(settings, jobId)}/`));
  take(
    reading,
    own.flatMap((entry) => (isNew(reading, entry) ? [entry.data] : [])),
    jobId,
  );
  return entries;
}

/** An empty answer is given beyond the end too, and without a word: a store that ends before our place is another one. */
async function storeBeganAnew(
  settings: IrisSettings,
  jobId: string,
  { cursor }: Reading,
): Promise<boolean | Unknown> {
  if (cursor === 0) return false;
  const answer = await ask(
    settings,
    'logs',
    { ...sourceOf(settings, jobId), tail: true, maxLines: 1 },
    logsAnswer,
  );
  if (answer.kind !== 'said') return unknownBecause(answer.message);
  return answer.value.cursor < cursor;
}

function sourceOf(settings: IrisSettings, jobId: string): object {
  // The slash: without it Iris reads the jobs whose names only begin so as well.
  return { source: `${irisIdOf(settings, jobId)}/`, matchScope: 'MATCH_SCOPE_PREFIX' };
}

function beginAnew(reading: Reading): void {
  if (reading.window.end() > 0) take(reading, [GAP], '');
  reading.cursor = 0;
  reading.again = new Map();
  reading.isSettled = false;
}

/** Lines are known by where they stood, when, and what they say; of several alike the store gives as many again. */
function isNew(reading: Reading, { key, timestamp, data }: LogEntry): boolean {
  // A digest: a long log has millions of lines.
  const name = hash('sha1', `${key}\n${timestamp ?? ''}\n${data}`, 'base64');
  const count = (map: Map<string, number>): number => {
    const next = (map.get(name) ?? 0) + 1;
    map.set(name, next);
    return next;
  };
  if (reading.again === null) {
    count(reading.known);
    return true;
  }
  if (count(reading.again) <= (reading.known.get(name) ?? 0)) return false;
  count(reading.known);
  return true;
}

function take(reading: Reading, lines: readonly string[], jobId: string): void {
  if (lines.length === 0) return;
  if (jobId !== '') reading.hasBegun ||= lines.some((line) => saysBegin(line, jobId));
  reading.window.add(Buffer.from(lines.map((line) => `${line}\n`).join('')));
}

/** The first time that all was read: what does not begin with the job's own beginning has lost it. */
function passIsOver(settings: IrisSettings, reading: Reading): void {
  if (reading.isFirstPassOver || reading.window.end() === 0) return;
  reading.isFirstPassOver = true;
  // What sets the task up may speak before the job does.
  if (!reading.hasBegun && settings.cluster.setupCommands.length === 0) take(reading, [HEADLESS], '');
}
