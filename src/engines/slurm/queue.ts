/** What `squeue` knows of jobs by their names; ended jobs stay there for MinJobAge alone, so *not there* is not *gone*. */

import type { JobMetadata } from '../../domain/engine.ts';
import { type IdentityNames, identityIn, identityTexts, unknownBecause } from '../shared/kit.ts';
import { askCommand, type SlurmSettings } from './commands.ts';

/** One job in Slurm's queue. Times are Unix milliseconds. */
export type QueuedJob = {
  readonly slurmJobId: string;
  readonly name: string;
  readonly state: string;
  readonly reason: string;
  readonly restarts: number;
  /** As wait(2) gives it: exit code times 256, plus the signal. */
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

/** One call for all names; every id is one that can be a job's (isSubmissionId), so that none is split at a comma. */
export async function readQueue(settings: SlurmSettings, names: readonly string[]): Promise<Queue> {
  if (names.length === 0) return { kind: 'jobs', jobs: [] };
  return readQueueOf(settings, ['--states=all', `--user=${settings.uid}`, `--name=${names.join(',')}`]);
}

/**
 * What these options choose; without any, all that waits or runs. A job says its own name and comment, with any sign in them,
 * also line ends: what ends a field is a word of this call alone, so that no job speaks of another one or hides it.
 */
export async function readQueueOf(settings: SlurmSettings, which: readonly string[]): Promise<Queue> {
  const fieldEnd = `|${crypto.randomUUID()}|`;
  const said = await askCommand(settings, 'squeue', [
    '--noheader',
    ...which,
    `--Format=${FIELDS.map((field) => `${field}:${fieldEnd}`).join(',')}`,
  ]);
  return said.kind === 'unknown' ? said : readQueueText(said.text, fieldEnd);
}

/** Unknown where anything in the text is no job of `readQueueOf`'s. */
export function readQueueText(text: string, fieldEnd: string): Queue {
  const parts = text.split(fieldEnd);
  const rest = parts.pop() ?? '';
  const rows = Array.from({ length: Math.ceil(parts.length / FIELDS.length) }, (_, row) =>
    parts.slice(row * FIELDS.length, (row + 1) * FIELDS.length),
  );
  const jobs = rows.flatMap(([first = '', ...more], row) => {
    const isBehindOne = row === 0 || first.startsWith('\n');
    const job = isBehindOne ? jobOf([row === 0 ? first : first.slice(1), ...more]) : null;
    return job === null ? [] : [job];
  });
  return rest.trim() === '' && jobs.length === rows.length
    ? { kind: 'jobs', jobs }
    : unknownBecause('squeue said a line that is no job');
}

function jobOf(texts: readonly string[]): QueuedJob | null {
  const field = (name: (typeof FIELDS)[number]): string => texts[FIELDS.indexOf(name)] ?? '';
  const [id, state, restarts, status] = [
    field('JobID'),
    field('State'),
    field('RestartCnt'),
    field('exit_code'),
  ];
  const isJob = [id, restarts, status].every((text) => /^\d+$/.test(text)) && /^[A-Z_]+$/.test(state);
  if (texts.length !== FIELDS.length || !isJob) return null;
  return {
    slurmJobId: id,
    name: field('Name'),
    state,
    reason: field('Reason'),
    restarts: Number(restarts),
    waitStatus: Number(status),
    startedAtMs: momentOf(field('StartTime')),
    endedAtMs: momentOf(field('EndTime')),
    nodes: field('NodeList'),
    metadata: metadataOf(field('Comment')),
  };
}

/** Seconds since 1970, because the commands are told SLURM_TIME_FORMAT=%s. */
export function momentOf(text: string | undefined): number | null {
  return /^\d{9,11}$/.test(text ?? '') ? Number(text) * 1_000 : null;
}

const IDENTITY: IdentityNames = { run: 'run', attempt: 'attempt', manifest: 'manifest', proof: 'proof' };
const FIELD = /^(run|attempt|manifest|proof)=(.*)$/;

/** `ferrybot run=… attempt=… manifest=…`, each value percent-encoded. */
export function commentOf(metadata: JobMetadata): string {
  const fields = Object.entries(identityTexts(metadata, IDENTITY));
  return ['ferrybot', ...fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)].join(' ');
}

/** Null where the comment is none of ours. */
export function metadataOf(comment: string): JobMetadata | null {
  const [word, ...fields] = comment.split(' ');
  if (word !== 'ferrybot') return null;
  const said: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = FIELD.exec(field) ?? [];
    const text = /^(?:[\w.!~*'()-]|%[0-9A-F]{2})*$/.test(value) ? decoded(value) : null;
    if (name === '' || Object.hasOwn(said, name) || text === null) return null;
    said[name] = text;
  }
  return identityIn(said, IDENTITY);
}

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
