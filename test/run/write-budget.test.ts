/** What one process may write on GitHub in a minute and in an hour, and what it keeps for alerts. */

import { expect, it } from 'vitest';
import { CONTENT_WRITES, createWriteBudget } from '../../src/run/write-budget.ts';

const MINUTE_MS = 60_000;
const { alerts, others } = CONTENT_WRITES;

it('leaves alerts room where everything else has used its share, and is whole again after a minute', () => {
  const budget = createWriteBudget();
  budget.note(0, others.minute);
  expect([budget.hasRoom(1, false), budget.hasRoom(1, true)]).toEqual([false, true]);
  budget.note(2, alerts.minute - others.minute);
  expect(budget.hasRoom(3, true)).toBe(false);
  expect([budget.hasRoom(MINUTE_MS + 2, false), budget.hasRoom(MINUTE_MS + 2, true)]).toEqual([true, true]);
});

it('is used up by an hour of minutes that were all in order, and again whole after it', () => {
  const budget = createWriteBudget();
  for (let minute = 0; minute * 30 < others.hour; minute += 1) budget.note(minute * MINUTE_MS, 30);
  const now = 30 * MINUTE_MS;
  expect([budget.hasRoom(now, false), budget.hasRoom(now, true)]).toEqual([false, true]);
  budget.note(now, alerts.hour - others.hour);
  expect(budget.hasRoom(now + 2 * MINUTE_MS, true)).toBe(false);
  expect(budget.hasRoom(now + 61 * MINUTE_MS, false)).toBe(true);
});

it('stays within what GitHub takes of everybody together', () => {
  expect(alerts.minute).toBeLessThanOrEqual(80);
  expect(alerts.hour).toBeLessThanOrEqual(500);
});
