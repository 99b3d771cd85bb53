// Verification: appended entries are good, and every change of a file is detected.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { measureCpu } from '../support/cpu-ms.ts';
import {
  alice,
  commandAnswered,
  commandSeen,
  composeFile,
  composeTwoDayLogbook,
  gated,
  listFerryEvents,
  proposed,
  RUN,
} from './sample-logbook.ts';
import { lastAnchor, verify } from './verify-text.ts';

const ferry = composeFile(listFerryEvents(4));
const lines = ferry.text.trimEnd().split('\n');

describe('a ferry from proposal to seal', () => {
  it('is good, terminal, and names its head', () => {
    const verified = verify(ferry.text);
    expect(verified).toMatchObject({ run: RUN, badEntry: null, isTerminal: true, keys: 'config' });
    expect(verified.events).toEqual(ferry.events);
    expect(verified.head).toEqual(lastAnchor(ferry.events));
  });

  it('is good by the keys that its first event records, and reports that', () => {
    expect(verify(ferry.text, { keys: null })).toMatchObject({ badEntry: null, keys: 'recorded' });
  });

  it('is good and not terminal after each of its entries', () => {
    for (let count = 1; count < lines.length; count += 1) {
      const text = lines
        .slice(0, count)
        .map((line) => `${line}\n`)
        .join('');
      expect(verify(text)).toMatchObject({ badEntry: null, isTerminal: false });
    }
  });
});

describe('a change of a file', () => {
  const bytes = Buffer.from(ferry.text, 'utf8');

  it('of a single byte is detected in its line', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(bytes);
        changed[at] = (bytes[at] ?? 0) ^ flip;
        const text = changed.toString('utf8');
        const line = bytes.subarray(0, at).toString('utf8').split('\n').length;
        const isDecodable = Buffer.from(text, 'utf8').equals(changed);
        const verified = verify(text, { undecodableLine: isDecodable ? null : line });
        expect(verified.badEntry?.line).toBe(line);
      }),
      { numRuns: 300 },
    );
  });

  it('of unused bits of a signature is detected, because a signature has one canonical text', () => {
    const digit = (lines[0] ?? '').indexOf('=="') - 1;
    const changed = `${(lines[0] ?? '').slice(0, digit)}${nextDigit((lines[0] ?? '').charAt(digit))}${(lines[0] ?? '').slice(digit + 1)}`;
    expect(verify([changed, ...lines.slice(1), ''].join('\n')).badEntry).toMatchObject({
      line: 1,
      reason: 'canonical',
    });
  });

  it('that removes, doubles, swaps or adds lines is detected', () => {
    fc.assert(
      fc.property(
        fc.nat(lines.length - 1),
        fc.nat(lines.length - 1),
        fc.constantFrom('out', 'double', 'swap', 'empty'),
        (a, b, how) => {
          const changed = [...lines];
          if (how === 'out') changed.splice(a, 1);
          if (how === 'double') changed.splice(b, 0, lines[a] ?? '');
          if (how === 'empty') changed.splice(a, 0, '');
          if (how === 'swap') [changed[a], changed[b]] = [lines[b] ?? '', lines[a] ?? ''];
          fc.pre(changed.join('\n') !== lines.join('\n'));
          const verified = verify(changed.map((line) => `${line}\n`).join(''), { anchor: lastAnchor(ferry.events) });
          expect(verified.badEntry).not.toBeNull();
        },
      ),
      { numRuns: 200 },
    );
  });

  it('that cuts the file is detected: inside a line directly, at a line end by an anchor', () => {
    fc.assert(
      fc.property(fc.nat(ferry.text.length - 1), (length) => {
        const verified = verify(ferry.text.slice(0, length), { anchor: lastAnchor(ferry.events) });
        expect(verified.badEntry?.reason).toBe('truncated');
      }),
      { numRuns: 100 },
    );
    expect(verify(ferry.text.slice(0, -1)).badEntry).toMatchObject({ reason: 'truncated', line: lines.length });
    expect(verify('').badEntry).toMatchObject({ reason: 'truncated', line: 1, seq: 0 });
  });

  it('that adds lines of another run is detected', () => {
    expect(verify(ferry.text, { run: 'ferry-daily-20261122' }).badEntry).toMatchObject({ reason: 'order', line: 1 });
    const other = composeFile([proposed], 'ferry-daily-20261122').text;
    expect(verify(`${lines[0]}\n${other}`).badEntry).toMatchObject({ reason: 'order', line: 2 });
  });
});

describe('an anchor', () => {
  it('with another entry under the same number shows a rewritten history', () => {
    const anew = composeFile([proposed, gated, commandSeen(9, 'status')]).text;
    expect(verify(anew, { anchor: { seq: 2, hash: ferry.events[2]?.hash ?? '' } }).badEntry).toMatchObject({
      reason: 'hash',
      line: 3,
      seq: 2,
    });
  });

  it('may be a hash prefix, and may be older than the file', () => {
    const anchor = { seq: 2, hash: (ferry.events[2]?.hash ?? '').slice(0, 12) };
    expect(verify(ferry.text, { anchor }).badEntry).toBeNull();
  });
});

describe('the journal', () => {
  it('has commands without a run, each seen and answered once', () => {
    const good = [commandSeen(1, 'status'), commandAnswered(1, 'status-shown')];
    expect(verify(composeFile(good, 'journal').text)).toMatchObject({ badEntry: null, isTerminal: false });
    expect(verify(composeFile([...good, commandAnswered(1, 'status-shown')], 'journal').text).badEntry).toMatchObject({
      reason: 'transition',
      line: 3,
    });
    expect(verify(composeFile([...good, commandSeen(1, 'status')], 'journal').text).badEntry).toMatchObject({
      reason: 'transition',
    });
    expect(verify(composeFile([commandAnswered(1, 'status-shown')], 'journal').text).badEntry).toMatchObject({
      reason: 'transition',
      line: 1,
    });
    expect(verify(composeFile([proposed], 'journal').text).badEntry).toMatchObject({ reason: 'transition', line: 1 });
    const held: EventDraft = {
      type: 'held',
      role: 'control',
      actor: alice,
      data: { scope: 'lane', lane: 'daily', reason: 'x', date: null },
    };
    expect(verify(composeFile([...good, held], 'journal').text, { keys: null }).badEntry).toBeNull();
  });
});

describe('two days of checks', () => {
  it('with 2,880 entries are verified within a second without signatures', () => {
    const text = composeTwoDayLogbook();
    verify(text, { verifySignature: null });
    const { value: verified, ms } = measureCpu(() => verify(text, { verifySignature: null }));
    expect(verified.events).toHaveLength(2_880);
    expect(verified.badEntry).toBeNull();
    // The benchmark measures the limit of 50 ms; this test detects only a slowdown by an order of magnitude.
    expect(ms).toBeLessThan(1_000);
  });
});

function nextDigit(digit: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return digits.charAt(digits.indexOf(digit) + 1);
}
