/** Runs the lab's own helper programs for proposals: each in its own folder, with limits, and without any token. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { type ProgramResult, runProgram } from '../../host/process.ts';
import type { HelperCall, HelperRunning, Helpers, TreeCall } from '../../run/proposing.ts';

/** Helper programs; each call waits for the result. */
export type HelperPrograms = {
  readonly ask: (call: HelperCall) => Promise<ProgramResult>;
  /** Throws `GitError` if the checkout cannot be exported. */
  readonly check: (
    call: TreeCall,
  ) => Promise<{ readonly command: readonly string[]; readonly result: ProgramResult } | null>;
};

/** Helpers on this machine; `GitError` if it has no room. They get only PATH from our environment; checks also get their own HOME. */
export function createHelpers(path: string): HelperPrograms {
  return {
    ask: ({ command: [file = '', ...args], input, timeoutMs, outputBytesMax }) =>
      inTemporaryFolder((cwd) =>
        runProgram(file, args, { env: { PATH: path }, cwd, input, timeoutMs, outputBytesMax }),
      ),
    check: ({ git, commit, files, commands }) =>
      inTemporaryFolder(async (folder) => {
        const [tree, home] = [join(folder, 'tree'), join(folder, 'home')];
        await mkdir(home);
        await git.exportTree(commit, ['.'], tree);
        const env = { PATH: path, HOME: home, TMPDIR: home };
        await initRepository(tree, env);
        for (const [name, text] of Object.entries(files)) {
          await mkdir(dirname(join(tree, name)), { recursive: true });
          await writeFile(join(tree, name), text, 'utf8');
        }
        const endsAtMs = Date.now() + limits.checksTimeoutMs;
        for (const command of commands) {
          const [file = '', ...args] = command;
          const timeoutMs = Math.max(1, endsAtMs - Date.now());
          const result = await runProgram(file, args, { env, cwd: tree, timeoutMs });
          if (!result.ok) return { command, result };
        }
        return null;
      }),
  };
}

/** Runs work in a temporary folder. Reports an I/O error, such as a full disk, as `GitError`, so that only this request is retried. */
export async function inTemporaryFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-helper-'));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new GitError('failed', `the folder for a helper: ${cause.message}`, { cause });
  }
}

/** Linters list files with git, so the checkout becomes a repository without history or remote. */
async function initRepository(tree: string, env: Readonly<Record<string, string>>): Promise<void> {
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all', '--force'],
  ]) {
    const result = await runProgram('git', args, { env: { ...env, GIT_CONFIG_NOSYSTEM: '1' }, cwd: tree });
    if (!result.ok)
      throw new GitError('failed', `git ${args[0] ?? ''} in the checkout for the checks: ${result.stderr}`);
  }
}

type BackgroundOptions = {
  /** How long a call waits for its answer before the program continues in the background. */
  readonly patienceMs: number;
  /** Maximum number of kept answers for commands that are decided again; the oldest are dropped first. */
  readonly answersMax: number;
  /** Called when a background program has ended. */
  readonly onDone: (thread: number) => void;
};

type BackgroundHelpers = {
  readonly helpers: Helpers;
  /** Resolves when no program is running. */
  readonly idle: () => Promise<void>;
};

type Work = { readonly answer: Promise<unknown>; isOver: boolean };

/**
 * Helpers that run in the background, so that a server can handle other triggers. One program runs at a time, and each command asks a
 * question once. A new process has no answers and runs the program again.
 */
export function createBackgroundHelpers(helpers: Helpers, options: BackgroundOptions): BackgroundHelpers {
  const works = new Map<string, Work>();
  const start = (key: string, answer: Promise<unknown>): Work => {
    const work: Work = { answer, isOver: false };
    works.set(key, work);
    answer.then(
      () => {
        work.isOver = true;
      },
      // The program failed; the next call starts it again.
      () => works.delete(key),
    );
    for (const [old, { isOver }] of works) if (works.size > options.answersMax && isOver) works.delete(old);
    return work;
  };
  const runInBackground = async <Answer>(
    asked: HelperCall['request'],
    question: unknown,
    begin: () => Promise<Answer>,
  ): Promise<Answer | HelperRunning> => {
    if (asked === null) return begin();
    const key = JSON.stringify([asked.by, question]);
    const known = works.get(key);
    if (known === undefined && [...works.values()].some(({ isOver }) => !isOver)) return RUNNING;
    const { answer } = known ?? start(key, begin());
    const late = sleep(options.patienceMs, RUNNING, { ref: false });
    // The key identifies the question, so the answer has the right type.
    const first = (await Promise.race([answer, late])) as Answer | HelperRunning;
    if (first === RUNNING && known === undefined)
      void Promise.allSettled([answer]).then(() => options.onDone(asked.thread));
    return first;
  };
  return {
    helpers: {
      ask: (call) => runInBackground(call.request, ['ask', call.command, call.about], () => helpers.ask(call)),
      check: (call) => {
        const { commit, files, commands } = call;
        return runInBackground(call.request, ['check', commit, files, commands], () => helpers.check(call));
      },
    },
    idle: async () => {
      await Promise.allSettled([...works.values()].map(({ answer }) => answer));
    },
  };
}

const RUNNING: HelperRunning = { kind: 'running' };
