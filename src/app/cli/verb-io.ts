/** What a verb of the command line gets from the process: where to write, where it was called, and the environment. */

import type { Readable } from 'node:stream';

export type VerbIo = {
  readonly stdout: { write(text: string): unknown };
  /** What is piped in; only verbs that read it touch it. */
  readonly stdin: Readable;
  readonly stderr: { write(text: string): unknown };
  /** Absolute; relative paths in arguments start here. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** Exit codes of every verb, as README.md tells them. */
export const EXIT = { yes: 0, no: 1, usedWrongly: 2 } as const;

/** Says what was wrong with the call, as the one JSON value where JSON was asked for. */
export function misused(io: VerbIo, wantsJson: boolean, message: string): number {
  if (wantsJson) io.stdout.write(`${JSON.stringify({ ok: false, error: { code: 'usage', message } })}\n`);
  else io.stderr.write(`${message}\n`);
  return EXIT.usedWrongly;
}

/** Git needs to be found, and nothing else of the environment. */
export function pathOnly(io: VerbIo): Readonly<Record<string, string>> {
  return { PATH: io.environment['PATH'] ?? '' };
}
