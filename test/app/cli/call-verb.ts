// Runs the command line as a process would, and captures its output.

import { Readable } from 'node:stream';
import { runCommandLine } from '../../../src/app/cli/command-line.ts';
import { environment } from '../../host/git/scratch-repository.ts';

export type VerbResult = { readonly code: number; readonly out: string; readonly err: string };

/**
 * Returns the exit code and the output. `verb` is the command as typed, `cwd` its folder, `stdin` the piped
 * input.
 */
export async function callVerb(
  verb: string,
  cwd: string,
  args: readonly string[],
  stdin: string | Uint8Array = '',
  variables: Readonly<Record<string, string>> = { ...environment, HOME: cwd },
): Promise<VerbResult> {
  let [out, err] = ['', ''];
  const code = await runCommandLine([...verb.split(' '), ...args], {
    stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    cwd,
    environment: variables,
  });
  return { code, out, err };
}
