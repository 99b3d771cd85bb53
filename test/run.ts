/**
 * `npm test`: runs the main suite, or the given files, names every skipped test with its reason, and ends
 * with `N passed, N failed`. `--suite NAME` runs another suite of test/suites.ts, `--parts N --commit SHA`
 * one of its parts, `--controller URL` the Iris tests on a real controller. Exit 0 only if all tests ran and
 * none failed. With CI=true no test may be skipped, and a failed test is retried once and named.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { parseCLI, startVitest } from 'vitest/node';
import config from '../vitest.config.ts';
import { MAIN, SUITES, type Suite, selectPart, sharesProcess } from './suites.ts';
import { closingLine, closingLineReporter, judge, NO_TALLY, type TestTally } from './support/closing-line-reporter.ts';

const CLOSE_TIMEOUT_MS = 30_000;

type RunRequest = { readonly suite: Suite; readonly argv: readonly string[] };

/** The contract of the `iris` engine runs on a given controller, if one is named. */
function withController(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--controller');
  if (at === -1) return argv;
  const address = argv[at + 1] ?? '';
  if (!URL.canParse(address)) throw new Error('--controller takes an address such as http://10.0.0.2:10000');
  process.env['FERRYBOT_TEST_CONTROLLER'] = address;
  return argv.toSpliced(at, 2);
}

/** The value of our own option, and the remaining arguments for Vitest. */
function takeOption(argv: readonly string[], option: string): readonly [string | undefined, readonly string[]] {
  const at = argv.indexOf(option);
  return at === -1 ? [undefined, argv] : [argv[at + 1] ?? '', argv.toSpliced(at, 2)];
}

function readRequest(given: readonly string[]): RunRequest {
  const [name, named] = takeOption(withController(given), '--suite');
  const [parts, parted] = takeOption(named, '--parts');
  const [commit, argv] = takeOption(parted, '--commit');
  if (name === undefined) return { suite: MAIN, argv };
  const suite = SUITES.find((one) => one.name === name);
  if (suite === undefined)
    throw new Error(`--suite is one of ${SUITES.map((one) => one.name).join(', ')}, not ${name}`);
  if (parts === undefined) return { suite, argv };
  return { suite: { ...suite, files: selectPart(suite, Number(parts), commit ?? '') }, argv };
}

/** Files that need their own process start first: they wait, while the others compute. */
function createProjects({ files }: Suite): TestProjectInlineConfiguration[] {
  const { own = [], shared = [] } = Object.groupBy(files, (file) => (sharesProcess(file) ? 'shared' : 'own'));
  const parts = [
    { name: 'own', include: own, isolate: true },
    { name: 'shared', include: shared, isolate: false },
  ];
  return parts
    .filter(({ include }) => include.length > 0)
    .map((part) => ({ extends: false, test: { ...config.test, ...part } }));
}

async function run({ suite, argv }: RunRequest): Promise<TestTally> {
  let tally = NO_TALLY;
  const { filter, options } = parseCLI(['vitest', 'run', ...argv]);
  const reporter = closingLineReporter((value) => {
    tally = value;
  });
  // A named file or folder runs in any suite.
  const isNamed = filter.length > 0 || options.root !== undefined;
  const vitest = await startVitest(
    filter,
    {
      ...options,
      // Tests with real processes, engines and clocks may fail on a loaded machine, so CI retries each once
      // and reports it. A local run must show the failure.
      retry: process.env['CI'] === 'true' ? 1 : 0,
      watch: false,
      reporters: [...[options.reporters ?? 'default'].flat(), reporter],
    },
    isNamed ? {} : { test: { projects: createProjects(suite) } },
  );
  // Code that still runs after the last test must not print after the closing line.
  await Promise.race([vitest.close(), sleep(CLOSE_TIMEOUT_MS)]);
  return tally;
}

let tally = NO_TALLY;
let isMain = true;
try {
  const what = readRequest(process.argv.slice(2));
  isMain = what.suite === MAIN;
  tally = await run(what);
} catch (error) {
  console.error(error);
}
const { isGood, lines } = judge(tally, process.env['CI'] === 'true');
for (const line of lines) console.log(line);
// Only `npm test` prints the form `N passed, N failed`, which tools may search in a longer output.
console.log(isMain ? closingLine(tally) : closingLine(tally).replaceAll(/(\d+) (\w+)/g, '$2: $1'));
// Vitest's own verdict counts too, because it includes failures outside any test.
process.exit(isGood && !process.exitCode ? 0 : 1);
