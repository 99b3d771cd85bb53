/** A log store that begins anew with the same lines in it, and lines that come after the end was told: each is given once. */

import { expect, it } from 'vitest';
import { createIrisLogReader, GAP } from '../../src/engines/iris/log-reader.ts';
import { irisConfig } from '../support/iris-config.ts';
import { wireTo } from '../support/iris-http.ts';
import type { RecordedIris } from '../support/recorded-iris.ts';

const LOGS = 'finelog.logging.LogService/FetchLogs';
const BEGIN = 'ferrybot begin job-1:0';

/** One log server: lines get their numbers as they come; `again` is another process that reads these lines from its disk. */
function openStore() {
  let lines: string[] = [];
  let process = { pid: 1, beganAtMs: 0 };
  let nowMs = 1_000_000;
  const later: string[][] = [];
  let pauses = 0;
  const answer: RecordedIris['answer'] = (method, body) => {
    if (method !== LOGS) {
      const processInfo = { hostname: 'head', pid: process.pid, uptimeMs: String(nowMs - process.beganAtMs) };
      return { status: 200, body: { processInfo } };
    }
    const { cursor = 0, maxLines, tail = false } = JSON.parse(body);
    const all = lines.map((data, at) => ({
      data,
      key: '/alice/job-1/0',
      timestamp: { epochMs: '5' },
      at: at + 1,
    }));
    const given = tail ? all.slice(-maxLines) : all.filter(({ at }) => at > cursor).slice(0, maxLines);
    return {
      status: 200,
      body: {
        entries: given.map(({ at: _, ...entry }) => entry),
        cursor: String(given.at(-1)?.at ?? (tail ? 0 : cursor)),
      },
    };
  };
  const { http } = wireTo({ answer } as RecordedIris);
  const cluster = irisConfig();
  const sleep = async (durationMs: number): Promise<void> => {
    pauses += 1;
    nowMs += durationMs;
    lines.push(...(later.shift() ?? []));
  };
  const address = 'http://127.0.0.1:1/';
  const reader = createIrisLogReader(
    { cluster, address, token: null, http, now: () => nowMs, sleep },
    'job-1',
  );
  return {
    say: (...more: readonly string[]) => lines.push(...more),
    again: (...kept: readonly string[]) => {
      lines = [...kept];
      process = { pid: process.pid + 1, beganAtMs: nowMs };
    },
    /** What comes in each pause of the reader. */
    later,
    pauses: () => pauses,
    markEnded: reader.markEnded,
    read: async (offset: number): Promise<string> => {
      const read = await reader.read(offset);
      if (read.kind !== 'chunk') throw new Error(`the log is ${read.kind}`);
      return Buffer.from(read.bytes).toString('utf8');
    },
  };
}

const said = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

it('gives what a store has again only where there is more of it than before, each time that it begins anew', async () => {
  const store = openStore();
  store.say(BEGIN, 'a', 'b', 'b', 'c');
  let text = await store.read(0);
  expect(text).toBe(said(BEGIN, 'a', 'b', 'b', 'c'));
  const reads = async (expected: string): Promise<void> => {
    expect(await store.read(Buffer.byteLength(text))).toBe(expected);
    text += expected;
  };
  store.again(BEGIN, 'a', 'b', 'b', 'c', 'b', 'd');
  await reads(said(GAP, 'b', 'd'));
  store.again(BEGIN, 'a', 'b', 'b', 'c', 'b', 'd', 'e');
  await reads(said(GAP, 'e'));
});

it('says nothing of missing lines where none was ever read', async () => {
  const store = openStore();
  expect(await store.read(0)).toBe('');
  store.again(BEGIN, 'a');
  expect(await store.read(0)).toBe(said(BEGIN, 'a'));
});

it('waits for the last lines of a job that has ended until two pauses brought none, and then never again', async () => {
  const store = openStore();
  store.say(BEGIN, 'a');
  store.markEnded();
  store.later.push(['late'], ['later']);
  expect(await store.read(0)).toBe(said(BEGIN, 'a', 'late', 'later'));
  const pauses = store.pauses();
  expect(await store.read(5)).toContain('later');
  expect(store.pauses()).toBe(pauses);
});

it('waits again where the store began anew after the end, and where the log is read from its beginning', async () => {
  const store = openStore();
  const long = 'x'.repeat(100_000);
  store.say(BEGIN, long);
  store.markEnded();
  const text = await store.read(0);
  const before = store.pauses();
  store.again(BEGIN, long);
  store.later.push(['late']);
  const more = await store.read(Buffer.byteLength(text));
  expect(more).toBe(said(GAP, 'late'));
  const after = store.pauses();
  expect(after).toBeGreaterThan(before);
  store.later.push(['later']);
  expect(await store.read(0)).toBe(said(BEGIN, long, 'late', 'later'));
});
