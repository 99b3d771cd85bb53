/** Runs the commands of Slurm, with argument arrays and in their own environment, and reads its queue. `scontrol` only shows. */

import { join } from 'node:path';
import type { JobMetadata } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { cutText } from '../../domain/values.ts';
import { type ProgramResult, runProgram } from '../../host/process.ts';
import { type IdentityNames, identityFields, readIdentity, unknownOutcome } from '../shared/kit.ts';
import type { SlurmCluster } from './definition.ts';

type SlurmCommand = 'sbatch' | 'squeue' | 'sacct' | 'scancel' | 'sinfo' | 'scontrol';

type CommandAnswer =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Runs one command. The caller interprets the output. */
export function runCommand(
  { cluster, env }: SlurmSettings,
  command: SlurmCommand,
  args: readonly string[],
): Promise<ProgramResult> {
  const file = cluster.bin === null ? command : join(cluster.bin, command);
  return runProgram(file, args, { env, timeoutMs: cluster.commandTimeoutMs });
}

/** Runs a reading command. An error message makes the answer unknown even with exit code 0, as for an account that Slurm does not know. */
export async function askCommand(
  settings: SlurmSettings,
  command: SlurmCommand,
  args: readonly string[],
): Promise<CommandAnswer> {
  const result = await runCommand(settings, command, args);
  if (result.ok && !/\berror:/i.test(result.stderr)) return { kind: 'said', text: result.stdout };
  return { kind: 'unknown', message: describeFailure(command, result) };
}

/** The last line of a command's error output, or how the command ended without one. */
export function describeFailure(command: SlurmCommand, { kind, exitCode, code, stderr }: ProgramResult): string {
  const last = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  const end = kind === 'exited' ? `exit code ${exitCode}` : kind === 'not-started' ? `not started: ${code}` : kind;
  return cutText(`${command}: ${kind === 'exited' && last !== '' ? last : end}`, limits.messageCharactersMax);
}

export type SlurmSettings = {
  readonly cluster: SlurmCluster;
  /** The complete environment of a Slurm command. */
  readonly env: Readonly<Record<string, string>>;
  /** Only jobs of this account belong to ferrybot. */
  readonly uid: number;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
};

