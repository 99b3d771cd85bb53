/** What engines with a folder for each job share: which ids can name one, and records that are there, not there yet, or not to be read. */

import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { z } from 'zod';
import { codeOf, readTextIfThere } from '../host/publish-once.ts';

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
