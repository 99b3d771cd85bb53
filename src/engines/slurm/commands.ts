/** Runs the commands of Slurm, with argument arrays and in their own environment. `scontrol` only shows. */

import { join } from 'node:path';
import { limits } from '../../domain/limits.ts';
import { cutText } from '../../domain/values.ts';
import { type ProgramResult, runProgram } from '../../host/process.ts';
import { unknownOutcome } from '../shared/kit.ts';
import type { SlurmCluster } from './definition.ts';

export type SlurmCommand = 'sbatch' | 'squeue' | 'sacct' | 'scancel' | 'sinfo' | 'scontrol';

export type CommandAnswer =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Runs one command. The caller interprets the output. */
export function runCommand(
  { cluster, env }: SlurmSettings,
  command: SlurmCommand,
  args: readonly string[],
): Promise<ProgramResult> {
  const file = cluster.bin === null ? command : join(cluster.bin, command);
  return runProgram(file, args, { env, timeoutMs: cluster.commandTimeoutMs });
}

/** Runs a reading command. An error message makes the answer unknown even with exit code 0, as for an account that Slurm does not know. */
export async function askCommand(
  settings: SlurmSettings,
  command: SlurmCommand,
  args: readonly string[],
): Promise<CommandAnswer> {
  const result = await runCommand(settings, command, args);
  if (result.ok && !/\berror:/i.test(result.stderr)) return { kind: 'said', text: result.stdout };
  return { kind: 'unknown', message: describeFailure(command, result) };
}

/** The last line of a command's error output, or how the command ended without one. */
export function describeFailure(command: SlurmCommand, { kind, exitCode, code, stderr }: ProgramResult): string {
  const last = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  const end = kind === 'exited' ? `exit code ${exitCode}` : kind === 'not-started' ? `not started: ${code}` : kind;
  return cutText(`${command}: ${kind === 'exited' && last !== '' ? last : end}`, limits.messageCharactersMax);
}

export type SlurmSettings = {
  readonly cluster: SlurmCluster;
  /** The complete environment of a Slurm command. */
  readonly env: Readonly<Record<string, string>>;
  /** Only jobs of this account belong to ferrybot. */
  readonly uid: number;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
};

export type SlurmSession =
  | {
      readonly kind: 'session';
      readonly id: string;
      readonly version: string;
      /** An ended job stays in the queue for at least this long. */
      readonly rememberedMs: number;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** Slurm's default of MinJobAge, if the configuration does not contain it. */
const MIN_JOB_AGE_S = 300;

/** The controller keeps its jobs across a restart, so its session is the name of its cluster. */
export async function readSlurmSession(settings: SlurmSettings): Promise<SlurmSession> {
  const said = await askCommand(settings, 'scontrol', ['show', 'config']);
  if (said.kind === 'unknown') return said;
  const setting = (name: string): string | null => new RegExp(`^${name}\\s*= (\\S+)`, 'm').exec(said.text)?.[1] ?? null;
  const [id, version] = [setting('ClusterName'), setting('SLURM_VERSION')];
  if (id === null || version === null) return unknownOutcome('scontrol showed no name of a cluster');
  const rememberedMs = Number(setting('MinJobAge') ?? MIN_JOB_AGE_S) * 1_000;
  return { kind: 'session', id, version, rememberedMs };
}
