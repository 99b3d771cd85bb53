/**
 * `npm test`: runs Vitest with the arguments given to it, names every skipped test with its reason, and closes
 * with `N passed, N failed`. Exit 0 only if all ran and none failed; with CI=true none may be skipped either.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { parseCLI, startVitest } from 'vitest/node';
import {
  closingLine,
  closingLineReporter,
  judge,
  NO_TALLY,
  type TestTally,
} from './support/closing-line-reporter.ts';

const CLOSE_TIMEOUT_MS = 30_000;

async function run(argv: readonly string[]): Promise<TestTally> {
  let tally = NO_TALLY;
  const { filter, options } = parseCLI(['vitest', 'run', ...argv]);
  const reporter = closingLineReporter((value) => {
    tally = value;
  });
  const vitest = await startVitest(filter, {
    ...options,
    watch: false,
    reporters: [...[options.reporters ?? 'default'].flat(), reporter],
  });
  // What still runs after the last test must not keep the closing line from being the last one.
  await Promise.race([vitest.close(), sleep(CLOSE_TIMEOUT_MS)]);
  return tally;
}

let tally = NO_TALLY;
try {
  tally = await run(process.argv.slice(2));
} catch (error) {
  console.error(error);
}
const { isGood, lines } = judge(tally, process.env['CI'] === 'true');
for (const line of lines) console.log(line);
console.log(closingLine(tally));
// Vitest's own verdict counts too: it knows of failures that belong to no test.
process.exit(isGood && !process.exitCode ? 0 : 1);
