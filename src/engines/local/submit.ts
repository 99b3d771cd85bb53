/** Starts a local job at most once per submission id, from any state that a crash left behind. */

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import * as z from 'zod';
import type { JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { currentPidScope } from '../../host/process.ts';
import { claimJob, type RecordRead, readRecord } from '../shared/job-files.ts';
import { checkFiles, checkFolder, checkSpec, unknownOutcome, type VariableRules } from '../shared/kit.ts';
import { type SupervisorOrder, supervisorSource } from './supervisor.ts';

/** Settings of the engine and its access to the machine. */
export type LocalEngineOptions = {
  /** Absolute path; contains one folder per job. It must outlive the runner's checkout. */
  readonly directory: string;
  readonly now: () => number;
  /** The Node that runs the supervisor; default: the Node of this process. */
  readonly nodePath?: string;
  /** The minimal environment of a program; default: this process's PATH and LANG. */
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
    /** Where a supervisor starts its command; absent if a stop took the right to start. */
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

/** Paths of a job's records. Each file appears once, complete. */
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
export const readProcess = (paths: JobPaths): Promise<RecordRead<IdentityRecord>> =>
  readRecord(paths.process, identity);

/** The command itself, which can outlive a killed supervisor. */
export const readCommand = (paths: JobPaths): Promise<RecordRead<IdentityRecord>> =>
  readRecord(paths.command, identity);

/** How the job ended. */
export const readExit = (paths: JobPaths): Promise<RecordRead<ExitRecord>> => readRecord(paths.exit, exitRecord);

/** A started supervisor reports within this time, even on a fully loaded machine (Node starts in 0.1 to 3 s). */
const JOB_START_WAIT_MS = 20_000;
/** An adopter gives the first submitter's supervisor this time to report, before it starts one itself. */
const JOB_ADOPT_WAIT_MS = 2_000;
/** A supervisor tries this often, once a second, to write its exit record (the disk may be full). */
const JOB_EXIT_RECORD_TRIES = 3_600;

const ANY_VARIABLE: VariableRules = {
  isGiven: () => true,
  complaint: (names) => `no process can be given a NUL, as in ${names}`,
};

/**
 * Two atomic steps ensure at most one start. (1) The claim: a finished folder with job.json is renamed to the id's name. A
 * rename onto a non-empty folder fails, so one submitter wins, and all others read which job owns the id. (2) The start: the
 * supervisor creates process.json, which can be created once, before it starts the command. A crash between the steps, or
 * between starting the supervisor and its record, needs no special case. The next submit of the same id waits briefly for
 * the record, and otherwise starts another supervisor. If both run, one finds the record taken and exits without starting
 * anything.
 */
export async function submitLocally(settings: LocalSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = checkSpec(spec, ANY_VARIABLE) ?? (await checkFolder(spec));
  if (refusal !== null) return refusal;
  const claimed = await claimJob(settings.directory, spec, settings.now());
  if (claimed.kind !== 'claimed') return claimed;
  const paths = jobPaths(settings.directory, spec.submissionId);
  const running = await awaitRecord(paths, claimed.as === 'submitted' ? 0 : JOB_ADOPT_WAIT_MS);
  // The job was claimed but never started.
  if (running === null && spec.adoptOnly === true) return { kind: 'absent' };
  const changed = running === null ? await checkFiles(spec.workingDirectory, spec) : null;
  if (changed !== null) return changed;
  const supervisor = running ?? (await startAndAwait(settings, paths, spec));
  if (typeof supervisor === 'string') return unknownOutcome(supervisor);
  const { pid, processStart, bootId: session, workingDirectory = claimed.workingDirectory } = supervisor;
  const { exit: exitRecord, log } = paths;
  const locator = { kind: 'process', pid, processStart, exitRecord, log, workingDirectory } as const;
  const { submissionId: jobId, metadata } = spec;
  return { kind: claimed.as, job: { engine: 'local', jobId, metadata, session, locator } };
}

/** Starts a supervisor. Returns its identity, or why none reported. */
async function startAndAwait(
  settings: LocalSettings,
  paths: JobPaths,
  spec: JobSpec,
): Promise<IdentityRecord | string> {
  // Each start gets a new home: Python runs files that it finds in a home, so the home must be empty.
  const home = await mkdtemp(join(paths.folder, 'home-'));
  const order: SupervisorOrder = {
    folder: paths.folder,
    command: spec.command,
    env: { ...settings.baseEnv, HOME: home, FERRYBOT_SUBMISSION_ID: spec.submissionId, ...spec.env },
    workingDirectory: spec.workingDirectory,
    scope: await currentPidScope(),
    stopGraceMs: settings.stopGraceMs,
    exitRecordTries: JOB_EXIT_RECORD_TRIES,
  };
  const supervisor = execa(settings.nodePath, ['-e', supervisorSource()], {
    cwd: paths.folder,
    env: { ...settings.baseEnv },
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    input: JSON.stringify(order),
    stdout: 'ignore',
    stderr: 'ignore',
  });
  supervisor.nodeChildProcess.unref();
  const record = await awaitRecord(paths, JOB_START_WAIT_MS);
  return record ?? `no supervisor reported within ${JOB_START_WAIT_MS} ms; see ${paths.folder}`;
}

async function awaitRecord(paths: JobPaths, waitMs: number): Promise<IdentityRecord | null> {
  for (let waitedMs = 0; ; waitedMs += limits.jobRecordPollMs) {
    const record = await readProcess(paths);
    if (record.kind === 'there') return record.value;
    if (waitedMs >= waitMs) return null;
    await sleep(limits.jobRecordPollMs);
  }
}
