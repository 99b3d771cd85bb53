// Calls a verb of the command line as a process would, and keeps what it says.

import { Readable } from 'node:stream';
import type { Verb } from '../../../src/app/cli/verb-table.ts';
import { environment } from '../../host/git/scratch-repository.ts';

export type Called = { readonly code: number; readonly out: string; readonly err: string };

/** The exit code with what was written; `cwd` is where it was called, `stdin` what is piped in. */
export async function callVerb(
  verb: Verb,
  cwd: string,
  args: readonly string[],
  stdin = '',
): Promise<Called> {
  let [out, err] = ['', ''];
  const code = await verb(args, {
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    cwd,
    environment: { ...environment, HOME: cwd },
  });
  return { code, out, err };
}
