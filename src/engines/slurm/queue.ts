/** Reads jobs by their names from `squeue`. Ended jobs stay there only for MinJobAge, so a job missing there may still have run. */

import type { JobMetadata } from '../../domain/engine.ts';
import { type IdentityNames, identityFields, readIdentity, unknownOutcome } from '../shared/kit.ts';
import { askCommand, type SlurmSettings } from './commands.ts';

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
