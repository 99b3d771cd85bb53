/** Whose a checkpoint is after a rejection: what the attempts since then have made, one after the other. */

import { expect, it } from 'vitest';
import { standingIn, type WritingAttempt } from '../../src/checkpoints/standing.ts';
import type { Instant } from '../../src/domain/ids.ts';

const minute = (count: number): Instant => (count * 60_000) as Instant;
const attempt = (
  number: number,
  from: number,
  startStep: number | null,
  isChosen = false,
): WritingAttempt => ({
  attempt: number,
  from: minute(from),
  until: minute(from + 8),
  startStep,
  ...(isChosen ? { isChosen } : {}),
});
const rejections = [{ step: 50, at: minute(15) }];
const BEFORE = attempt(1, 0, 0);
/** Went back behind the rejected step. */
const BACK = attempt(2, 20, 40, true);

const standing = (attempts: readonly WritingAttempt[], step: number, at: number): string =>
  standingIn({ attempts, rejections }, { step, writtenAt: minute(at) }).standing;

it('is taken from an attempt that goes on from what the one that went back has made, by the word of its order', () => {
  const on = attempt(3, 40, 90, true);
  expect(standing([BEFORE, BACK, on], 90, 25)).toBe('eligible');
  expect(standing([BEFORE, BACK, on], 120, 45)).toBe('eligible');
});

it.each([
  ['goes on from a later step without that word', attempt(3, 40, 90), 'rejected'],
  ['goes on from nobody knows what', attempt(3, 40, null), 'unvalidated'],
  ['began before the rejection, whatever its order named', attempt(3, 14, 90, true), 'rejected'],
])('is not taken from an attempt that %s', (_, on, is) => {
  const attempts = on.from > BACK.from ? [BEFORE, BACK, on] : [BEFORE, on];
  expect(standing(attempts, 120, on.from / 60_000 + 5)).toBe(is);
});
