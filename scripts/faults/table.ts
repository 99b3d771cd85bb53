/** The table of ferries under faults: a row for each fault, on virtual and on real time, with how many went over HTTP. */

import type { FaultKind } from '../../packages/playground/faults/fault.ts';
import type { FaultReport } from '../../test/support/fault-ferry.ts';

export const TABLE_HEAD = [
  '| fault at 20 % | seeds | on real git and HTTP | struck | one launch | sealed | answered once | writes/minute | writes/hour |',
  '|---|---|---|---|---|---|---|---|---|',
] as const;

/** One row of Markdown; `reports` are all of one fault and one clock, at least one. */
export function tableRow(kind: FaultKind, clock: 'virtual' | 'real', reports: readonly FaultReport[]): string {
  const count = (good: (report: FaultReport) => boolean): number => reports.filter(good).length;
  const most = (of: (report: FaultReport) => number): number => Math.max(...reports.map(of));
  const cells = [
    clock === 'real' ? `${kind} (real)` : kind,
    reports.length,
    count(({ overHttp }) => overHttp),
    reports.reduce((sum, { struck }) => sum + struck, 0),
    count(({ launches }) => launches === 1),
    count(({ isSealed }) => isSealed),
    count(({ unanswered, twice }) => unanswered === 0 && twice.length === 0),
    most(({ busiestMinute }) => busiestMinute),
    most(({ busiestHour }) => busiestHour),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** What is wrong with a row, a line each: every ferry that did not go as it should, and a fault that did nothing. */
export function listProblems(
  kind: FaultKind,
  clock: 'virtual' | 'real',
  reports: readonly FaultReport[],
): readonly string[] {
  const ferries = reports.flatMap(({ seed, overHttp, problem }) => {
    const where = clock === 'real' ? 'real' : overHttp ? 'over HTTP' : 'in memory';
    return problem === null ? [] : [`${kind}, seed ${seed}, ${where}: ${problem}`];
  });
  // A clock that is wrong all the time has no occasions.
  const isIdle = kind !== 'clock-skew' && reports.every(({ struck }) => struck === 0);
  return isIdle ? [...ferries, `${kind}: it never struck, so nothing was shown`] : ferries;
}
