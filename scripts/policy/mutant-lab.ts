/** Runs mutants in a copy of the tree; the working tree is only read. */

import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';
import { type CaseState, decideFate, type Experiment, type Fate } from './mutant.ts';
import { titlePattern } from './titles.ts';

/** A test that needs longer than this to notice is no quick answer, on two busy cores. */
const ROW_LIMIT_MS = 60_000;
const LINKED = ['node_modules', '.tools'];

/** `fate`: of the first mutant that is not killed. `by`: whether that is the first mutant or the second one. */
export type Result = {
  readonly id: string;
  readonly fate: Fate | 'fails-without';
  readonly by?: 1 | 2;
  readonly ms: number;
};

/** `passing`: tests that passed without a mutant; several rules share one. */
type Lab = { readonly root: string; readonly vitest: Vitest; readonly passing: Set<string> };

/** Tries each mutant in one copy and with one Vitest; `report` gets each result as soon as it is known. */
export async function tryMutants(
  tree: string,
  experiments: readonly Experiment[],
  report: (result: Result) => void,
): Promise<readonly Result[]> {
  const root = await copyTree(tree);
  const home = process.cwd();
  // Tests read files of the project from where they are started.
  process.chdir(root);
  try {
    const vitest = await createVitest('test', { root, watch: false, reporters: [{}], testTimeout: ROW_LIMIT_MS });
    const lab = { root, vitest, passing: new Set<string>() };
    try {
      await vitest.standalone();
      const results: Result[] = [];
      for (const experiment of experiments) {
        const result = await tryMutant(lab, experiment);
        report(result);
        results.push(result);
      }
      return results;
    } finally {
      await vitest.close();
    }
  } finally {
    process.chdir(home);
    await rm(root, { recursive: true, force: true });
  }
}

async function copyTree(tree: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'ferrybot-mutants-'));
  const { stdout } = await execa('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: tree,
  });
  // What was deleted and not yet committed is still listed.
  for (const file of new Set(stdout.split('\0').filter((name) => name !== ''))) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await cp(join(tree, file), join(root, file), { verbatimSymlinks: true }).catch((error: unknown) => {
      if (!isMissingFile(error)) throw error;
    });
  }
  for (const name of LINKED) await symlink(join(tree, name), join(root, name));
  return root;
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function tryMutant(lab: Lab, { id, code, test, mutants }: Experiment): Promise<Result> {
  const started = performance.now();
  const path = join(lab.root, code.file);
  const whole = await readFile(path, 'utf8');
  const end = (fate: Result['fate'], by?: 1 | 2): Result => ({
    id,
    fate,
    ...(by === undefined ? {} : { by }),
    ms: Math.round(performance.now() - started),
  });
  const key = `${test.file} ${test.title}`;
  if (!lab.passing.has(key)) {
    const before = await runTest(lab, test);
    if (before !== 'survives') return end(before === 'dies' ? 'fails-without' : before);
    lab.passing.add(key);
  }
  try {
    for (const [at, mutant] of mutants.entries()) {
      await writeFileInLab(lab, path, mutant);
      const fate = await runTest(lab, test);
      // The generated mutant may make a decision repeat itself: a test that never ends has noticed it.
      const isNoticed = fate === 'dies' || (fate === 'late' && at > 0);
      if (!isNoticed) return end(fate, at === 0 ? 1 : 2);
    }
    return end('dies');
  } finally {
    await writeFileInLab(lab, path, whole);
  }
}

async function writeFileInLab({ vitest }: Lab, path: string, text: string): Promise<void> {
  await writeFile(path, text);
  vitest.invalidateFile(path);
}

async function runTest({ root, vitest }: Lab, test: Experiment['test']): Promise<Fate> {
  vitest.setGlobalTestNamePattern(titlePattern(test.title));
  const file = join(root, test.file);
  const specifications = vitest.projects.map((project) => project.createSpecification(file));
  let isLate = false;
  const clock = setTimeout(() => {
    isLate = true;
    void vitest.cancelCurrentRun('keyboard-input');
  }, ROW_LIMIT_MS);
  try {
    const { testModules } = await vitest.runTestSpecifications(specifications);
    // The files of earlier runs are still among them.
    const own = testModules.filter(({ moduleId }) => moduleId === file);
    return isLate ? 'late' : decideFate(own.flatMap(listCaseStates), own.some(hasLoadError));
  } finally {
    clearTimeout(clock);
  }
}

function listCaseStates(module: TestModule): readonly CaseState[] {
  return [...module.children.allTests()].map((test) => {
    const { state } = test.result();
    return state === 'passed' || state === 'failed' ? state : 'other';
  });
}

function hasLoadError(module: TestModule): boolean {
  return [module, ...module.children.allSuites()].some((part) => part.errors().length > 0);
}
