/** Judging a proposal: all launch gates on recorded facts. */

import { evaluateGates } from '../src/gates/run-gates.ts';
import { ROWS } from '../test/gates/gate-cases.ts';
import { gateFacts } from '../test/gates/sample-facts.ts';
import { measureQuickestMs, type Result, resultWithBar } from './measure.ts';

/** Milliseconds of the slowest recorded case (at most 5). */
export async function measureGates(): Promise<readonly Result[]> {
  const every = Object.values(ROWS).flatMap((cases) => cases.map(([, facts]) => gateFacts(facts)));
  let slowestMs = 0;
  for (const facts of every) slowestMs = Math.max(slowestMs, await measureQuickestMs(5, () => evaluateGates(facts)));
  return [resultWithBar('gates-recorded-facts', slowestMs, 'ms', '<=', 5)];
}
