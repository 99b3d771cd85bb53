/** `mode: fix`: asks a lane's fixer about one mistake, in a job without permissions. Control judges the answer. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitExporter } from '../../domain/git.ts';
import { failureDigest, type SmallMistake } from '../../domain/launch/small-fix.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { Sha } from '../../domain/values.ts';
import { type ProgramResult, runProgram } from '../../host/process.ts';
import { findFixerRequest } from '../../run/decide-next-attempt.ts';
import { configForRun, type LaneScopedConfig } from '../../run/lane.ts';
import type { OpenLab } from '../open-lab.ts';
import { inTemporaryFolder } from '../propose/helpers.ts';

/** Name of the artifact and its only file. */
export const ANSWER_ARTIFACT = 'ferrybot-fix';
export const ANSWER_FILE = 'fix.patch';

type FixerCall = {
  readonly git: GitExporter;
  /** The commit of the program, and the commit that failed. */
  readonly program: Sha;
  readonly failed: Sha;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** Builds the program's input, given the folder with the failed files. */
  readonly input: (tree: string) => object;
};
export type RunFixer = (call: FixerCall) => Promise<ProgramResult>;

/** Throws `GitError` if the files cannot be exported. */
export function createFixerRunner(path: string): RunFixer {
  return ({ git, program, failed, command: [file = '', ...args], timeoutMs, input }) =>
    inTemporaryFolder(async (folder) => {
      const [cwd, tree, home] = [join(folder, 'program'), join(folder, 'tree'), join(folder, 'home')];
      for (const one of [cwd, tree, home]) await mkdir(one);
      await git.exportTree(program, ['.'], cwd);
      await git.exportTree(failed, ['.'], tree);
      return runProgram(file, args, {
        env: { PATH: path, HOME: home, TMPDIR: home },
        cwd,
        input: `${JSON.stringify(input(tree))}\n`,
        timeoutMs,
        outputBytesMax: limits.fixPatchCharsMax,
      });
    });
}

type FixRequest = {
  readonly run: string;
  /** Digest of the failure. */
  readonly failure: string;
  readonly runFixer: RunFixer;
};

type FixOutcome =
  | { readonly kind: 'answered'; readonly patch: string }
  | {
      readonly kind: 'refused';
      readonly code: 'nothing-to-fix' | 'other-failure' | 'fixer-failed';
      readonly why: string;
    };

/** Runs the fixer only if the record contains this failure and no earlier attempt to fix it. Throws `GitError`. */
export async function askFixer(open: OpenLab, request: FixRequest): Promise<FixOutcome> {
  const { lab, git, config, record, defaultBranch } = open;
  const state = record.runs.find(({ run }) => run === request.run);
  const scoped = state === undefined ? null : configForRun(config, state);
  const asked = state === undefined || scoped === null ? null : findFixerRequest(state, scoped);
  if (state === undefined || scoped === null || asked === null)
    return fixRefusal('nothing-to-fix', 'the record has no slip of this run that a fixer is to be asked about');
  const { slip, fixer } = asked;
  const failure = failureDigest(state.run, slip, lab.digestOf);
  if (failure !== request.failure)
    return fixRefusal('other-failure', 'the newest attempt of this run failed otherwise');
  const program = await git.resolve(`refs/heads/${defaultBranch}`);
  if (program === null) throw new GitError('unreadable', `there is no branch ${defaultBranch}`);
  const paths = await listFixableFiles(git, scoped, slip);
  const { command, timeoutMs } = fixer;
  const result = await request.runFixer({
    git,
    program,
    failed: slip.commit,
    command,
    timeoutMs,
    input: (tree) => ({ version: 1, ...fixerInput(state, slip), mayChange: paths, tree }),
  });
  return result.ok
    ? { kind: 'answered', patch: result.stdout }
    : fixRefusal('fixer-failed', `${result.kind} ${result.exitCode ?? result.code ?? ''}`.trim());
}

function fixRefusal(code: Extract<FixOutcome, { kind: 'refused' }>['code'], why: string): FixOutcome {
  return { kind: 'refused', code, why };
}

async function listFixableFiles(
  git: Pick<OpenLab['git'], 'listFiles'>,
  { kind, lane }: LaneScopedConfig,
  { commit }: SmallMistake,
): Promise<readonly string[]> {
  const isOpen = kind.fixes?.(lane).mayFix ?? (() => false);
  return (await git.listFiles(commit, '')).filter(isOpen);
}

/** The program's input. It comes from the record, so the log in it is already redacted. */
function fixerInput({ run, end }: RunState, { attempt, commit, file, line, error }: SmallMistake): object {
  const { signatures = [], diagnosis } = end ?? {};
  const log = diagnosis?.logEnd ?? [];
  return {
    run,
    attempt,
    commit,
    failure: { class: diagnosis?.class ?? 'unknown', file, line, error, signatures, log },
  };
}
