/** The result of a test run: counts for the closing line, and every skipped test with its reason. */

import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

declare module 'vitest' {
  interface TaskMeta {
    /**
     * Why a test or suite cannot run on this machine: `describe.skipIf(x)('…', { meta: { skipReason } }, …)`.
     */
    skipReason?: string;
  }
}

export type SkippedTest = { readonly name: string; readonly reason: string | null };

export type TestTally = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
  /** Tests that passed in a retry: counted as passed, and named. */
  readonly triedAgain: readonly string[];
  /** False if the run ended before every test had a result; such a run never passes. */
  readonly complete: boolean;
};

/** The initial tally; it remains if the run crashes. */
export const NO_TALLY: TestTally = { passed: 0, failed: 0, skipped: [], triedAgain: [], complete: false };

/** A reporter that passes the tally of the whole run to `report` once, at its end. */
export function closingLineReporter(report: (tally: TestTally) => void): Reporter {
  let isFiltered = false;
  return {
    onInit: (vitest) => {
      isFiltered = vitest.config.testNamePattern !== undefined;
    },
    onTestRunEnd: (modules, unhandledErrors, reason) => {
      const tally = modules.map((module) => tallyModule(module, isFiltered)).reduce(add, NO_TALLY);
      report({
        ...tally,
        failed: tally.failed + unhandledErrors.length,
        complete: reason !== 'interrupted' && modules.length > 0,
      });
    },
  };
}

/** `N passed, N failed`, and `, N skipped` if there are any. An incomplete run counts as one more failure. */
export function closingLine(tally: TestTally): string {
  const skipped = tally.skipped.length === 0 ? '' : `, ${tally.skipped.length} skipped`;
  // rule AG-13
  return `${tally.passed} passed, ${tally.failed + (tally.complete ? 0 : 1)} failed${skipped}`;
}

/**
 * The lines above the closing line, and whether the run passes. A skip without a reason fails it; with
 * `isCi`, every skip does.
 */
export function judge(
  tally: TestTally,
  isCi: boolean,
): { readonly isGood: boolean; readonly lines: readonly string[] } {
  const lines = tally.skipped.map(
    ({ name, reason }) => `skipped: ${name}: ${reason ?? 'NO REASON GIVEN, which fails the run'}`,
  );
  lines.push(...tally.triedAgain.map((name) => `passed only when it was tried again: ${name}`));
  if (!tally.complete) lines.push('the run did not come to its end: what did not run is not counted');
  if (isCi && tally.skipped.length > 0) lines.push('in CI a skipped test fails the run');
  const hasBadSkip = tally.skipped.some(({ reason }) => isCi || reason === null);
  return { isGood: tally.complete && tally.failed === 0 && tally.passed > 0 && !hasBadSkip, lines };
}

function add(left: TestTally, right: TestTally): TestTally {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: [...left.skipped, ...right.skipped],
    triedAgain: [...left.triedAgain, ...right.triedAgain],
    complete: left.complete,
  };
}

function tallyModule(module: TestModule, isFiltered: boolean): TestTally {
  const tests = [...module.children.allTests()];
  const resultOf = (state: string): readonly TestCase[] => tests.filter((test) => test.result().state === state);
  // A file that does not load and a hook that throws have no failed test, but are failures.
  const brokenSuites = [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  return {
    passed: resultOf('passed').length,
    failed: resultOf('failed').length + resultOf('pending').length + brokenSuites.length,
    skipped: resultOf('skipped').map((test) => ({
      name: nameOf(module, test),
      reason: reasonOf(test, brokenSuites, isFiltered),
    })),
    triedAgain: resultOf('passed')
      .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
      .map((test) => nameOf(module, test)),
    complete: true,
  };
}

function nameOf(module: TestModule, test: TestCase): string {
  return `${module.relativeModuleId} > ${test.fullName}`;
}

function reasonOf(test: TestCase, broken: readonly (TestModule | TestSuite)[], isFiltered: boolean): string | null {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  const own =
    test.meta().skipReason ??
    ancestors(test)
      .find((suite) => suite.meta().skipReason)
      ?.meta().skipReason;
  if (own !== undefined) return own;
  if (ancestors(test).some((suite) => broken.includes(suite))) return 'its suite failed before it';
  return isFiltered ? 'not asked for by -t' : null;
}

function ancestors(test: TestCase): readonly (TestModule | TestSuite)[] {
  const found: (TestModule | TestSuite)[] = [];
  let parent: TestModule | TestSuite = test.parent;
  while (parent.type === 'suite') {
    found.push(parent);
    parent = parent.parent;
  }
  return [...found, parent];
}
