/** What a verb gets from the process, and how it answers. */

import type { Readable } from 'node:stream';

export type VerbIo = {
  readonly stdout: { write(text: string): unknown };
  /** Only verbs that take piped input read it. */
  readonly stdin: Readable;
  readonly stderr: { write(text: string): unknown };
  /** Absolute; relative paths in arguments start here. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
};

/** Exit codes of every verb (README.md). */
export const EXIT = { yes: 0, no: 1, usedWrongly: 2 } as const;

/** Writes the JSON value if JSON was asked for, otherwise the text. */
export function answer(io: VerbIo, value: object, words: string): void {
  io.stdout.write(io.json ? `${JSON.stringify(value)}\n` : words);
}

/** Reports a usage error. */
export function misused(io: VerbIo, message: string): number {
  notOk(io, { code: 'usage', message });
  return EXIT.usedWrongly;
}

export type Refusal = {
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly unknown[];
};

/** Reports why the answer is no. */
export function refused(io: VerbIo, error: Refusal): number {
  notOk(io, error);
  return EXIT.no;
}

function notOk(io: VerbIo, error: Refusal): void {
  if (io.json) io.stdout.write(`${JSON.stringify({ ok: false, error })}\n`);
  else io.stderr.write(`${error.message}\n`);
}

/** Git needs only the PATH. */
export function pathOnly(io: VerbIo): Readonly<Record<string, string>> {
  return { PATH: io.environment['PATH'] ?? '' };
}
