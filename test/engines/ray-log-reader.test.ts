/**
 * A job's log over a transport that resends everything, breaks off, stalls and forgets: each byte is
 * returned once.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { createLogReader, type LogReader, RAY_LOG_CHUNK_MS } from '../../src/engines/ray/rest/log-reader.ts';
import { type RestOptions, restSettings } from '../../src/engines/ray/rest/request.ts';
import type { Http } from '../../src/engines/shared/http.ts';
import { withText } from '../support/log-text.ts';

/** A head with one job: its log, how the log arrives, and how often it was requested. */
type Head = {
  log: string;
  /** Bytes of the JSON after which the whole log breaks off, once each. */
  breaks: number[];
  pieceBytes: number;
  status: number;
  wholeReads: number;
};

function headWith(log: string, changes: Partial<Head> = {}): Head {
  return { log, breaks: [], pieceBytes: 50_000, status: 200, wholeReads: 0, ...changes };
}

function httpOf(head: Head): Http {
  return async () => {
    head.wholeReads += 1;
    const json = Buffer.from(JSON.stringify({ logs: head.log }));
    const end = head.breaks.shift() ?? Number.POSITIVE_INFINITY;
    const text = head.status === 404 ? Buffer.from('Job job-1 does not exist') : json;
    const body = (async function* pieces(): AsyncIterableIterator<Uint8Array> {
      for (let at = 0; at < text.length; at += head.pieceBytes) {
        if (at >= end) throw new Error('socket hang up');
        yield text.subarray(at, Math.min(at + head.pieceBytes, end));
      }
      if (end < text.length) throw new Error('socket hang up');
    })();
    const contentType = head.status === 200 ? 'application/json' : 'text/plain';
    const answer = { status: head.status, contentType, body, hold: () => undefined, close: () => undefined };
    return { kind: 'answer', answer };
  };
}

function readerOf(head: Head, changes: Partial<RestOptions> = {}): LogReader {
  const address = 'http://ray.example:8265';
  const settings = restSettings({ address, token: null, http: httpOf(head), ...changes });
  return createLogReader(settings, 'job-1');
}

/** Reads until the reader reports the end, as one observation of the watch does. */
async function look(
  reader: LogReader,
  from: number,
): Promise<{ readonly text: string; readonly offset: number; readonly last: string }> {
  let text = '';
  let offset = from;
  for (;;) {
    const read = withText(await reader.read(offset));
    if (read.kind !== 'chunk') return { text, offset, last: read.kind };
    expect(read.offset).toBe(offset);
    expect(Buffer.byteLength(read.text)).toBe(read.nextOffset - offset);
    expect(read.nextOffset - offset).toBeLessThanOrEqual(limits.logChunkBytesMax);
    text += read.text;
    offset = read.nextOffset;
    if (read.atEnd) return { text, offset, last: 'end' };
  }
}

const LONG = Array.from({ length: 20_000 }, (_, line) => `line ${line} 🚀 of a log that is long\n`).join('');

