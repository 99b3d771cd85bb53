/** Extracts the log from one JSON string: any text, any escaping, cut anywhere. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonLogReader } from '../../src/engines/ray/rest/log-reader.ts';

/** Reads the answer in pieces of the given sizes, over and over. */
function readInPieces(
  json: string,
  sizes: readonly number[],
): { readonly text: string; readonly state: string; readonly largest: number } {
  const reader = createJsonLogReader();
  const bytes = Buffer.from(json);
  const out: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    out.push(reader.read(bytes.subarray(at, at + size)));
    at += size;
  }
  const largest = Math.max(0, ...out.map((piece) => piece.length));
  return { text: Buffer.concat(out).toString('utf8'), state: reader.state(), largest };
}

/** Escapes as Python does: ASCII only. */
function asciiOnly(json: string): string {
  return json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '"', '\\', '🚀', 'ä', '\u0000', '\u001b[31m'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 200,
});

describe('the reader of a log in JSON', () => {
  it('returns the text once, however it is escaped and wherever it is cut', () => {
    fc.assert(
      fc.property(text, sizes, fc.boolean(), (said, cuts, isAscii) => {
        const json = JSON.stringify({ logs: said });
        const read = readInPieces(isAscii ? asciiOnly(json) : json, cuts);
        expect(read.state).toBe('whole');
        expect(read.text).toBe(Buffer.from(said).toString('utf8'));
      }),
      { numRuns: 500 },
    );
  });

  it('never returns more bytes per piece than it received', () => {
    fc.assert(
      fc.property(text, sizes, (said, cuts) => {
        const read = readInPieces(asciiOnly(JSON.stringify({ logs: said })), cuts);
        expect(read.largest).toBeLessThanOrEqual(Math.max(...cuts) + 3);
      }),
    );
  });

  it('returns U+FFFD for an unpaired surrogate', () => {
    expect(readInPieces('{"logs": "a\\ud83d"}', [3])).toMatchObject({ text: 'a\ufffd', state: 'whole' });
    expect(readInPieces('{"logs": "\\ud83d\\ud83d\\ude80\\udc00b"}', [1])).toMatchObject({ text: '\ufffd🚀\ufffdb' });
    expect(readInPieces('{"logs": "\\ud83d\\n"}', [1])).toMatchObject({ text: '\ufffd\n' });
  });

  it('stays open until the JSON has ended', () => {
    const json = '{ "logs" : "one\\ntwo" }\n';
    for (let end = 0; end < json.length - 2; end += 1)
      expect(readInPieces(json.slice(0, end), [4]).state, json.slice(0, end)).toBe('open');
    expect(readInPieces(json, [4]).state).toBe('whole');
  });

  it.each([
    '<html>',
    '{"log": "x"}',
    '{"logs": null}',
    '{"logs": "\\x"}',
    '{"logs": "\\u12g4"}',
    '{"logs": "x", "more": 1}',
    '{"logs": "x"}}',
    '["logs"]',
  ])('reports another kind of answer: %s', (other) => {
    expect(readInPieces(other, [1]).state).toBe('other');
  });
});
