/** Runs a lab's fixer program in its own folder, with limits and without variables except PATH. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitExporter } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { type ProgramResult, runProgram } from '../../host/process.ts';

type FixerCall = {
  readonly git: GitExporter;
  /** The commit with the program, and the commit that failed. */
  readonly program: Sha;
  readonly failed: Sha;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** The program's input, given the folder with the failed files. */
  readonly input: (tree: string) => object;
};
export type RunFixer = (call: FixerCall) => Promise<ProgramResult>;

/** Throws `GitError` if the files cannot be exported. */
export function createFixerRunner(path: string): RunFixer {
  return async ({ git, program, failed, command: [file = '', ...args], timeoutMs, input }) => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-fixer-'));
    const [cwd, tree, home] = [join(folder, 'program'), join(folder, 'tree'), join(folder, 'home')];
    try {
      for (const one of [cwd, tree, home]) await mkdir(one);
      await git.exportTree(program, ['.'], cwd);
      await git.exportTree(failed, ['.'], tree);
      return await runProgram(file, args, {
        env: { PATH: path, HOME: home, TMPDIR: home },
        cwd,
        input: `${JSON.stringify(input(tree))}\n`,
        timeoutMs,
        outputBytesMax: limits.fixPatchCharsMax,
      });
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  };
}
