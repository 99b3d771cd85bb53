/** The commands of Slurm, as argument arrays and in an environment of their own; `scontrol` only shows. */

import { join } from 'node:path';
import { cutText } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import { type ProgramResult, runProgram } from '../../host/process.ts';
import type { SlurmSettings } from './settings.ts';

export type SlurmCommand = 'sbatch' | 'squeue' | 'sacct' | 'scancel' | 'sinfo' | 'scontrol';

export type Said =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Runs one. Whether what it said means anything is for the caller. */
export function runCommand(
  { cluster, env }: SlurmSettings,
  command: SlurmCommand,
  args: readonly string[],
): Promise<ProgramResult> {
  const file = cluster.bin === null ? command : join(cluster.bin, command);
  return runProgram(file, args, { env, timeoutMs: cluster.commandTimeoutMs });
}

/** Runs one that tells something. A complaint makes the answer unknown also with exit code 0, as of an account that Slurm does not know. */
export async function askCommand(
  settings: SlurmSettings,
  command: SlurmCommand,
  args: readonly string[],
): Promise<Said> {
  const result = await runCommand(settings, command, args);
  if (result.ok && !/\berror:/i.test(result.stderr)) return { kind: 'said', text: result.stdout };
  return { kind: 'unknown', message: complaintOf(command, result) };
}

/** The last line that a command said, or how it ended without one. */
export function complaintOf(command: SlurmCommand, { kind, exitCode, code, stderr }: ProgramResult): string {
  const last = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  const end =
    kind === 'exited' ? `exit code ${exitCode}` : kind === 'not-started' ? `not started: ${code}` : kind;
  return cutText(`${command}: ${kind === 'exited' && last !== '' ? last : end}`, limits.messageCharactersMax);
}
