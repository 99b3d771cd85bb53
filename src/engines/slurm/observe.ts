/** Observes a Slurm job in the queue. For a job that the queue has forgotten, uses accounting and the records next to its log. */

import { type FoundJob, isSameJob, isTerminal, type JobMetadata, type JobObservation } from '../../domain/engine.ts';
import { cutText } from '../../domain/values.ts';
import { errorCode, openPlainFile, publishOnce } from '../../host/files.ts';
import { type ClaimRecord, readClaim } from '../shared/job-files.ts';
import { foundJob, isSubmissionId, missingJob, unknownOutcome } from '../shared/kit.ts';
import { askCommand, parseMoment, type Queue, type QueuedJob, type SlurmSettings } from './commands.ts';
import {
  deleteEnvironmentFile,
  type JobPaths,
  type JobRecords,
  jobPaths,
  messagesPath,
  readJobRecords,
  type SeenRecord,
} from './job-folder.ts';
import { hasEndedUnnoticed, isEndState, jobFromRecords, toEndedJob, toJobStatus } from './job-state.ts';

/**
 * `queue`: read just before. The queue decides while it knows the job. For a forgotten job, accounting, an earlier
 * observation or the wrapper's record decides. Without any of them the job is `unknown`.
 */
export async function observeQueued(
  settings: SlurmSettings,
  jobId: string,
  lastSession: string | null,
  queue: Queue,
): Promise<JobObservation> {
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: lastSession };
  const paths = jobPaths(settings.cluster.folder, jobId);
  const claim = await readClaim(settings.cluster.folder, jobId);
  if (claim.kind === 'unreadable') return unknownOutcome(claim.why);
  if (queue.kind === 'unknown') return queue;
  const named = queue.jobs.filter(({ name }) => name === jobId);
  if (claim.kind === 'missing') return judgeUnclaimed(named, lastSession, paths);
  const read = await readJobRecords(paths);
  if (read.kind === 'unreadable') return unknownOutcome(read.why);
  const { metadata } = claim.value;
  const job = chooseJob(oursAmong(named, metadata), read.records);
  const seen =
    job === null
      ? await observeForgotten(settings, jobId, claim.value, read.records)
      : await observeQueuedJob(settings, job, { paths, records: read.records, metadata });
  if (seen.kind === 'found' && isTerminal(seen.status)) await deleteEnvironmentFile(paths);
  return seen;
}

/** Drops a person's job of the same name, and jobs of other runs. */
export function oursAmong(named: readonly QueuedJob[], metadata: JobMetadata | null): readonly QueuedJob[] {
  return named.filter((job) => job.metadata !== null && metadata !== null && isSameJob(job.metadata, metadata));
}

/** Of repeated submits, the job that has the right to start; before one has it, the oldest live job. */
export function chooseJob(ours: readonly QueuedJob[], { owner }: JobRecords): QueuedJob | null {
  const byId = ours.toSorted((a, b) => Number(a.slurmJobId) - Number(b.slurmJobId));
  if (owner !== null && owner !== 'stopped') return byId.find(({ slurmJobId }) => slurmJobId === owner) ?? null;
  return byId.find(({ state }) => !isEndState(state)) ?? byId[0] ?? null;
}

function judgeUnclaimed(named: readonly QueuedJob[], lastSession: string | null, { folder }: JobPaths): JobObservation {
  return named.length > 0
    ? unknownOutcome(`Slurm has a job of this name, and ${folder} is gone`)
    : missingJob(lastSession, null, `${folder} is gone`);
}

type ClaimedJob = Pick<ClaimRecord, 'metadata'> & { readonly paths: JobPaths; readonly records: JobRecords };

async function observeQueuedJob(
  settings: SlurmSettings,
  job: QueuedJob,
  { paths, records, metadata }: ClaimedJob,
): Promise<JobObservation> {
  const { slurmJobId, state, reason, restarts, waitStatus, startedAtMs, endedAtMs, nodes } = job;
  if (isEndState(state)) {
    // A job that found the right to start taken ends as COMPLETED without having started anything.
    if (state === 'COMPLETED' && records.commandEnd === null && records.owner !== 'stopped')
      return unknownOutcome(`Slurm says COMPLETED of ${slurmJobId}, and the record of its end has not come`);
    const seen: SeenRecord = { slurmJobId, state, waitStatus, startedAtMs, endedAtMs, nodes };
    await publishOnce(paths.seen, JSON.stringify(seen));
    return toEndedJob(seen, records, metadata, await readLastWords(messagesPath(paths, slurmJobId)));
  }
  const unnoticed = hasEndedUnnoticed(job, records, settings.now()) ? jobFromRecords(records, metadata, state) : null;
  if (unnoticed !== null) return unnoticed;
  const status = toJobStatus(state);
  if (status === null) return unknownOutcome(`Slurm says ${state}, which is no state known here`);
  const isTold = reason !== '' && reason !== 'None';
  const unusable = status === 'PENDING' && isTold ? await describeUnusableNodes(settings) : '';
  const again = restarts === 0 ? '' : ` Slurm has started it ${restarts} time(s) again.`;
  return toLivingJob(records, metadata, {
    status,
    message: `Slurm says ${state}${isTold ? `: ${reason}` : ''}.${again}${unusable}`,
    details: {
      slurmJobId,
      slurmState: state,
      ...(isTold ? { reason } : {}),
      ...(nodes === '' ? {} : { nodes }),
      ...(restarts === 0 ? {} : { restarts: String(restarts) }),
    },
  });
}

