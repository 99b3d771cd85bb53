/** Who is given a receipt for one more comment within the hour. */

import { expect, it } from 'vitest';
import { EMPTY_JOURNAL } from '../../src/domain/logbook/journal-state.ts';
import { type GivenReceipt, mayHaveReceipt, withinPeriod } from '../../src/run/receipts.ts';

const HOUR = 60 * 60 * 1_000;
const NOTHING = { runs: [], journal: EMPTY_JOURNAL };

function asked(isOutsider: boolean, given: readonly GivenReceipt[], record: typeof NOTHING | null = NOTHING) {
  const from = { id: 5, isOutsider };
  const comment = {
    kind: 'comment',
    thread: 3,
    surface: 'comment',
    comment: 9,
    hasSlash: true,
    from,
  } as const;
  return mayHaveReceipt(comment, given, record, HOUR);
}

function given(count: number, change: Partial<GivenReceipt> = {}): readonly GivenReceipt[] {
  return Array.from({ length: count }, () => ({ author: 5, isOutsider: true, atMs: HOUR - 1, ...change }));
}

it('a colleague gets one a minute, a stranger ten an hour', () => {
  expect([asked(false, given(59)), asked(false, given(60))]).toEqual([true, false]);
  expect([asked(true, given(9)), asked(true, given(10))]).toEqual([true, false]);
});

it('strangers together get sixty, and colleagues none the fewer', () => {
  const others = given(60, { author: 6 });
  expect([asked(true, others.slice(1)), asked(true, others), asked(false, others)]).toEqual([
    true,
    false,
    true,
  ]);
});

it('those of the record count as those of this process do', () => {
  const answer = { code: 'not-permitted', detail: { stranger: 1, quiet: 1 }, at: '1970-01-01T00:30:00.000Z' };
  const command = (key: number) => [String(key), { actor: { id: 5, login: 'eve' }, answer }] as never;
  const commands = new Map<string, never>(Array.from({ length: 10 }, (_, key) => command(key)));
  const record = { ...NOTHING, journal: { ...EMPTY_JOURNAL, commands } };
  expect([asked(true, [], record), asked(true, [], null)]).toEqual([false, true]);
});

it('an hour later nothing of it counts', () => {
  expect(withinPeriod(given(3, { atMs: 0 }), HOUR)).toEqual([]);
  expect(withinPeriod(given(3, { atMs: 1 }), HOUR)).toHaveLength(3);
});
