/** What all engines share: they spend permits, refuse invalid jobs, check which run owns a job, and confirm a stop. */

import { z } from 'zod';
import { spendCapability } from '../../domain/actions/capability.ts';
import {
  type Engine,
  type FoundJob,
  isSameJob,
  isTerminal,
  type Job,
  type JobMetadata,
  type JobObservation,
  type JobSpec,
  type StopOutcome,
  type SubmitOutcome,
  type SubmitRejection,
  stopStep,
  submitStep,
} from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { isFolder } from '../../host/files.ts';
import { joinFirst, listDifferencesOnDisk } from '../../host/git/tree-on-disk.ts';

const SUBMISSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether an id can name one of our folders. Such an id never leads out of the engine's directory. */
export function isSubmissionId(id: string): boolean {
  return SUBMISSION_ID.test(id);
}

export type Unknown = { readonly kind: 'unknown'; readonly message: string };
export type Rejected = Extract<SubmitOutcome, { kind: 'rejected' }>;

/** The result if the engine's state is unknown. */
export function unknownOutcome(message: string): Unknown {
  return { kind: 'unknown', message };
}

/** The result if the engine refuses the job permanently. */
export function reject(code: SubmitRejection, message: string): Rejected {
  return { kind: 'rejected', code, message };
}

/** An engine without permit checks. `stop` and `readLog` receive only valid job ids. */
type UnguardedEngine = Omit<Engine, 'submit' | 'stop'> & {
  submit(spec: JobSpec): Promise<SubmitOutcome>;
  stop(jobId: string): Promise<StopOutcome>;
};

/** Wraps an engine: spends a permit before each submit or stop. `readLog` and `stop` report an invalid id as absent. */
export function guardWithCapabilities(unguarded: UnguardedEngine): Engine {
  return {
    ...unguarded,
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      return unguarded.submit(spec);
    },
    readLog: async (jobId, offset) => (isSubmissionId(jobId) ? unguarded.readLog(jobId, offset) : { kind: 'absent' }),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      return isSubmissionId(jobId) ? unguarded.stop(jobId) : { kind: 'absent' };
    },
  };
}

/** A found job, with defaults for everything that is unknown. */
export function foundJob(known: Pick<FoundJob, 'status' | 'message'> & Partial<FoundJob>): FoundJob {
  return {
    kind: 'found',
    errorType: null,
    exitCode: null,
    startedAtMs: null,
    endedAtMs: null,
    metadata: null,
    session: null,
    details: {},
    ...known,
  };
}

/** A job that the engine does not have: absent if it was never seen, otherwise lost for the given reason. */
export function missingJob(
  lastSession: string | null,
  session: string | null,
  message: string,
): Extract<JobObservation, { kind: 'absent' | 'state-lost' }> {
  return lastSession === null
    ? { kind: 'absent', session }
    : { kind: 'state-lost', session: session ?? lastSession, message };
}

/** The job of a spec, with its dashboard page as locator. */
export function buildJob(
  engine: string,
  { submissionId: jobId, metadata }: JobSpec,
  session: string | null,
  url: string,
): Job {
  return { engine, jobId, metadata, session, locator: { kind: 'dashboard', url } };
}

/** The conflict with a job that does not belong to the spec; null if it does. */
export function findConflict(
  found: JobMetadata | null,
  { metadata }: JobSpec,
): Extract<SubmitOutcome, { kind: 'conflict' }> | null {
  return found !== null && isSameJob(found, metadata) ? null : { kind: 'conflict', found };
}

export type VariableRules = {
  readonly isGiven: (name: string, value: string) => boolean;
  /** The complaint about the names that cannot be passed. */
  readonly complaint: (names: string) => string;
};

/** Why an engine cannot run this spec as written, before anything is claimed or sent; null: nothing prevents it. */
export function checkSpec(
  { submissionId, command, env }: JobSpec,
  { isGiven, complaint }: VariableRules,
): Rejected | null {
  if (!isSubmissionId(submissionId))
    return reject('bad-submission-id', '1 to 128 of A-Z a-z 0-9 . _ -, with a letter or digit in front');
  if ((command[0] ?? '') === '') return reject('empty-command', 'there is no program to start');
  if (command.some((part) => part.includes('\0')))
    return reject('refused', 'no argument of a program can have a NUL in it');
  const names = Object.entries(env).flatMap(([name, value]) =>
    value.includes('\0') || !isGiven(name, value) ? [JSON.stringify(name)] : [],
  );
  return names.length === 0 ? null : reject('refused', complaint(names.join(', ')));
}

/** Refuses the job if the folder with the shipped files does not exist. */
export async function checkFolder({ workingDirectory }: JobSpec): Promise<Rejected | null> {
  return (await isFolder(workingDirectory)) ? null : reject('no-working-directory', `${workingDirectory} is no folder`);
}

/** Checks the shipped files right before a start, because they may have changed within the last seconds; null: no change. */
export async function checkFiles(folder: string, { files }: JobSpec): Promise<Rejected | null> {
  const differences = files === undefined ? [] : await listDifferencesOnDisk(folder, files);
  return differences.length === 0
    ? null
    : reject('refused', `what lies there is not what was shipped: ${joinFirst(differences)}`);
}

