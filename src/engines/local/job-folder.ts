/** The folder of one local job: which records lie in it, and what they say (parsed once, here). */

import { join } from 'node:path';
import * as z from 'zod';
import { codeOf, readTextIfThere } from '../../host/publish-once.ts';

const metadata = z
  .object({ run: z.string(), attempt: z.int(), manifest: z.string(), proof: z.string().optional() })
  .readonly();

const identity = z
  .object({
    host: z.string(),
    bootId: z.string(),
    pidNamespace: z.string(),
    pid: z.int().positive(),
    processStart: z.string().min(1),
    /** Of a supervisor: where it starts its command. Records of earlier versions lack it: then the claim says it. */
    workingDirectory: z.string().optional(),
  })
  .readonly();

const claimRecord = z
  .object({
    submissionId: z.string(),
    command: z.array(z.string()).readonly(),
    /** Names only: values may be secrets and are needed by nobody but the job. */
    environmentNames: z.array(z.string()).readonly(),
    workingDirectory: z.string(),
    metadata,
    claimedAtMs: z.int(),
  })
  .readonly();

const exitRecord = z
  .object({
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    startError: z.string().nullable(),
    startedAtMs: z.int().nullable(),
    endedAtMs: z.int(),
    stopRequested: z.boolean(),
  })
  .readonly();

export type ClaimRecord = z.infer<typeof claimRecord>;
export type IdentityRecord = z.infer<typeof identity>;
export type ExitRecord = z.infer<typeof exitRecord>;

/** A record: there, not there yet, or there and not to be read (which is no reason to act). */
export type Read<Value> =
  | { readonly kind: 'there'; readonly value: Value }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** The paths of one job. `claim` appears together with the folder; the others each once, whole. */
export type JobPaths = {
  readonly folder: string;
  readonly claim: string;
  readonly process: string;
  readonly command: string;
  readonly stop: string;
  readonly exit: string;
  readonly log: string;
};

const SUBMISSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether an id can name a folder of ours; it can never leave the engine's directory. */
export function isSubmissionId(id: string): boolean {
  return SUBMISSION_ID.test(id);
}

/** Where the records of a job lie. */
export function jobPaths(directory: string, jobId: string): JobPaths {
  const folder = join(directory, jobId);
  return {
    folder,
    claim: join(folder, 'job.json'),
    process: join(folder, 'process.json'),
    command: join(folder, 'command.json'),
    stop: join(folder, 'stop.json'),
    exit: join(folder, 'exit.json'),
    log: join(folder, 'log'),
  };
}

/** Who claimed the id, and for which run. */
export const readClaim = (paths: JobPaths): Promise<Read<ClaimRecord>> => read(paths.claim, claimRecord);

/** The supervisor that took the right to start the command. */
export const readProcess = (paths: JobPaths): Promise<Read<IdentityRecord>> => read(paths.process, identity);

/** The command itself, which can outlive a killed supervisor. */
export const readCommand = (paths: JobPaths): Promise<Read<IdentityRecord>> => read(paths.command, identity);

/** How the job ended. */
export const readExit = (paths: JobPaths): Promise<Read<ExitRecord>> => read(paths.exit, exitRecord);

async function read<Value>(path: string, schema: z.ZodType<Value>): Promise<Read<Value>> {
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
