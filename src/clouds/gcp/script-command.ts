/** Runs scripts of the lab through uv, or without it if uv cannot start (policy AG-02). */

import type { ChangeStep } from '../../domain/actions/action.ts';
import { type Permit, spendCapability } from '../../domain/actions/capability.ts';
import type { ProgramResult, RunOptions } from '../../host/process.ts';
import type { RunProgram } from './gcloud.ts';

/** Spends the step, then runs it. Throws `CapabilityError` if the capability does not fit. */
export function changeWithScript(
  run: RunProgram,
  step: ChangeStep,
  permit: Permit,
  options: RunOptions,
): Promise<ProgramResult> {
  spendCapability(permit, step);
  return runScriptCommand(step, (file, args) => run(file, args, options));
}

/** `instead`: the same call without uv, if there is one. */
type ScriptCommand = { readonly command: readonly string[]; readonly instead?: readonly string[] };

/** Fills in a template of the config. */
export function scriptCommand(
  template: readonly string[],
  values: Readonly<Record<string, string>>,
  pythonWithoutUv: readonly string[] | null,
): ScriptCommand {
  const command = template.map((part) =>
    part.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole),
  );
  const script = pythonWithoutUv === null ? null : scriptOf(command);
  return script === null ? { command } : { command, instead: [...(pythonWithoutUv ?? []), ...script] };
}

/** Runs the script. The fallback runs only if the first program did not start: a started one may have changed something. */
export async function runScriptCommand(
  { command, instead }: ScriptCommand,
  run: (file: string, args: readonly string[]) => Promise<ProgramResult>,
): Promise<ProgramResult> {
  const [file = '', ...args] = command;
  const first = await run(file, args);
  if (instead === undefined || !couldNotStart(first)) return first;
  const [other = '', ...rest] = instead;
  return run(other, rest);
}

/** The script that `uv run` starts; null if uv is not the program or has its own options. */
function scriptOf([program, verb, ...rest]: readonly string[]): readonly string[] | null {
  if (program !== 'uv' || verb !== 'run') return null;
  if (rest[0] === 'python' || rest[0] === 'python3') return rest.slice(1);
  return rest[0]?.endsWith('.py') === true ? rest : null;
}

/** The program is missing or not executable. */
function couldNotStart({ kind, code }: ProgramResult): boolean {
  return kind === 'not-started' && (code === 'ENOENT' || code === 'EACCES');
}
