/** What a verb of the command line gets from the process, and how it answers: for people, or as one JSON value. */

import type { Readable } from 'node:stream';

export type VerbIo = {
  readonly stdout: { write(text: string): unknown };
  /** What is piped in; only verbs that read it touch it. */
  readonly stdin: Readable;
  readonly stderr: { write(text: string): unknown };
  /** Absolute; relative paths in arguments start here. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the answer is to be one JSON value. */
  readonly json: boolean;
};

/** Exit codes of every verb, as README.md tells them. */
export const EXIT = { yes: 0, no: 1, usedWrongly: 2 } as const;

/** Writes the answer: the value where JSON was asked for, otherwise the words for people, which end their own lines. */
export function answer(io: VerbIo, value: object, words: string): void {
  io.stdout.write(io.json ? `${JSON.stringify(value)}\n` : words);
}

/** Says what was wrong with the call. */
export function misused(io: VerbIo, message: string): number {
  notOk(io, { code: 'usage', message });
  return EXIT.usedWrongly;
}

type Refusal = { readonly code: string; readonly message: string; readonly problems?: readonly unknown[] };

/** Says why the answer is no where there is nothing else to tell. */
export function refused(io: VerbIo, error: Refusal): number {
  notOk(io, error);
  return EXIT.no;
}

function notOk(io: VerbIo, error: Refusal): void {
  if (io.json) io.stdout.write(`${JSON.stringify({ ok: false, error })}\n`);
  else io.stderr.write(`${error.message}\n`);
}

/** Git needs to be found, and nothing else of the environment. */
export function pathOnly(io: VerbIo): Readonly<Record<string, string>> {
  return { PATH: io.environment['PATH'] ?? '' };
}