export type SlurmSession =
  | {
      readonly kind: 'session';
      readonly id: string;
      readonly version: string;
      /** An ended job stays in the queue for at least this long. */
      readonly rememberedMs: number;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** Slurm's default of MinJobAge, if the configuration does not contain it. */
const MIN_JOB_AGE_S = 300;

/** The controller keeps its jobs across a restart, so its session is the name of its cluster. */
export async function readSlurmSession(settings: SlurmSettings): Promise<SlurmSession> {
  const said = await askCommand(settings, 'scontrol', ['show', 'config']);
  if (said.kind === 'unknown') return said;
  const setting = (name: string): string | null => new RegExp(`^${name}\\s*= (\\S+)`, 'm').exec(said.text)?.[1] ?? null;
  const [id, version] = [setting('ClusterName'), setting('SLURM_VERSION')];
  if (id === null || version === null) return unknownOutcome('scontrol showed no name of a cluster');
  const rememberedMs = Number(setting('MinJobAge') ?? MIN_JOB_AGE_S) * 1_000;
  return { kind: 'session', id, version, rememberedMs };
}

/** One job in Slurm's queue. Times are Unix milliseconds. */
export type QueuedJob = {
  readonly slurmJobId: string;
  readonly name: string;
  readonly state: string;
  readonly reason: string;
  readonly restarts: number;
  /** In the format of wait(2): exit code times 256, plus the signal. */
  readonly waitStatus: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly nodes: string;
  readonly metadata: JobMetadata | null;
};

export type Queue =
  | { readonly kind: 'jobs'; readonly jobs: readonly QueuedJob[] }
  | { readonly kind: 'unknown'; readonly message: string };

const FIELDS = [
  'JobID',
  'State',
  'Reason',
  'RestartCnt',
  'exit_code',
  'StartTime',
  'EndTime',
  'NodeList',
  'Name',
  'Comment',
] as const;

/** One call for all names. Every id is a valid job id (isSubmissionId), so none is split at a comma. */
export async function readQueue(settings: SlurmSettings, names: readonly string[]): Promise<Queue> {
  if (names.length === 0) return { kind: 'jobs', jobs: [] };
  return readQueueWith(settings, ['--states=all', `--user=${settings.uid}`, `--name=${names.join(',')}`]);
}

/**
 * The jobs that these options select; without options, all jobs that wait or run. A job sets its own name and comment, which may contain
 * any character, even a line end. So each call uses its own random field separator: no job can imitate or hide another job.
 */
export async function readQueueWith(settings: SlurmSettings, which: readonly string[]): Promise<Queue> {
  const fieldEnd = `|${crypto.randomUUID()}|`;
  const said = await askCommand(settings, 'squeue', [
    '--noheader',
    ...which,
    `--Format=${FIELDS.map((field) => `${field}:${fieldEnd}`).join(',')}`,
  ]);
  return said.kind === 'unknown' ? said : readQueueText(said.text, fieldEnd);
}

/** Unknown if any part of the text is not a job from `readQueueWith`. */
export function readQueueText(text: string, fieldEnd: string): Queue {
  const parts = text.split(fieldEnd);
  const rest = parts.pop() ?? '';
  const rows = Array.from({ length: Math.ceil(parts.length / FIELDS.length) }, (_, row) =>
    parts.slice(row * FIELDS.length, (row + 1) * FIELDS.length),
  );
  const jobs = rows.flatMap(([first = '', ...more], row) => {
    const isBehindOne = row === 0 || first.startsWith('\n');
    const job = isBehindOne ? parseQueuedJob([row === 0 ? first : first.slice(1), ...more]) : null;
    return job === null ? [] : [job];
  });
  return rest.trim() === '' && jobs.length === rows.length
    ? { kind: 'jobs', jobs }
    : unknownOutcome('squeue said a line that is no job');
}

function parseQueuedJob(texts: readonly string[]): QueuedJob | null {
  const field = (name: (typeof FIELDS)[number]): string => texts[FIELDS.indexOf(name)] ?? '';
  const [id, state, restarts, status] = [field('JobID'), field('State'), field('RestartCnt'), field('exit_code')];
  const isJob = [id, restarts, status].every((text) => /^\d+$/.test(text)) && /^[A-Z_]+$/.test(state);
  if (texts.length !== FIELDS.length || !isJob) return null;
  return {
    slurmJobId: id,
    name: field('Name'),
    state,
    reason: field('Reason'),
    restarts: Number(restarts),
    waitStatus: Number(status),
    startedAtMs: parseMoment(field('StartTime')),
    endedAtMs: parseMoment(field('EndTime')),
    nodes: field('NodeList'),
    metadata: parseComment(field('Comment')),
  };
}

/** Seconds since 1970, because the commands run with SLURM_TIME_FORMAT=%s. */
export function parseMoment(text: string | undefined): number | null {
  return /^\d{9,11}$/.test(text ?? '') ? Number(text) * 1_000 : null;
}

const IDENTITY: IdentityNames = { run: 'run', attempt: 'attempt', manifest: 'manifest', proof: 'proof' };
const FIELD = /^(run|attempt|manifest|proof)=(.*)$/;

/** `ferrybot run=… attempt=… manifest=…`, each value percent-encoded. */
export function formatComment(metadata: JobMetadata): string {
  const fields = Object.entries(identityFields(metadata, IDENTITY));
  return ['ferrybot', ...fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)].join(' ');
}

/** Null if ferrybot did not write the comment. */
export function parseComment(comment: string): JobMetadata | null {
  const [word, ...fields] = comment.split(' ');
  if (word !== 'ferrybot') return null;
  const said: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = FIELD.exec(field) ?? [];
    const text = /^(?:[\w.!~*'()-]|%[0-9A-F]{2})*$/.test(value) ? decodeValue(value) : null;
    if (name === '' || Object.hasOwn(said, name) || text === null) return null;
    said[name] = text;
  }
  return readIdentity(said, IDENTITY);
}

function decodeValue(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
