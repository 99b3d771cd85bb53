/** A job's log over a transport that sends everything again, breaks off, stalls and forgets: each byte is handed on once. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { type RestOptions, restSettings } from '../../src/engines/ray/rest/ask.ts';
import {
  createLogReader,
  type LogReader,
  RAY_TAIL_TRIES_MAX,
} from '../../src/engines/ray/rest/log-reader.ts';
import { RAY_LOG_CHUNK_MS } from '../../src/engines/ray/rest/log-source.ts';
import type { TailOpener } from '../../src/engines/ray/rest/tail-socket.ts';
import type { Http } from '../../src/engines/shared/http.ts';
import { withText } from '../support/log-text.ts';

/** A head with one job: its log, how both ways to it behave, and what was asked. */
type Head = {
  log: string;
  /** Bytes of the JSON after which the whole log breaks off; once each. */
  breaks: number[];
  pieceBytes: number;
  tail: 'works' | 'refused' | 'too-long' | 'closes-early' | 'silent';
  frameChars: number;
  status: number;
  wholeReads: number;
  tailsOpened: number;
  tailsOpen: number;
};

function headWith(log: string, changes: Partial<Head> = {}): Head {
  const usual = { pieceBytes: 50_000, tail: 'works', frameChars: 900, status: 200 } as const;
  return { log, breaks: [], ...usual, wholeReads: 0, tailsOpened: 0, tailsOpen: 0, ...changes };
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

function tailOf(head: Head): TailOpener {
  return (_request, events) => {
    head.tailsOpened += 1;
    head.tailsOpen += 1;
    let sent = 0;
    let isPaused = false;
    let isOpen = true;
    const close = (reason: string | null): void => {
      if (!isOpen) return;
      isOpen = false;
      head.tailsOpen -= 1;
      events.onClosed(reason);
    };
    const pump = (): void => {
      if (!isOpen) return;
      if (head.tail === 'refused') close('Unexpected server response: 400');
      else if (head.tail === 'too-long' && sent > 0) close('Max payload size exceeded');
      else if (head.tail === 'closes-early' && sent > head.log.length / 2) close(null);
      if (!isOpen || isPaused || head.tail === 'silent' || sent >= head.log.length) return;
      const cut = head.log.slice(sent, sent + head.frameChars);
      const frame = cut.isWellFormed() ? cut : head.log.slice(sent, sent + head.frameChars + 1);
      sent += frame.length;
      events.onText(Buffer.from(frame));
      setImmediate(pump);
    };
    setImmediate(pump);
    return {
      pause: () => {
        isPaused = true;
      },
      resume: () => {
        isPaused = false;
        setImmediate(pump);
      },
      hold: () => undefined,
      close: () => {
        if (isOpen) head.tailsOpen -= 1;
        isOpen = false;
      },
    };
  };
}

function readerOf(head: Head, changes: Partial<RestOptions> = {}): LogReader {
  const address = 'http://ray.example:8265';
  const settings = restSettings({
    address,
    token: null,
    tailFirstMs: 20,
    tailQuietMs: 20,
    http: httpOf(head),
    openTail: tailOf(head),
    ...changes,
  });
  return createLogReader(settings, 'job-1');
}

/** Reads on until the reader says that this is all, as one look of the watch does. */
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
  it('comes over one socket, once, while the job goes on', async () => {
    const head = headWith(LONG);
    const reader = readerOf(head);
    const first = await look(reader, 0);
    expect(first.text === LONG).toBe(true);
    head.log += 'more\n';
    // The socket of this test does not poll; a resumed one does.
    const second = await look(reader, first.offset);
    expect(second.text).toBe('more\n');
    expect(head).toMatchObject({ tailsOpened: 1, wholeReads: 0 });
  });

  it('is asked for again from its unfinished last line, and from the middle by another process', async () => {
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

  it.each(['refused', 'too-long', 'closes-early', 'silent'] as const)(
    'comes whole, and once, where the socket is %s',
    async (tail) => {
      const head = headWith(LONG, { tail });
      const reader = readerOf(head);
      const first = await look(reader, 0);
      expect(first).toMatchObject({ offset: Buffer.byteLength(LONG), last: 'end' });
      expect(first.text === LONG).toBe(true);
      head.log += 'more\n';
      expect(await look(reader, first.offset)).toMatchObject({ text: 'more\n', last: 'end' });
    },
  );

  it('is not tried over a socket for ever', async () => {
    const head = headWith('x\n', { tail: 'refused' });
    const reader = readerOf(head);
    for (let turn = 0; turn < 10; turn += 1) withText(await reader.read(0));
    expect(head.tailsOpened).toBe(RAY_TAIL_TRIES_MAX);
  });

  it('goes on where it broke off', async () => {
    const head = headWith(LONG, { tail: 'refused', breaks: [100_000, 300_000, 500_000] });
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

  it('is unknown where nothing of it comes, and absent where the head has no such job', async () => {
    const head = headWith(LONG, { tail: 'refused', breaks: Array.from({ length: 9 }, () => 0) });
    expect(withText(await readerOf(head).read(0))).toMatchObject({ kind: 'unknown' });
    expect(withText(await readerOf(headWith('', { status: 404, tail: 'refused' })).read(0))).toEqual({
      kind: 'absent',
    });
    expect(withText(await readerOf(headWith('', { status: 500, tail: 'refused' })).read(0))).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('500'),
    });
  });

  it('is handed on in time though the job never pauses', async () => {
    let nowMs = 0;
    const head = headWith('');
    let say = (_text: string): void => undefined;
    const chatty: TailOpener = (_request, events) => {
      let isOpen = true;
      const talk = (): void => {
        if (!isOpen) return;
        nowMs += 400;
        say('another line\n');
        setImmediate(talk);
      };
      say = (text) => events.onText(Buffer.from(text));
      setImmediate(talk);
      const close = (): void => {
        isOpen = false;
      };
      return { pause: () => undefined, resume: () => undefined, hold: () => undefined, close };
    };
    const reader = readerOf(head, { openTail: chatty, elapsed: () => nowMs });
    const read = withText(await reader.read(0));
    expect(read).toMatchObject({ kind: 'chunk', atEnd: true });
    expect(nowMs).toBeLessThan(RAY_LOG_CHUNK_MS + 5_000);
    reader.close();
  });

  it('that comes drop by drop is handed on as far as it came, and unknown where nothing new came', async () => {
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
    const reader = readerOf(headWith(LONG, { tail: 'refused' }), { http: slow, elapsed: () => nowMs });
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
    const empty = readerOf(headWith(LONG, { tail: 'refused' }), { http: blank, elapsed: () => nowMs });
    expect(withText(await empty.read(0))).toEqual({ kind: 'unknown', message: 'the log comes too slowly' });
    empty.close();
    reader.close();
  });

  it('is rewound when there is less of it than was read: it was cut short behind our back', async () => {
    const head = headWith(LONG);
    const reader = readerOf(head);
    const { offset } = await look(reader, 0);
    head.log = 'begun anew\n';
    expect(withText(await reader.read(offset))).toEqual({ kind: 'rewound', sizeBytes: 11 });
    expect(await look(reader, 0)).toMatchObject({ text: 'begun anew\n' });
    expect(withText(await readerOf(head).read(offset))).toEqual({ kind: 'rewound', sizeBytes: 11 });
  });

  it('ends exactly, read whole, when the job has ended', async () => {
    const head = headWith(LONG, { tail: 'closes-early' });
    const reader = readerOf(head);
    reader.markEnded();
    expect(await look(reader, 0)).toMatchObject({ offset: Buffer.byteLength(LONG), last: 'end' });
    expect(head).toMatchObject({ tailsOpened: 0, wholeReads: 1 });
  });

  it('lets the socket go when it is closed', async () => {
    const head = headWith(LONG);
    const reader = readerOf(head);
    await look(reader, 0);
    expect(head.tailsOpen).toBe(1);
    reader.close();
    expect(head.tailsOpen).toBe(0);
  });

  it('is handed on once, whatever it says, wherever it is cut, whichever way it comes', async () => {
    const words = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 30 });
    const ways = fc.record({
      tail: fc.constantFrom<Head['tail']>('works', 'refused', 'too-long', 'closes-early'),
      frameChars: fc.integer({ min: 1, max: 30 }),
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
        reader.markEnded();
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
