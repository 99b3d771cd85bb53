/** The folder of one local job: which records lie in it, and what they say (parsed once, here). */

import { join } from 'node:path';
import * as z from 'zod';
import { type Read, readRecord } from '../shared/job-files.ts';

/** What the engine needs from its surroundings. */
export type LocalEngineOptions = {
  /** Absolute; one folder a job lies in it. It must outlive the runner's checkout. */
  readonly directory: string;
  readonly now: () => number;
  /** The Node that runs the supervisor; default: the one that runs this. */
  readonly nodePath?: string;
  /** The least environment a program needs; default: this process's PATH and LANG. */
  readonly baseEnv?: Readonly<Record<string, string>>;
  readonly stopGraceMs?: number;
};

/** The options with their defaults filled in. */
export type LocalSettings = Required<LocalEngineOptions>;

const identity = z
  .object({
    host: z.string(),
    bootId: z.string(),
    pidNamespace: z.string(),
    pid: z.int().positive(),
    processStart: z.string().min(1),
    /** Where a supervisor starts its command; absent where a stop took the right to start. */
    workingDirectory: z.string().optional(),
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

export type IdentityRecord = z.infer<typeof identity>;
export type ExitRecord = z.infer<typeof exitRecord>;

export type JobPaths = ReturnType<typeof jobPaths>;

/** Where the records of a job lie. Each file appears once, whole. */
export function jobPaths(directory: string, jobId: string) {
  const folder = join(directory, jobId);
  return {
    folder,
    process: join(folder, 'process.json'),
    command: join(folder, 'command.json'),
    stop: join(folder, 'stop.json'),
    exit: join(folder, 'exit.json'),
    log: join(folder, 'log'),
  } as const;
}

/** The supervisor that took the right to start the command. */
export const readProcess = (paths: JobPaths): Promise<Read<IdentityRecord>> =>
  readRecord(paths.process, identity);

/** The command itself, which can outlive a killed supervisor. */
export const readCommand = (paths: JobPaths): Promise<Read<IdentityRecord>> =>
  readRecord(paths.command, identity);

/** How the job ended. */
export const readExit = (paths: JobPaths): Promise<Read<ExitRecord>> => readRecord(paths.exit, exitRecord);
