/** A copy of the tree in which mutants live: the working tree is only ever read. */

import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';
import { type CaseState, type Fate, fateOf, type Killable, mutate, titlePattern } from './mutant.ts';

/** A test that needs longer than this to notice is no quick answer, on two busy cores. */
const ROW_LIMIT_MS = 60_000;
const LINKED = ['node_modules', '.tools'];

export type Told = {
  readonly id: string;
  readonly fate: Fate | 'no-fit' | 'fails-without';
  readonly reason: string | null;
  readonly ms: number;
};

type Lab = { readonly root: string; readonly vitest: Vitest };

/** Tries each mutant in one copy and with one Vitest, and tells each as soon as it is known. */
export async function tryMutants(
  tree: string,
  rules: readonly Killable[],
  tell: (told: Told) => void,
): Promise<readonly Told[]> {
  const root = await copyOf(tree);
  const home = process.cwd();
  // Tests read files of the project from where they are started.
  process.chdir(root);
  try {
    const vitest = await createVitest('test', {
      root,
      watch: false,
      reporters: [{}],
      testTimeout: ROW_LIMIT_MS,
    });
    const lab = { root, vitest };
    try {
      await vitest.standalone();
      const told: Told[] = [];
      for (const rule of rules) {
        const one = await tried(lab, rule);
        tell(one);
        told.push(one);
      }
      return told;
    } finally {
      await vitest.close();
    }
  } finally {
    process.chdir(home);
    await rm(root, { recursive: true, force: true });
  }
}

async function copyOf(tree: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'ferrybot-mutants-'));
  const { stdout } = await execa('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: tree,
  });
  // What was deleted and not yet committed is still listed.
  for (const file of new Set(stdout.split('\0').filter((name) => name !== ''))) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await cp(join(tree, file), join(root, file), { verbatimSymlinks: true }).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  }
  for (const name of LINKED) await symlink(join(tree, name), join(root, name));
  return root;
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function tried(lab: Lab, rule: Killable): Promise<Told> {
  const started = performance.now();
  const path = join(lab.root, rule.mutant.file);
  const whole = await readFile(path, 'utf8');
  const mutated = mutate(whole, rule.mutant);
  const tell = (fate: Told['fate'], reason: string | null): Told => ({
    id: rule.id,
    fate,
    reason,
    ms: Math.round(performance.now() - started),
  });
  if (mutated.kind === 'no-fit') return tell('no-fit', mutated.reason);
  const sane = await ranIn(lab, rule);
  if (sane !== 'survives') return tell(sane === 'dies' ? 'fails-without' : sane, rule.test.name);
  try {
    await put(lab, path, mutated.text);
    return tell(await ranIn(lab, rule), null);
  } finally {
    await put(lab, path, whole);
  }
}

async function put({ vitest }: Lab, path: string, text: string): Promise<void> {
  await writeFile(path, text);
  vitest.invalidateFile(path);
}

async function ranIn({ root, vitest }: Lab, rule: Killable): Promise<Fate> {
  vitest.setGlobalTestNamePattern(titlePattern(rule.test.name));
  const file = join(root, rule.test.file);
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
    return isLate ? 'late' : fateOf(own.flatMap(casesOf), own.some(hasLoadError));
  } finally {
    clearTimeout(clock);
  }
}

function casesOf(module: TestModule): readonly CaseState[] {
  return [...module.children.allTests()].map((test) => {
    const { state } = test.result();
    return state === 'passed' || state === 'failed' ? state : 'other';
  });
}

function hasLoadError(module: TestModule): boolean {
  return [module, ...module.children.allSuites()].some((part) => part.errors().length > 0);
}
