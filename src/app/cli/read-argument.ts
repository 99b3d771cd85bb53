/** Reads a file that was named on the command line. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fail, ok, type Result } from '../../domain/result.ts';
import type { VerbIo } from './verb-io.ts';

/** Its text, or why it cannot be read, with the name as it was written. */
export async function readArgument(io: VerbIo, file: string): Promise<Result<string, string>> {
  const bytes = await readArgumentBytes(io, file);
  return bytes.ok ? ok(bytes.value.toString('utf8')) : bytes;
}

/** The same, undecoded: a Python file says itself which encoding it has. */
export async function readArgumentBytes(io: VerbIo, file: string): Promise<Result<Buffer, string>> {
  try {
    return ok(await readFile(resolve(io.cwd, file)));
  } catch (error) {
    return fail(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
