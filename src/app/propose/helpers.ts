/** Programs of the lab's own that help with a proposal: each in a folder of its own, bounded, and without any token. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { type ProgramResult, runProgram } from '../../host/process.ts';
import type { HelperCall, Helpers, Running, TreeCall } from '../../run/proposing.ts';

/** The same where somebody waits for each. */
export type Programs = {
  readonly ask: (call: HelperCall) => Promise<ProgramResult>;
  /** Throws `GitError` where the checkout cannot be had. */
  readonly check: (
    call: TreeCall,
  ) => Promise<{ readonly command: readonly string[]; readonly result: ProgramResult } | null>;
};

/** Helpers on this machine; `GitError` where it has no room for them. Of our environment they get PATH alone; checks get a HOME in their own folder as well. */
export function createHelpers(path: string): Programs {
  return {
    ask: ({ command: [file = '', ...args], input, timeoutMs, outputBytesMax }) =>
      inFolder((cwd) =>
        runProgram(file, args, { env: { PATH: path }, cwd, input, timeoutMs, outputBytesMax }),
      ),
    check: ({ git, commit, files, commands }) =>
      inFolder(async (folder) => {
        const [tree, home] = [join(folder, 'tree'), join(folder, 'home')];
        await mkdir(home);
        await git.exportTree(commit, ['.'], tree);
        const env = { PATH: path, HOME: home, TMPDIR: home };
        await asRepository(tree, env);
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

/** A machine without room is asked again another time, and is no break of everything that waits behind. */
export async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
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

/** Linters ask git which files there are: the checkout is a repository, without history and without a remote. */
async function asRepository(tree: string, env: Readonly<Record<string, string>>): Promise<void> {
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all', '--force'],
  ]) {
    const result = await runProgram('git', args, { env: { ...env, GIT_CONFIG_NOSYSTEM: '1' }, cwd: tree });
    if (!result.ok)
      throw new GitError('failed', `git ${args[0] ?? ''} in the checkout for the checks: ${result.stderr}`);
  }
}

type BesideOptions = {
  /** How long a call waits for its answer before it goes on beside the queue. */
  readonly patienceMs: number;
  /** Answers that are kept for commands that are decided again; the oldest go first. */
  readonly answersMax: number;
  /** Called when a program has ended that a call did not wait for. */
  readonly onDone: (thread: number) => void;
};

type HelpersBeside = {
  readonly helpers: Helpers;
  /** Resolves when no program runs. */
  readonly idle: () => Promise<void>;
};

type Work = { readonly answer: Promise<unknown>; isOver: boolean };

/**
 * The same helpers for a process that serves others meanwhile. One runs at a time, and a command asks each question once.
 * Answers are lost with the process: a call begins again.
 */
export function createHelpersBeside(helpers: Helpers, options: BesideOptions): HelpersBeside {
  const works = new Map<string, Work>();
  const start = (key: string, answer: Promise<unknown>): Work => {
    const work: Work = { answer, isOver: false };
    works.set(key, work);
    answer.then(
      () => {
        work.isOver = true;
      },
      // It gave no answer: the next call begins it again.
      () => works.delete(key),
    );
    for (const [old, { isOver }] of works) if (works.size > options.answersMax && isOver) works.delete(old);
    return work;
  };
  const beside = async <Answer>(
    asked: HelperCall['asked'],
    question: unknown,
    begin: () => Promise<Answer>,
  ): Promise<Answer | Running> => {
    if (asked === null) return begin();
    const key = JSON.stringify([asked.by, question]);
    const known = works.get(key);
    if (known === undefined && [...works.values()].some(({ isOver }) => !isOver)) return RUNNING;
    const { answer } = known ?? start(key, begin());
    const late = sleep(options.patienceMs, RUNNING, { ref: false });
    // The key names the question, so the answer is of its type.
    const first = (await Promise.race([answer, late])) as Answer | Running;
    if (first === RUNNING && known === undefined)
      void Promise.allSettled([answer]).then(() => options.onDone(asked.thread));
    return first;
  };
  return {
    helpers: {
      ask: (call) => beside(call.asked, ['ask', call.command, call.about], () => helpers.ask(call)),
      check: (call) => {
        const { commit, files, commands } = call;
        return beside(call.asked, ['check', commit, files, commands], () => helpers.check(call));
      },
    },
    idle: async () => {
      await Promise.allSettled([...works.values()].map(({ answer }) => answer));
    },
  };
}

const RUNNING: Running = { kind: 'running' };
