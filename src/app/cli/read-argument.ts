/** Reads a file that was named on the command line, or what was piped in: never more than can be meant. */

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { fail, ok, type Result } from '../../domain/result.ts';
import type { VerbIo } from './verb-io.ts';

/** What a verb of the command line reads from a file or a pipe: a logbook's file is the longest that is meant. */
const ARGUMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Its text, or why it cannot be read, with the name as it was written. */
export async function readArgument(io: VerbIo, file: string): Promise<Result<string, string>> {
  const bytes = await readArgumentBytes(io, file);
  return bytes.ok ? ok(bytes.value.toString('utf8')) : bytes;
}

/** The same, undecoded: a Python file says itself which encoding it has. */
export function readArgumentBytes(io: VerbIo, file: string): Promise<Result<Buffer, string>> {
  return bounded(createReadStream(resolve(io.cwd, file)), file);
}

/** Standard input, undecoded and whole. */
export function readInput(io: VerbIo): Promise<Result<Buffer, string>> {
  return bounded(io.stdin, 'standard input');
}

/** A device or a pipe may never end, so that no size can be asked for before. */
async function bounded(stream: Readable, name: string): Promise<Result<Buffer, string>> {
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