describe('the log of a running job', () => {
  it('arrives in one answer, chunk by chunk, and needs a second request when the job goes on', async () => {
    const head = headWith(LONG);
    const reader = readerOf(head);
    const first = await look(reader, 0);
    expect(first.text === LONG).toBe(true);
    expect(head.wholeReads).toBe(1);
    head.log += 'more\n';
    const second = await look(reader, first.offset);
    expect(second.text).toBe('more\n');
    expect(head.wholeReads).toBe(2);
  });

  it('can be read again from its unfinished last line, and from the middle by another process', async () => {
    const head = headWith(LONG);
    const reader = readerOf(head);
    const first = await look(reader, 0);
    const again = withText(await reader.read(first.offset - 30));
    expect(again).toMatchObject({ kind: 'chunk', text: LONG.slice(-28) });
    const middle = Buffer.byteLength(LONG.slice(0, LONG.indexOf('line 11111')));
    const other = await look(readerOf(head), middle);
    expect(other.text.startsWith('line 11111 ')).toBe(true);
    expect(other.offset).toBe(first.offset);
  });

  it('continues after each broken connection', async () => {
    const head = headWith(LONG, { breaks: [100_000, 300_000, 500_000] });
    const reader = readerOf(head);
    let text = '';
    let offset = 0;
    for (let turn = 0; turn < 10 && text.length < LONG.length; turn += 1) {
      const part = await look(reader, offset);
      text += part.text;
      offset = part.offset;
    }
    expect(text === LONG).toBe(true);
  });

  it('is unknown when no byte arrives or the head fails, and absent when the head has no such job', async () => {
    const head = headWith(LONG, { breaks: Array.from({ length: 9 }, () => 0) });
    expect(withText(await readerOf(head).read(0))).toMatchObject({ kind: 'unknown' });
    expect(withText(await readerOf(headWith('', { status: 404 })).read(0))).toEqual({ kind: 'absent' });
    expect(withText(await readerOf(headWith('', { status: 500 })).read(0))).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('500'),
    });
  });

  it('that arrives slowly is returned as far as it came, and unknown when nothing new arrived', async () => {
    let nowMs = 0;
    const slow: Http = async (asked) => {
      const result = await httpOf(headWith(LONG, { pieceBytes: 1_009 }))(asked);
      if (result.kind === 'failed') return result;
      const body = (async function* drops(): AsyncIterableIterator<Uint8Array> {
        for await (const drop of result.answer.body) {
          nowMs += 2_000;
          yield drop;
        }
      })();
      return { kind: 'answer', answer: { ...result.answer, body } };
    };
    const reader = readerOf(headWith(LONG), { http: slow, elapsed: () => nowMs });
    const first = withText(await reader.read(0));
    if (first.kind !== 'chunk') throw new Error(first.kind);
    expect(LONG.startsWith(first.text)).toBe(true);
    expect(first).toMatchObject({ atEnd: false });
    expect(first.nextOffset).toBeGreaterThan(4_000);
    const second = withText(await reader.read(first.nextOffset));
    expect(second).toMatchObject({ kind: 'chunk', offset: first.nextOffset, atEnd: false });
    expect(nowMs).toBeLessThan(3 * RAY_LOG_CHUNK_MS);
    const blank: Http = async (asked) => {
      const result = await slow(asked);
      if (result.kind === 'failed') return result;
      const body = (async function* blanks(): AsyncIterableIterator<Uint8Array> {
        for (;;) {
          nowMs += 1_000;
          yield Buffer.from(' ');
        }
      })();
      return { kind: 'answer', answer: { ...result.answer, body } };
    };
    const empty = readerOf(headWith(LONG), { http: blank, elapsed: () => nowMs });
    expect(withText(await empty.read(0))).toEqual({ kind: 'unknown', message: 'the log comes too slowly' });
    empty.close();
    reader.close();
  });

  it('is reported as rewound when it is shorter than the offset', async () => {
    const head = headWith(LONG);
    const reader = readerOf(head);
    const { offset } = await look(reader, 0);
    head.log = 'begun anew\n';
    expect(withText(await reader.read(offset))).toEqual({ kind: 'rewound', sizeBytes: 11 });
    expect(await look(reader, 0)).toMatchObject({ text: 'begun anew\n' });
    expect(withText(await readerOf(head).read(offset))).toEqual({ kind: 'rewound', sizeBytes: 11 });
  });

  it('is returned exactly once, for any content and any cuts', async () => {
    const words = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 30 });
    const ways = fc.record({
      pieceBytes: fc.integer({ min: 1, max: 60 }),
      breaks: fc.array(fc.integer({ min: 12, max: 300 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(words, ways, async (parts, way) => {
        const head = headWith('', way);
        const reader = readerOf(head);
        let text = '';
        let offset = 0;
        for (const part of parts) {
          head.log += `${part.toWellFormed()}\n`;
          if (head.log.length % 3 === 0) continue;
          const seen = await look(reader, offset);
          text += seen.text;
          offset = seen.offset;
          expect(head.log.startsWith(text)).toBe(true);
        }
        for (let turn = 0; turn < 6 && text !== head.log; turn += 1) {
          const seen = await look(reader, offset);
          text += seen.text;
          offset = seen.offset;
        }
        expect(text).toBe(head.log);
      }),
      { numRuns: 60 },
    );
  });
});