function toLivingJob(
  { commandStart }: JobRecords,
  metadata: JobMetadata | null,
  said: Pick<FoundJob, 'status' | 'message' | 'details'>,
): FoundJob {
  return foundJob({ startedAtMs: commandStart?.startedAtMs ?? null, metadata, ...said });
}

async function observeForgotten(
  settings: SlurmSettings,
  jobId: string,
  { metadata, claimedAtMs }: ClaimRecord,
  records: JobRecords,
): Promise<JobObservation> {
  const { slurmJobId, owner, submitRequestedAtMs, lastSeen } = records;
  if (owner === 'stopped') return { ...toLivingJob(records, metadata, STOPPED_BEFORE), endedAtMs: claimedAtMs };
  if (submitRequestedAtMs === null && slurmJobId === null) return toLivingJob(records, metadata, NOT_SUBMITTED);
  const told =
    lastSeen ?? (slurmJobId === null ? null : await readAccounting(settings, jobId, slurmJobId, claimedAtMs));
  if (told !== null) return toEndedJob(told, records, metadata, '');
  const id = slurmJobId ?? jobId;
  return (
    jobFromRecords(records, metadata) ?? {
      kind: 'unknown',
      message:
        records.commandStart === null
          ? `Slurm no longer knows the job ${id}, which has not begun: it was lost by a controller that died, or cancelled while it waited; a stop makes sure that it never starts`
          : `Slurm has forgotten the job ${id}, and nothing says how it ended`,
    }
  );
}

const NOT_SUBMITTED = {
  status: 'PENDING',
  message: 'Claimed, not submitted; submit again to start it.',
  details: {},
} as const;

const STOPPED_BEFORE = { status: 'STOPPED', message: 'Stopped before it could start.', details: {} } as const;

const CHARACTERS_MAX = 300;

/** A sentence about each node that Slurm has drained or failed, with the reason, for people who wait for nodes; or an empty text. */
async function describeUnusableNodes(settings: SlurmSettings): Promise<string> {
  const { partition } = settings.cluster;
  const said = await askCommand(settings, 'sinfo', [
    '--noheader',
    '--Node',
    '--states=drain,down,fail',
    '--format=%N|%T|%E',
    ...(partition === null ? [] : [`--partition=${partition}`]),
  ]);
  if (said.kind === 'unknown') return '';
  const nodes = said.text.split('\n').flatMap((line) => {
    const [node = '', state = '', ...reason] = line.split('|');
    return node === '' ? [] : [`${node} is ${state} (${reason.join('|')})`];
  });
  return nodes.length === 0 ? '' : ` ${cutText([...new Set(nodes)].join(', '), CHARACTERS_MAX)}.`;
}

/** The end of the file is enough: the message about the end comes last. */
const READ_BYTES = 4_096;

/** Slurm's own messages about a job, from a file next to its log. Returns the last line of Slurm or of the wrapper, or an empty text. */
async function readLastWords(path: string): Promise<string> {
  try {
    await using file = await openPlainFile(path);
    const { size } = await file.stat();
    const from = Math.max(0, size - READ_BYTES);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, from);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    return cutText(lines.findLast((line) => /^(slurmstepd|ferrybot)\b/.test(line)) ?? '', CHARACTERS_MAX);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  }
}

const HOUR_MS = 3_600_000;
const FIELDS = 'JobIDRaw,State,ExitCode,Start,End,NodeList';

/** Reads a job that the queue has forgotten from `sacct`. Null without accounting, without this job, or without an end. */
async function readAccounting(
  settings: SlurmSettings,
  jobId: string,
  slurmJobId: string,
  claimedAtMs: number,
): Promise<SeenRecord | null> {
  // Without a start time, sacct reads only today. The commands run in UTC; the hour allows for differences between two clocks.
  const since = new Date(claimedAtMs - HOUR_MS).toISOString().slice(0, 19);
  const said = await askCommand(settings, 'sacct', [
    '--noheader',
    '--parsable2',
    '--allocations',
    `--uid=${settings.uid}`,
    `--name=${jobId}`,
    `--starttime=${since}`,
    `--format=${FIELDS}`,
  ]);
  if (said.kind === 'unknown') return null;
  const found = said.text.split('\n').map(readAccountingLine);
  return found.find((job) => job?.slurmJobId === slurmJobId) ?? null;
}

/** Null for a line that is not a job, and for a job that has not ended. */
export function readAccountingLine(line: string): SeenRecord | null {
  const [slurmJobId = '', words = '', exit = '', start, end, nodes = ''] = line.split('|');
  // `CANCELLED by 1000` contains the uid of the canceller.
  const [state = '', by, who = ''] = words.split(' ');
  const [, code, signal] = /^(\d{1,3}):(\d{1,3})$/.exec(exit) ?? [];
  if (!/^\d+$/.test(slurmJobId) || !isEndState(state) || code === undefined) return null;
  return {
    slurmJobId,
    state,
    waitStatus: Number(code) * 256 + Number(signal),
    startedAtMs: parseMoment(start),
    endedAtMs: parseMoment(end),
    nodes,
    ...(by === 'by' && who !== '' ? { stoppedBy: `uid ${who}` } : {}),
  };
}
