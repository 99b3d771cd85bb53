/** What all engines do alike: spend permits, refuse what no job can be given, judge whose job it is, and confirm a stop. */

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
import { differencesOnDisk, firstOf } from '../../host/git/tree-on-disk.ts';

const SUBMISSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether an id can name a folder of ours; it can never leave the engine's directory. */
export function isSubmissionId(id: string): boolean {
  return SUBMISSION_ID.test(id);
}

export type Unknown = { readonly kind: 'unknown'; readonly message: string };
export type Rejected = Extract<SubmitOutcome, { kind: 'rejected' }>;

/** The answer where the engine's state cannot be told. */
export function unknownBecause(message: string): Unknown {
  return { kind: 'unknown', message };
}

/** The answer where the engine refuses the job for good. */
export function rejected(code: SubmitRejection, message: string): Rejected {
  return { kind: 'rejected', code, message };
}

/** An engine before its permits: `stop` and `readLog` are called with ids that can name a job. */
type Unguarded = Omit<Engine, 'submit' | 'stop'> & {
  submit(spec: JobSpec): Promise<SubmitOutcome>;
  stop(jobId: string): Promise<StopOutcome>;
};

/** The engine that spends a permit before it submits or stops, and never calls anything with an id that is none. */
export function guarded(unguarded: Unguarded): Engine {
  return {
    ...unguarded,
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      return unguarded.submit(spec);
    },
    readLog: async (jobId, offset) =>
      isSubmissionId(jobId) ? unguarded.readLog(jobId, offset) : { kind: 'absent' },
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      return isSubmissionId(jobId) ? unguarded.stop(jobId) : { kind: 'absent' };
    },
  };
}

/** A job of which nothing else is known. */
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

/** A job that the engine does not have: absent if it was never seen, otherwise lost, for this reason. */
export function missingJob(
  lastSession: string | null,
  session: string | null,
  message: string,
): Extract<JobObservation, { kind: 'absent' | 'state-lost' }> {
  return lastSession === null
    ? { kind: 'absent', session }
    : { kind: 'state-lost', session: session ?? lastSession, message };
}

/** The job of a spec, with the page on which people find it. */
export function jobAt(
  engine: string,
  { submissionId: jobId, metadata }: JobSpec,
  session: string | null,
  url: string,
): Job {
  return { engine, jobId, metadata, session, locator: { kind: 'dashboard', url } };
}

/** The conflict with a job that is not the spec's; null: it is. */
export function conflictWith(
  found: JobMetadata | null,
  { metadata }: JobSpec,
): Extract<SubmitOutcome, { kind: 'conflict' }> | null {
  return found !== null && isSameJob(found, metadata) ? null : { kind: 'conflict', found };
}

export type Variables = {
  readonly isGiven: (name: string, value: string) => boolean;
  /** Said of the names that are not. */
  readonly complaint: (names: string) => string;
};

/** What no job of an engine can be given as it is meant, told before anything is claimed or sent; null: nothing. */
export function specRefusal(
  { submissionId, command, env }: JobSpec,
  { isGiven, complaint }: Variables,
): Rejected | null {
  if (!isSubmissionId(submissionId))
    return rejected('bad-submission-id', '1 to 128 of A-Z a-z 0-9 . _ -, with a letter or digit in front');
  if ((command[0] ?? '') === '') return rejected('empty-command', 'there is no program to start');
  if (command.some((part) => part.includes('\0')))
    return rejected('refused', 'no argument of a program can have a NUL in it');
  const names = Object.entries(env).flatMap(([name, value]) =>
    value.includes('\0') || !isGiven(name, value) ? [JSON.stringify(name)] : [],
  );
  return names.length === 0 ? null : rejected('refused', complaint(names.join(', ')));
}

/** The same where the shipped files have to lie there at once. */
export async function folderRefusal({ workingDirectory }: JobSpec): Promise<Rejected | null> {
  return (await isFolder(workingDirectory))
    ? null
    : rejected('no-working-directory', `${workingDirectory} is no folder`);
}

/** Right before a start: what was shipped some seconds ago may have been written to since; null: it has not. */
export async function changedRefusal(folder: string, { files }: JobSpec): Promise<Rejected | null> {
  const differences = files === undefined ? [] : await differencesOnDisk(folder, files);
  return differences.length === 0
    ? null
    : rejected('refused', `what lies there is not what was shipped: ${firstOf(differences)}`);
}

