/** What engines with a folder for each job share: which ids can name one, and records that are there, not there yet, or not to be read. */

import { type FileHandle, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { LogRead } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { isFolder } from '../../host/is-folder.ts';
import { openPlainFile } from '../../host/plain-file.ts';
import { codeOf, readTextIfThere } from '../../host/publish-once.ts';
import { chunkOf } from './log-window.ts';

/** Whose job it is, as a record has it. */
export const jobMetadata = z
  .object({ run: z.string(), attempt: z.int(), manifest: z.string(), proof: z.string().optional() })
  .readonly();

/** A record: there, not there yet, or there and not to be read (which is no reason to act). */
export type Read<Value> =
  | { readonly kind: 'there'; readonly value: Value }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string };

const SUBMISSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether an id can name a folder of ours; it can never leave the engine's directory. */
export function isSubmissionId(id: string): boolean {
  return SUBMISSION_ID.test(id);
}

/** The account whose file it is: its name where it is ours, else its number; null where nobody can say. */
export async function ownerOfFile(path: string): Promise<string | null> {
  try {
    const { uid } = await stat(path);
    return uid === process.getuid?.() ? userInfo().username : `uid ${uid}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}

/**
 * Claims an id: a finished folder takes its name, once, because a rename onto a folder that is not empty fails. `fill` makes
 * it beside the others, in `directory`. True when this call made the folder; one that was there is left as it is.
 */
export async function claimOnce(
  directory: string,
  folder: string,
  fill: (draft: string) => Promise<void>,
): Promise<boolean> {
  const drafts = join(directory, '.claims');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  if (await isFolder(folder)) return false;
  const draft = await mkdtemp(join(drafts, 'claim-'));
  try {
    await fill(draft);
    await rename(draft, folder);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** Reads a record of JSON. */
export async function readRecord<Value>(path: string, schema: z.ZodType<Value>): Promise<Read<Value>> {
  try {
    const text = await readTextIfThere(path);
    if (text === null) return { kind: 'missing' };
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success
      ? { kind: 'there', value: parsed.data }
      : { kind: 'unreadable', why: `${path}: ${z.prettifyError(parsed.error)}` };
  } catch (error) {
    if (!(error instanceof SyntaxError) && codeOf(error) === undefined) throw error;
    return { kind: 'unreadable', why: `${path}: ${String(error)}` };
  }
}

/** At most `limits.logChunkBytesMax` bytes; a job that has not written yet gives an empty chunk. */
export async function readLogFile(path: string, offset: number): Promise<LogRead> {
  let file: FileHandle;
  try {
    file = await openPlainFile(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return { kind: 'unknown', message: String(error) };
    if (offset > 0) return { kind: 'rewound', sizeBytes: 0 };
    return chunkOf(new Uint8Array(), offset, true);
  }
  try {
    const { size } = await file.stat();
    if (offset > size) return { kind: 'rewound', sizeBytes: size };
    const length = Math.min(size - offset, limits.logChunkBytesMax);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    return chunkOf(buffer.subarray(0, bytesRead), offset, offset + bytesRead >= size);
  } finally {
    await file.close();
  }
}
