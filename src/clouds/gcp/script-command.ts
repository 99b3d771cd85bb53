/** A script of the lab as argument arrays: through uv, and what is run instead where uv itself cannot start (policy AG-02). */

import type { ProgramResult } from '../../host/process.ts';

/** `instead`: the same call without uv; absent where the command is not one of uv's, or the config allows none. */
export type ScriptCommand = { readonly command: readonly string[]; readonly instead?: readonly string[] };

/** A template of the config with its placeholders filled in, and the call without uv beside it. */
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

/**
 * Runs it. The other call is made only where the first program did not start at all: whatever has started may have changed
 * something, and a second start would change it twice.
 */
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

/** What `uv run` is told to run; null where uv is not the program, or an option of uv's stands first and means more than Python. */
function scriptOf([program, verb, ...rest]: readonly string[]): readonly string[] | null {
  if (program !== 'uv' || verb !== 'run') return null;
  if (rest[0] === 'python' || rest[0] === 'python3') return rest.slice(1);
  return rest[0]?.endsWith('.py') === true ? rest : null;
}

/** No such program, or none that this account may execute. */
function couldNotStart({ kind, code }: ProgramResult): boolean {
  return kind === 'not-started' && (code === 'ENOENT' || code === 'EACCES');
}
