/** A log store that begins anew with the same lines in it, and lines that come after the end was told: each is given once. */

import { expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { irisLimits } from '../../src/engines/iris/limits.ts';
import { createIrisLogReader, GAP, HEADLESS } from '../../src/engines/iris/log-reader.ts';
import { irisConfig } from '../support/iris-config.ts';
import { wireTo } from '../support/iris-http.ts';
import type { RecordedIris } from '../support/recorded-iris.ts';

const LOGS = 'finelog.logging.LogService/FetchLogs';
const BEGIN = 'ferrybot begin job-1:0';

/** `key`: the task's attempt that said it, or another job's; `ms`: when. */
type Line = string | { readonly data: string; readonly key?: string; readonly ms?: number };

/** One log server: lines get their numbers as they come; `again` is another process that reads these lines from its disk. */
function openStore({ perRequest = 10_000, setupCommands = [] as readonly string[] } = {}) {
  let lines: Line[] = [];
  let process = { pid: 1, beganAtMs: 0 };
  let nowMs = 1_000_000;
  const later: Line[][] = [];
  let pauses = 0;
  let requests = 0;
  let isTailDown = false;
  const answer: RecordedIris['answer'] = (method, body) => {
    if (method !== LOGS) {
      const processInfo = { hostname: 'head', pid: process.pid, uptimeMs: String(nowMs - process.beganAtMs) };
      return { status: 200, body: { processInfo } };
    }
    const { cursor = 0, maxLines, tail = false } = JSON.parse(body);
    if (tail && isTailDown) return { status: 503, body: { code: 'unavailable', message: '' } };
    requests += 1;
    const all = lines.map((line, at) => {
      const { data, key = '/alice/job-1/0:0', ms = 5 } = typeof line === 'string' ? { data: line } : line;
      return { data, key, timestamp: { epochMs: String(ms) }, at: at + 1 };
    });
    const most = Math.min(maxLines, perRequest);
    const given = tail ? all.slice(-most) : all.filter(({ at }) => at > cursor).slice(0, most);
    return {
      status: 200,
      body: {
        entries: given.map(({ at: _, ...entry }) => entry),
        cursor: String(given.at(-1)?.at ?? (tail ? 0 : cursor)),
      },
    };
  };
  const { http } = wireTo({ answer } as RecordedIris);
  const cluster = irisConfig({ setupCommands: [...setupCommands] });
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
    say: (...more: readonly Line[]) => lines.push(...more),
    again: (...kept: readonly Line[]) => {
      lines = [...kept];
      process = { pid: process.pid + 1, beganAtMs: nowMs };
    },
    /** What comes in each pause of the reader. */
    later,
    pauses: () => pauses,
    /** For lines. */
    requests: () => requests,
    /** The server answers no question for its end. */
    tailDown: () => {
      isTailDown = true;
    },
    markEnded: reader.markEnded,
    look: reader.read,
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
  // One for each line that came, and one that brought nothing.
  expect(pauses).toBe(3);
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

it('tells lines apart by when they were said, by which attempt, and by what they say', async () => {
  const store = openStore();
  store.say(BEGIN, 'tick');
  const text = await store.read(0);
  // The old ones are lost: each of these is new, by one of the three things that tell a line.
  store.again({ data: 'tick', ms: 6 }, { data: 'tick', key: '/alice/job-1/0:1' }, 'tock');
  expect(await store.read(Buffer.byteLength(text))).toBe(said(GAP, 'tick', 'tick', 'tock'));
});

it('says once that the beginning is missing', async () => {
  const store = openStore();
  store.say('late');
  const text = await store.read(0);
  expect(text).toBe(said('late', HEADLESS));
  expect(await store.read(Buffer.byteLength(text))).toBe('');
});

it('is unknown where nobody says whether the store began anew', async () => {
  const store = openStore();
  store.say(BEGIN);
  store.tailDown();
  expect(await store.look(0)).toMatchObject({ kind: 'unknown' });
});

it('takes no line of another job, whatever a server makes of the name', async () => {
  const store = openStore();
  const others = ['/ALICE/JOB-1/0:0', '/alice/job-10/0:0'].map((key) => ({ data: 'of another', key }));
  store.say(BEGIN, ...others, 'own');
  expect(await store.read(0)).toBe(said(BEGIN, 'own'));
});

it('misses no beginning where a task is set up first, which speaks before the job does', async () => {
  const store = openStore({ setupCommands: ['uv sync'] });
  store.say('resolving');
  expect(await store.read(0)).toBe(said('resolving'));
});

it('gives a long log in pieces that end with whole signs, and says of the last alone that it is', async () => {
  const store = openStore({ perRequest: 2 });
  const most = limits.logChunkBytesMax;
  // The piece ends in the middle of a sign of two bytes, and there is more behind it.
  store.say(BEGIN, `${'x'.repeat(most - BEGIN.length - 2)}é`, 'y'.repeat(most), 'end');
  const first = await store.look(0);
  if (first.kind !== 'chunk') throw new Error(`the log is ${first.kind}`);
  expect([first.nextOffset, first.atEnd]).toEqual([most - 1, false]);
  // What is not given yet is not read yet.
  expect(store.requests()).toBe(1);
  let text = Buffer.from(first.bytes).toString('utf8');
  for (let at = first.nextOffset, isLast = false; !isLast; ) {
    const next = await store.look(at);
    if (next.kind !== 'chunk') throw new Error(`the log is ${next.kind}`);
    text += Buffer.from(next.bytes).toString('utf8');
    [at, isLast] = [next.nextOffset, next.atEnd];
  }
  expect(text.endsWith(said('end'))).toBe(true);
  expect(text).not.toContain('\u{fffd}');
});

it('goes on at the next look where a log is longer than one may read', async () => {
  const store = openStore({ perRequest: 1 });
  const lines = Array.from({ length: irisLimits.requestsPerRead + 10 }, (_, index) => `line ${index}`);
  store.say(BEGIN, ...lines);
  expect(await store.look(0)).toMatchObject({
    kind: 'unknown',
    message: expect.stringMatching(/longer than/),
  });
  expect(await store.read(0)).toBe(said(BEGIN, ...lines));
});
