/**
 * `npm run bench -- --json`: every speed bar of the project, reported. Exit 1 when a measurement fails, and with `--judge` also when a ratio or
 * a count misses its bar by more than half; 2 when a suite is asked for that is not there.
 */

import { measureAppends } from './appends.ts';
import { measureApprove } from './approve.ts';
import { measureClassify, measureStart } from './cold-start.ts';
import { measureDay } from './day.ts';
import { measureDetectors } from './detectors.ts';
import { measureDiagnosis } from './diagnosis.ts';
import { measureGates } from './gates.ts';
import { measureHerd } from './herd.ts';
import { measureHero } from './hero.ts';
import { measureHistory } from './history.ts';
import { measureLogScan } from './log-scan.ts';
import { measureLogbook } from './logbook.ts';
import type { Result } from './measure.ts';
import { measurePage } from './page.ts';
import { measurePath } from './path.ts';
import { measurePlayground } from './playground.ts';
import { measureRay } from './ray.ts';
import { measureReading } from './reading.ts';
import { measureRequests } from './requests.ts';
import { measureWatch } from './watch.ts';

const SUITES = {
  requests: measureRequests,
  day: measureDay,
  hero: measureHero,
  logbook: measureLogbook,
  appends: measureAppends,
  history: measureHistory,
  logs: measureLogScan,
  reading: measureReading,
  detectors: measureDetectors,
  diagnosis: measureDiagnosis,
  gates: measureGates,
  watch: measureWatch,
  herd: measureHerd,
  ray: measureRay,
  start: measureStart,
  classify: measureClassify,
  approve: measureApprove,
  playground: measurePlayground,
  page: measurePage,
  path: measurePath,
} as const;

async function main(args: readonly string[]): Promise<number> {
  const wanted = args.filter((arg) => !arg.startsWith('--'));
  const names = Object.keys(SUITES);
  if (wanted.some((name) => !names.includes(name)) || args.some((arg) => /^--?h/.test(arg))) {
    console.error(`npm run bench -- [--json] [--judge] [${names.join(' | ')}]...`);
    return 2;
  }
  const results: Result[] = [];
  let failed = 0;
  for (const [name, measure] of Object.entries(SUITES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    try {
      results.push(...(await measure()));
    } catch (error) {
      failed += 1;
      console.error(`${name} could not be measured: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  if (args.includes('--json')) console.log(JSON.stringify({ node: process.version, results }));
  else
    for (const r of results)
      console.log(
        `${r.ok === false ? 'missed' : r.ok === null ? '      ' : 'ok    '} ${r.id.padEnd(36)} ${r.value} ${r.unit}${r.bar === null ? '' : ` (${r.op} ${r.bar})`}`,
      );
  const missed = args.includes('--judge') ? results.filter(isFarOff) : [];
  for (const { id } of missed) console.error(`${id} misses its bar by more than half`);
  return failed + missed.length === 0 ? 0 : 1;
}

/** Times and memory depend on the machine; ratios and counts do not. */
function isFarOff({ value, op, bar, unit }: Result): boolean {
  if (bar === null || ['ms', 's', 'MB'].includes(unit)) return false;
  return op === '<=' ? value > bar * 1.5 : value < bar / 1.5;
}

process.exitCode = await main(process.argv.slice(2));