export type Submission = {
  /** What is under the job's id now; null: certainly nothing. */
  readonly look: () => Promise<SubmitOutcome | null>;
  /** Sends the job, once. `rejected`: the engine certainly started nothing; `unknown`: it may have. */
  readonly send: () => Promise<SubmitOutcome>;
  readonly sleep: (durationMs: number) => Promise<unknown>;
  /** Pauses before each look after a doubtful answer: as long as the request may be on its way. */
  readonly lookAgainMs: readonly number[];
};

/** Looks first, sends at most once, and after anything but a plain yes looks again: the job under the id decides. */
export async function submitOnce(
  { adoptOnly }: JobSpec,
  { look, send, sleep, lookAgainMs }: Submission,
): Promise<SubmitOutcome> {
  const there = await look();
  if (there !== null) return there;
  if (adoptOnly === true) return { kind: 'absent' };
  const sent = await send();
  if (sent.kind !== 'rejected' && sent.kind !== 'unknown') return sent;
  for (const delayMs of lookAgainMs) {
    await sleep(delayMs);
    const found = await look();
    if (found?.kind === 'adopted' || found?.kind === 'submitted' || found?.kind === 'conflict') return found;
    if (found === null && sent.kind === 'rejected') return sent;
  }
  return unknownBecause(`the submit was not confirmed: ${sent.message}`);
}

export type Stop = {
  readonly observe: () => Promise<JobObservation>;
  /** Asks for the end. An outcome settles the stop; a text says what came of the asking. */
  readonly ask: (before: JobObservation) => Promise<StopOutcome | string>;
  /** What is answered where the job was not seen to end; `asked`: what came of the asking. */
  readonly late: (last: JobObservation, asked: string) => StopOutcome;
  readonly sleep: (durationMs: number) => Promise<unknown>;
  readonly pollMs: number;
  /** Without it: `limits.jobStopWaitMs`. */
  readonly waitMs?: number;
};

/** Asks a job that has not ended to end, and looks until it has: a stop is believed when it is seen. */
export async function stopAndConfirm({
  observe,
  ask,
  late,
  sleep,
  pollMs,
  waitMs = limits.jobStopWaitMs,
}: Stop): Promise<StopOutcome> {
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
  return late(last, asked);
}

/** For an asking that says nothing, or why it may not have arrived. */
export function stoppingUnless(complaint: string, message: string): StopOutcome {
  return complaint === '' ? { kind: 'stopping', message } : unknownBecause(complaint);
}

/** Whose job it is, as JSON has it. */
export const jobMetadata = z
  .object({ run: z.string(), attempt: z.int(), manifest: z.string(), proof: z.string().optional() })
  .readonly();

/** The name of each part, as an engine may have it. */
export type IdentityNames = Readonly<Record<keyof JobMetadata, string>>;

/** The parts by their names. */
export function identityTexts(
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

/** Null where the texts do not say it whole. */
export function identityIn(texts: unknown, names: IdentityNames): JobMetadata | null {
  if (typeof texts !== 'object' || texts === null) return null;
  const all = new Map<string, unknown>(Object.entries(texts));
  const parts = Object.entries(names).map(([part, name]) => [part, all.get(name)]);
  return identity.safeParse(Object.fromEntries(parts)).data ?? null;
}

/** The command of a job that somebody else has launched: a sweep's is some hundred, and it is shown whole or not at all. */
const ENTRYPOINT_CHARACTERS_MAX = 4_000;

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Ray hands the entrypoint to `sh -c` (python/ray/dashboard/modules/job/job_supervisor.py), so every argument is
 * quoted: nothing in it is expanded, split or run (POSIX shell, 2.2.2 Single-Quotes). Null for a command that no
 * shell can be given: NUL ends a string there.
 */
export function shellLineOf(command: readonly string[]): string | null {
  if (command.some((part) => part.includes('\0'))) return null;
  const [program = '', ...rest] = command;
  // `a=b` in front would be taken for a variable.
  const first = program.includes('=') ? quoted(program) : word(program);
  return [first, ...rest.map(word)].join(' ');
}

function word(text: string): string {
  return PLAIN.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A line that says all of what is started; null where there is none, and where it is too long to be shown: half of one is another. */
export function withinLine(line: string): string | null {
  return line === '' || line.length > ENTRYPOINT_CHARACTERS_MAX ? null : line;
}
