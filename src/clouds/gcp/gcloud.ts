/** Runs gcloud. Changes need a capability for exactly that call. */

import type { ChangeStep } from '../../domain/actions/action.ts';
import { type Permit, spendCapability } from '../../domain/actions/capability.ts';
import type { ProgramResult, RunOptions } from '../../host/process.ts';

export type RunProgram = (
  file: string,
  args: readonly string[],
  options: RunOptions,
) => Promise<ProgramResult>;

export type GcloudOptions = {
  readonly program: string;
  /** The complete environment: cloud credentials, no GitHub token. */
  readonly env: Readonly<Record<string, string>>;
  readonly run: RunProgram;
};

/** Verbs that change nothing; all others need a capability. */
const READS = [['compute', 'tpus', 'tpu-vm', 'list']] as const;

/** Runs a reading call. Throws for other arguments. */
export function readWithGcloud(
  { program, env, run }: GcloudOptions,
  args: readonly string[],
  timeoutMs: number,
): Promise<ProgramResult> {
  if (!READS.some((verb) => verb.every((word, index) => args[index] === word)))
    throw new Error(`gcloud ${args.slice(0, 4).join(' ')} is no reading`);
  return run(program, args, { env, timeoutMs });
}

/** Spends the step, then runs it. */
export function changeWithGcloud(
  { program, env, run }: GcloudOptions,
  step: ChangeStep,
  permit: Permit,
  timeoutMs: number,
): Promise<ProgramResult> {
  const [name, ...args] = step.command;
  if (name !== 'gcloud') throw new Error(`${name ?? 'nothing'} is not gcloud`);
  spendCapability(permit, step);
  return run(program, args, { env, timeoutMs });
}

/** Variables that gcloud needs to find itself and its credentials. */
const PASSED = ['PATH', 'HOME', 'LANG', 'CLOUDSDK_CONFIG', 'GOOGLE_APPLICATION_CREDENTIALS'];

/** The environment, with prompts disabled. */
export function gcloudEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const passed = PASSED.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), CLOUDSDK_CORE_DISABLE_PROMPTS: '1' };
}

/** Why a call failed, in one line. The caller redacts it. */
export function failureOf({ kind, exitCode, code, stderr }: ProgramResult): string {
  const how = kind === 'exited' ? `exit code ${exitCode}` : kind === 'not-started' ? `${code}` : kind;
  const lines = stderr.trim().split('\n');
  const first = lines.findIndex((line) => line.startsWith('ERROR:'));
  const said = (first < 0 ? lines.slice(-3) : lines.slice(first, first + 3)).join(' ');
  return said === '' ? `gcloud: ${how}` : `gcloud: ${how}: ${said}`;
}
