/**
 * The panel's own verifier compared with ferrybot's: a valid logbook passes, and any change is reported with
 * its line.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../../../packages/playground/pages/panel/canonical.ts';
import { verifyChain } from '../../../../packages/playground/pages/panel/verify-chain.ts';
import type { Json } from '../../../../src/domain/values.ts';
import { canonicalize } from '../../../../src/logbook/chain.ts';
import { composeTwoDayLogbook, keys, RUN } from '../../../logbook/sample-logbook.ts';

const text = composeTwoDayLogbook().split('\n').slice(0, 40).join('\n').concat('\n');
const listed = new Map(keys.map((key) => [key.id, key.public]));
const lines = text.split('\n').length - 1;

describe('a chain', () => {
  it('written by ferrybot is valid', () => {
    const { events, bad } = verifyChain(RUN, text, listed);
    expect(bad).toBeNull();
    expect(events).toHaveLength(lines);
    expect(events[0]).toMatchObject({ seq: 0, role: 'control' });
  });

  it('is invalid at the line with a changed character', () => {
    fc.assert(
      fc.property(fc.nat({ max: lines - 1 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (line, where) => {
        const rows = text.split('\n');
        const row = rows[line] ?? '';
        const at = Math.floor(where * row.length);
        const other = row[at] === 'x' ? 'y' : 'x';
        rows[line] = `${row.slice(0, at)}${other}${row.slice(at + 1)}`;
        expect(verifyChain(RUN, rows.join('\n'), listed).bad?.line).toBe(line + 1);
      }),
      { numRuns: 60 },
    );
  });

  it('is invalid with a missing line, another key, another run name, or a truncated last line', () => {
    const rows = text.split('\n');
    expect(verifyChain(RUN, rows.toSpliced(3, 1).join('\n'), listed).bad?.line).toBe(4);
    expect(verifyChain('another', text, listed).bad?.line).toBe(1);
    expect(verifyChain(RUN, text, new Map()).bad?.reason).toMatch(/lists no key/);
    const [first] = listed.values();
    const exchanged = new Map([...listed.keys()].map((id) => [id, first ?? '']));
    expect(verifyChain(RUN, text, exchanged).bad?.reason).toMatch(/signature/);
    expect(verifyChain(RUN, text.slice(0, -1), listed).bad).toEqual({ line: lines, reason: 'the last line is cut' });
  });
});

describe('canonical text', () => {
  it("is the same as ferrybot's for every JSON value", () => {
    const leaf = fc.oneof(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' }), fc.boolean(), fc.constant(null));
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 6 }), tie('node'), { maxKeys: 5 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (one) => {
        // A result of JSON.stringify is valid JSON.
        const plain = JSON.parse(JSON.stringify(one)) as Json;
        expect(canonicalText(plain)).toBe(canonicalize(plain));
      }),
    );
  });
});
