/** The frame of an event: each field is checked, and the error names it. */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/values.ts';
import { findFrameFlaw } from '../../src/logbook/chain.ts';

const GOOD = {
  v: 1,
  run: 'ferry-daily-20261121',
  seq: 0,
  at: '2026-11-21T09:00:00.000Z',
  type: 'held',
  role: 'control',
  actor: { id: 101, login: 'alice' },
  data: { scope: 'run', reason: 'maintenance' },
  prev: '0'.repeat(64),
  keyId: 'control-2026',
  hash: 'a'.repeat(64),
  sig: `${'A'.repeat(85)}Q==`,
} satisfies Record<string, Json>;

const BAD: readonly (readonly [keyof typeof GOOD, readonly Json[]])[] = [
  ['v', [2, '1', null]],
  ['run', ['', 7]],
  ['seq', [-1, '0', null]],
  [
    'at',
    [
      '2026-11-21',
      '2026-11-21T09:00:00Z',
      '2026-02-29T09:00:00.000Z',
      '2026-04-31T09:00:00.000Z',
      '2026-11-21T24:00:00.000Z',
      '2026-13-01T09:00:00.000Z',
      '1969-11-21T09:00:00.000Z',
      1,
    ],
  ],
  ['type', ['launched', 3]],
  ['role', ['admin', null]],
  ['actor', [null, 'alice', { id: '101', login: 'alice' }, { id: 101 }]],
  ['data', [null, [], 'text']],
  ['prev', ['A'.repeat(64), '0'.repeat(63), null]],
  ['keyId', ['', 1]],
  ['hash', ['a'.repeat(65), 1]],
  ['sig', [`${'A'.repeat(85)}B==`, 'A'.repeat(88), null]],
];

describe('the frame of an event', () => {
  it('is valid with a leap day, without an actor, and with unknown fields', () => {
    const { actor: _, ...alone } = GOOD;
    for (const good of [GOOD, alone, { ...GOOD, at: '2028-02-29T23:59:59.999Z' }, { ...GOOD, more: [1] }]) {
      expect(findFrameFlaw(good)).toBeNull();
    }
  });

  it.each(BAD)('reports %s when it is missing or of another type', (name, values) => {
    for (const value of values) expect(findFrameFlaw({ ...GOOD, [name]: value })).toMatch(`${name}: not `);
    const { [name]: _, ...rest } = GOOD;
    expect(findFrameFlaw(rest)).toBe(name === 'actor' ? null : `${name}: missing`);
  });

  it('must be an object', () => {
    for (const value of [null, [], 'text', 1]) expect(findFrameFlaw(value)).toBe('not an object');
  });
});
