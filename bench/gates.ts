/** Judging a proposal: all launch gates on recorded facts, and the plan that `/why` answers where much is wrong. */

import { runGates } from '../src/gates/run-gates.ts';
import { smallestRemedy } from '../src/gates/why/smallest-remedy.ts';
import { ROWS } from '../test/gates/gate-cases.ts';
import { gateFacts } from '../test/gates/sample-facts.ts';
import { against, quickestMs, type Result, reported } from './measure.ts';

/** Milliseconds of the slowest recorded case: all gates (at most 5), and the plan of `/why`. */
export async function measureGates(): Promise<readonly Result[]> {
  const every = Object.values(ROWS).flatMap(({ cases }) => cases.map(([, facts]) => gateFacts(facts)));
  const slowestMs = Math.max(
    ...(await Promise.all(every.map((facts) => quickestMs(5, () => runGates(facts))))),
  );
  const planMs = Math.max(
    ...(await Promise.all(every.map((facts) => quickestMs(3, () => smallestRemedy(facts))))),
  );
  return [
    against('gates-recorded-facts', slowestMs, 'ms', '<=', 5),
    reported('why-plan-worst', planMs, 'ms'),
  ];
}
