/** Reads a log file the way Ray's Jobs API would, and the log of a job that wrote invalid UTF-8. */

import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { createFileLogReader } from '../../src/engines/ray/rest/log-reader.ts';
import type { Http } from '../../src/engines/shared/http.ts';
import { submitTo } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';
import { createRecordedRay, type RecordedRay } from '../support/recorded-ray.ts';
import { serveRecordedRay } from '../support/serve-recorded-ray.ts';

/** Reads the file in pieces of the given sizes, over and over. */
function readInPieces(bytes: Uint8Array, sizes: readonly number[]): Buffer {
  const reader = createFileLogReader();
  const out: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    out.push(reader.read(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...out, reader.end()]);
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
const piece = fc.constantFrom(...['\r\n', '\r', '\n', 'a', 'é', '🚢', '\0'].map((text) => Buffer.from(text)));
const noise = fc.constantFrom(Buffer.of(0xff), Buffer.of(0xe9), Buffer.of(0xf0, 0x9f), Buffer.of(0x80));

describe('the reader of a log file', () => {
  it("returns the text that Python's text mode would return, wherever the file is cut", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), sizes, (parts, cuts) => {
        const file = Buffer.concat(parts);
        expect(readInPieces(file, cuts).toString()).toBe(file.toString().replace(/\r\n?/g, '\n'));
      }),
    );
  });

  it('returns valid UTF-8 for any bytes, and the same text wherever the file is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, noise), { maxLength: 40 }), sizes, (parts, cuts) => {
        const file = Buffer.concat([...parts, Buffer.from('.')]);
        const text = readInPieces(file, cuts);
        expect(isUtf8(text)).toBe(true);
        expect(text.equals(readInPieces(file, [file.length]))).toBe(true);
      }),
    );
  });
});

describe('a job that writes invalid UTF-8', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  const started = async (change: { readonly http?: (ray: RecordedRay) => Http } = {}): Promise<Engine> => {
    const bytes = Buffer.from('bar 1\rbar 2\r\ncaf\xe9 \xff\nValueError: over\n', 'latin1');
    const ray = createRecordedRay({
      now: () => 0,
      plan: () => ({ pendingMs: 0, endAfterMs: null, exitCode: 0, log: 'up\n', bytes }),
    });
    const served = await serveRecordedRay(ray);
    closers.push(served.close);
    const options = { address: served.address, token: ray.token, sleep: async () => undefined };
    const engine = createRestEngine(options);
    await submitTo(engine, {
      submissionId: 'job-1',
      command: ['python', 'train.py'],
      env: {},
      workingDirectory: import.meta.dirname,
      metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
    });
    return change.http === undefined ? engine : createRestEngine({ ...options, http: change.http(ray) });
  };

  it("has a readable log that is read from the file with the text's offsets", async () => {
    const engine = await started();
    const first = await readText(engine, 'job-1', 0);
    if (first.kind !== 'chunk') throw new Error(JSON.stringify(first));
    expect(first.text).toMatch(/up\nbar 1\nbar 2\ncaf\? \?\nValueError: over\n$/);
    expect(first.nextOffset).toBe(Buffer.byteLength(first.text));
    expect(first.atEnd).toBe(true);
    expect(await readText(engine, 'job-1', first.nextOffset)).toMatchObject({ text: '', atEnd: true });
    expect(await engine.observe('job-1', null)).toMatchObject({ status: 'RUNNING' });
  });

  it.each<[string, (ray: RecordedRay) => Http, string]>([
    [
      'with a file that the head does not return',
      (ray) => (asked) => {
        if (asked.url.pathname.endsWith('/file')) asked.url.searchParams.set('node_id', 'another');
        return ray.http(asked);
      },
      'no file either: 500',
    ],
    [
      'behind a proxy that returns a page instead',
      (ray) => async (asked) => {
        const result = await ray.http(asked);
        if (result.kind === 'failed' || !asked.url.pathname.endsWith('/file')) return result;
        return { kind: 'answer', answer: { ...result.answer, contentType: 'text/html' } };
      },
      'no file either: it comes as text/html',
    ],
  ])('reports both errors for a log %s', async (_, http, why) => {
    const read = await readText(await started({ http }), 'job-1', 0);
    expect(read).toMatchObject({ kind: 'unknown', message: expect.stringContaining('UnicodeDecodeError') });
    expect(read).toMatchObject({ message: expect.stringContaining(why) });
  });
});