export type SubmissionPorts = {
  /** The job under the id now; null: certainly none. */
  readonly findJob: () => Promise<SubmitOutcome | null>;
  /** Sends the job once. `rejected`: the engine certainly started nothing. `unknown`: it may have started the job. */
  readonly send: () => Promise<SubmitOutcome>;
  readonly sleep: (durationMs: number) => Promise<unknown>;
  /** Pauses before each check after an uncertain answer, as long as the request may be in transit. */
  readonly recheckDelaysMs: readonly number[];
};

/** Checks first, sends at most once, and checks again after any unclear answer: the job under the id decides. */
export async function submitOnce(
  { adoptOnly }: JobSpec,
  { findJob, send, sleep, recheckDelaysMs }: SubmissionPorts,
): Promise<SubmitOutcome> {
  const there = await findJob();
  if (there !== null) return there;
  if (adoptOnly === true) return { kind: 'absent' };
  const sent = await send();
  if (sent.kind !== 'rejected' && sent.kind !== 'unknown') return sent;
  for (const delayMs of recheckDelaysMs) {
    await sleep(delayMs);
    const found = await findJob();
    if (found?.kind === 'adopted' || found?.kind === 'submitted' || found?.kind === 'conflict') return found;
    if (found === null && sent.kind === 'rejected') return sent;
  }
  return unknownOutcome(`the submit was not confirmed: ${sent.message}`);
}

export type StopPorts = {
  readonly observe: () => Promise<JobObservation>;
  /** Requests the end. An outcome settles the stop; a text describes the result of the request. */
  readonly ask: (before: JobObservation) => Promise<StopOutcome | string>;
  /** The result if the job was not seen to end. `asked`: the result of the request. */
  readonly giveUp: (last: JobObservation, asked: string) => StopOutcome;
  readonly sleep: (durationMs: number) => Promise<unknown>;
  readonly pollMs: number;
  /** Default: `limits.jobStopWaitMs`. */
  readonly waitMs?: number;
};

/** Asks a live job to end, and observes it until it ends. Only an observed end confirms a stop. */
export async function stopAndConfirm({
  observe,
  ask,
  giveUp,
  sleep,
  pollMs,
  waitMs = limits.jobStopWaitMs,
}: StopPorts): Promise<StopOutcome> {
  let last = await observe();
  if (last.kind === 'absent') return { kind: 'absent' };
  if (last.kind === 'found' && isTerminal(last.status)) return { kind: 'already-ended', status: last.status };
  const asked = await ask(last);
  if (typeof asked !== 'string') return asked;
  for (let waitedMs = 0; waitedMs <= waitMs; waitedMs += pollMs) {
    last = await observe();
    if (last.kind === 'absent') return { kind: 'absent' };
    if (last.kind === 'found' && isTerminal(last.status))
      return last.status === 'STOPPED' ? { kind: 'stopped' } : { kind: 'already-ended', status: last.status };
    await sleep(pollMs);
  }
  return giveUp(last, asked);
}

/** The outcome of a stop request: `stopping`, or unknown if the request may not have arrived. */
export function stoppingOutcome(complaint: string, message: string): StopOutcome {
  return complaint === '' ? { kind: 'stopping', message } : unknownOutcome(complaint);
}

export const jobMetadata = z
  .object({ run: z.string(), attempt: z.int(), manifest: z.string(), proof: z.string().optional() })
  .readonly();

export type IdentityNames = Readonly<Record<keyof JobMetadata, string>>;

/** The parts of an identity by the engine's names. */
export function identityFields(
  { run, attempt, manifest, proof }: JobMetadata,
  names: IdentityNames,
): Readonly<Record<string, string>> {
  return {
    [names.run]: run,
    [names.attempt]: String(attempt),
    [names.manifest]: manifest,
    ...(proof === undefined ? {} : { [names.proof]: proof }),
  };
}

const identity = z.object({
  run: z.string().min(1),
  attempt: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
  manifest: z.string().min(1),
  proof: z.string().min(1).optional(),
});

/** Parses an identity; null if it is incomplete. */
export function readIdentity(texts: unknown, names: IdentityNames): JobMetadata | null {
  if (typeof texts !== 'object' || texts === null) return null;
  const all = new Map<string, unknown>(Object.entries(texts));
  const parts = Object.entries(names).map(([part, name]) => [part, all.get(name)]);
  return identity.safeParse(Object.fromEntries(parts)).data ?? null;
}

/** Longest shown command of a job from another launcher. A sweep's command has some hundred characters. Longer ones are omitted. */
const ENTRYPOINT_CHARACTERS_MAX = 4_000;

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Ray passes the entrypoint to `sh -c` (python/ray/dashboard/modules/job/job_supervisor.py), so every argument is quoted:
 * the shell expands, splits and runs nothing in it (POSIX shell, 2.2.2 Single-Quotes). Null for a command with NUL, because
 * NUL ends a string in a shell.
 */
export function toShellLine(command: readonly string[]): string | null {
  if (command.some((part) => part.includes('\0'))) return null;
  const [program = '', ...rest] = command;
  // The shell would treat a leading `a=b` as a variable.
  const first = program.includes('=') ? quoteText(program) : quoteWord(program);
  return [first, ...rest.map(quoteWord)].join(' ');
}

function quoteWord(text: string): string {
  return PLAIN.test(text) ? text : quoteText(text);
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The complete command line; null if it is empty or too long to show. A shortened line would be another command. */
export function cutEntrypoint(line: string): string | null {
  return line === '' || line.length > ENTRYPOINT_CHARACTERS_MAX ? null : line;
}
