/**
 * Random sequences of what a writer, a stranger, a cheating approver, a stolen control key and a stolen watch key can do,
 * among honest people: nothing starts without a living approval of exactly that, no brake is lost, and who asked is
 * answered. `CAMPAIGN` says how many sequences, `CAMPAIGN_FROM` the first seed; a failing one is named by its seed.
 */

import { describe, expect, it } from 'vitest';
import { playSequence } from './sequence.ts';

const ASKED = Number(process.env['CAMPAIGN'] ?? 0);
const COUNT = ASKED > 0 ? ASKED : 60;
const FROM = Number(process.env['CAMPAIGN_FROM'] ?? 1);
/** A second for a sequence on quiet cores, several on busy ones. */
const TIMEOUT_MS = 60_000 + COUNT * 8_000;

describe('the campaign', () => {
  it('breaks no promise in any of its sequences', { timeout: TIMEOUT_MS }, async () => {
    const moves = new Map<string, number>();
    const faults: string[] = [];
    let launched = 0;
    for (let seed = FROM; seed < FROM + COUNT; seed += 1) {
      const outcome = await playSequence(seed);
      launched += outcome.starts > 0 ? 1 : 0;
      for (const what of outcome.moves) moves.set(what, (moves.get(what) ?? 0) + 1);
      for (const fault of outcome.faults) faults.push(`seed ${seed}: ${fault} (${outcome.moves.join(', ')})`);
    }
    const lines = [...moves].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${name}: ${n}`);
    process.stdout.write(`${COUNT} sequences, ${launched} launched\n${lines.join('\n')}\n`);
    expect(faults.slice(0, 20)).toEqual([]);
    // Sequences in which nothing can happen would find nothing.
    expect(launched / COUNT).toBeGreaterThanOrEqual(0.2);
  });
});
