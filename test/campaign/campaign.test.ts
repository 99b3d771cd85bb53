/**
 * Random sequences of what a writer, a stranger, a cheating approver, a stolen control key and a stolen watch key can do,
 * among honest people: nothing starts without a living approval of exactly that, no brake is lost, and who asked is
 * answered. `CAMPAIGN` says how many sequences, `CAMPAIGN_FROM` the first seed; a failing one is named by its seed.
 * `npm run campaign` plays thousands.
 */

import { describe, expect, it } from 'vitest';
import type { Outcome } from './outcome.ts';
import { playSequence } from './sequence.ts';
import { summaryOf } from './summary.ts';

const ASKED = Number(process.env['CAMPAIGN'] ?? 0);
const COUNT = ASKED > 0 ? ASKED : 60;
const FROM = Number(process.env['CAMPAIGN_FROM'] ?? 1);
/** A quarter of a second for a sequence on quiet cores, several on busy ones. */
const TIMEOUT_MS = 60_000 + COUNT * 8_000;

describe('the campaign', () => {
  it('breaks no promise in any of its sequences', { timeout: TIMEOUT_MS }, async () => {
    const outcomes: Outcome[] = [];
    for (let seed = FROM; seed < FROM + COUNT; seed += 1) outcomes.push(await playSequence(seed));
    const { problems } = summaryOf(outcomes);
    expect(problems.slice(0, 20)).toEqual([]);
  });

  it('can be played from any seed, and a sequence is the same each time', async () => {
    const once = await playSequence(11);
    expect(await playSequence(11)).toEqual(once);
  });
});
