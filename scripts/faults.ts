/** `npm run faults -- [--seeds N] [KIND…]`: a ferry under each fault at 20 %, N seeds each, on virtual time; prints the table. */

import { parseArgs } from 'node:util';
import { faultKinds } from '../playground/faults/fault.ts';
import { type FaultReport, playUnderFault } from '../test/support/fault-ferry.ts';

const SEEDS_MAX = 1_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string', default: '5' } },
});
const seeds = Number(values.seeds);
const kinds = faultKinds.filter((kind) => positionals.length === 0 || positionals.includes(kind));
if (!Number.isInteger(seeds) || seeds < 1 || seeds > SEEDS_MAX || kinds.length === 0) {
  console.error(`usage: npm run faults -- [--seeds 1..${SEEDS_MAX}] [${faultKinds.join('|')}]…`);
  process.exit(2);
}
console.log(
  '| fault at 20 % | seeds | struck | one launch | sealed | answered once | writes/minute | writes/hour |',
);
console.log('|---|---|---|---|---|---|---|---|');
let failed = 0;
for (const kind of kinds) {
  const reports: FaultReport[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) reports.push(await playUnderFault(kind, seed));
  const count = (good: (report: FaultReport) => boolean): number => reports.filter(good).length;
  const most = (of: (report: FaultReport) => number): number => Math.max(...reports.map(of));
  const answered = count(({ unanswered, twice }) => unanswered === 0 && twice.length === 0);
  console.log(
    `| ${kind} | ${seeds} | ${reports.reduce((sum, { struck }) => sum + struck, 0)} | ${count(({ launches }) => launches === 1)} | ${count(({ isSealed }) => isSealed)} | ${answered} | ${most(({ busiestMinute }) => busiestMinute)} | ${most(({ busiestHour }) => busiestHour)} |`,
  );
  for (const { seed, problem } of reports) {
    if (problem === null) continue;
    failed += 1;
    console.error(`${kind}, seed ${seed}: ${problem}`);
  }
}
console.log(failed === 0 ? 'every ferry reached its seal' : `${failed} ferries did not go as they should`);
process.exitCode = failed === 0 ? 0 : 1;
