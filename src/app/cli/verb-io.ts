/** The process resources that a verb uses, and its ways to answer. */

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { cutText, fail, ok, type Result } from '../../domain/values.ts';

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

/** Exit codes of every verb (docs/command-line.md). */
export const EXIT = { yes: 0, no: 1, usedWrongly: 2 } as const;

/** Writes the JSON value after `--json`, otherwise the text. */
export function reply(io: VerbIo, value: object, words: string): void {
  io.stdout.write(io.json ? `${JSON.stringify(value)}\n` : words);
}

/** Sentences of a comment as a terminal shows them: code without its fence, other text without escapes for GitHub. */
export function forTerminal(markdown: string): string {
  return markdown.replace(SIGN, (sign) => {
    if (sign.startsWith('<')) return forTerminal(sign.slice('<code>'.length, -'</code>'.length));
    if (sign.startsWith('\\')) return sign.slice(1);
    if (sign.startsWith('&')) return SIGNS[sign] ?? String.fromCodePoint(Number(sign.slice(2, -1)));
    const fence = sign.search(/[^`]/);
    const content = sign.slice(fence, -fence);
    return content.startsWith(' ') && content.endsWith(' ') && content.includes('`') ? content.slice(1, -1) : content;
  });
}

/** Code in HTML or between backticks, an escape, or an entity. A sentence has no longer code; the limit keeps hostile text cheap. */
const SIGN =
  /<code>.{0,2000}?<\/code>|(?<!`)(`{1,8})(?!`).{1,2000}?(?<!`)\1(?!`)|\\[!-/:-@[-`{-~]|&(?:#\d{1,7}|amp|lt|gt);/g;

const SIGNS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#8203;': '' };

export type VerbRefusal = { readonly code: string; readonly message: string; readonly problems?: readonly unknown[] };

/** Reports why the answer is no, or a usage error (code `usage`). */
export function refuse(io: VerbIo, error: VerbRefusal): number {
  if (io.json) io.stdout.write(`${JSON.stringify({ ok: false, error })}\n`);
  else io.stderr.write(`${error.message}\n`);
  return error.code === 'usage' ? EXIT.usedWrongly : EXIT.no;
}

/** Reports a usage error; returns its exit code. */
export function usageError(io: VerbIo, message: string): number {
  return refuse(io, { code: 'usage', message });
}

/** The environment for git, which needs only PATH. */
export function pathEnv(io: VerbIo): Readonly<Record<string, string>> {
  return { PATH: io.environment['PATH'] ?? '' };
}

/** Yields log lines. A carriage return also ends a line, because progress bars use it. Invalid UTF-8 becomes replacement characters. */
export async function* readLogLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    // Without an encoding, chunks are bytes.
    const text = rest + decoder.decode(chunk as Uint8Array, { stream: true });
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = cutText(lines.pop() ?? '', LINE_CHARS_MAX);
    yield* lines;
  }
  const last = (rest + decoder.decode()).replace(/\r$/, '');
  if (last !== '') yield last;
}

/** Longer lines are cut. */
const LINE_CHARS_MAX = 1_000_000;

/** Maximum input size; a logbook file is the largest input. */
const ARGUMENT_BYTES_MAX = 64 * 1024 * 1024;

/** The text of a file, or why it cannot be read. */
export async function readArgument(io: VerbIo, file: string): Promise<Result<string, string>> {
  const bytes = await readArgumentBytes(io, file);
  return bytes.ok ? ok(bytes.value.toString('utf8')) : bytes;
}

/** The bytes of a file. Python files need bytes, because they declare their own encoding. */
export function readArgumentBytes(io: VerbIo, file: string): Promise<Result<Buffer, string>> {
  return readBoundedStream(createReadStream(resolve(io.cwd, file)), file);
}

/** The text of standard input. A byte order mark stays, as in a comment from GitHub. */
export async function readInputText(io: VerbIo): Promise<Result<string, string>> {
  const bytes = await readBoundedStream(io.stdin, 'standard input');
  return bytes.ok ? ok(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.value)) : bytes;
}

/** Checks the size while reading, because a pipe has no size. */
async function readBoundedStream(stream: Readable, name: string): Promise<Result<Buffer, string>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const part = Buffer.from(chunk);
      bytes += part.byteLength;
      if (bytes > ARGUMENT_BYTES_MAX)
        return fail(`${name} cannot be read: it is longer than ${ARGUMENT_BYTES_MAX} bytes`);
      chunks.push(part);
    }
  } catch (error) {
    return fail(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return ok(Buffer.concat(chunks));
}
