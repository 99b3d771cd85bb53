/** The job folder of engines that keep one per job: the claim, write-once records, and the log. */

import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type FoundJob,
  findCommit,
  type JobDescription,
  type JobSpec,
  type LogRead,
  type SubmitOutcome,
  toJobDescription,
} from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import {
  completeUtf8Length,
  errorCode,
  isFolder,
  keepValidUtf8,
  openPlainFile,
  readTextIfThere,
} from '../../host/files.ts';
import { redact } from '../../host/redactor.ts';
import { cutEntrypoint, findConflict, jobMetadata, toShellLine, unknownOutcome } from './kit.ts';

/** Bytes kept in memory before the last returned position: the unfinished line is read again (logLineCharsMax, in UTF-8). */
const LOOKBACK_BYTES = 64 * 1024;

/** `bytes` start at `offset`. `isAll`: the log has no further bytes. */
export function buildChunk(bytes: Uint8Array, offset: number, isAll: boolean): LogRead {
  const piece = bytes.subarray(0, limits.logChunkBytesMax);
  const text = piece.subarray(0, completeUtf8Length(piece));
  const atEnd = isAll && piece.length === bytes.length;
  return { kind: 'chunk', bytes: keepValidUtf8(text), offset, nextOffset: offset + text.length, atEnd };
}

export type LogWindow = {
  readonly start: () => number;
  readonly end: () => number;
  readonly add: (bytes: Uint8Array) => void;
  /** A chunk from a position within the window. Drops bytes that are far enough before the chunk's end. */
  readonly chunk: (offset: number, isAll: boolean) => LogRead;
  /** Drops bytes that are far enough before that position. */
  readonly forget: (place: number) => void;
};

/** Creates an empty window at this position of the log. */
export function createLogWindow(start = 0): LogWindow {
  let parts: Uint8Array[] = [];
  let length = 0;
  let from = start;
  const dropBefore = (place: number): void => {
    const kept = Math.max(from, place - LOOKBACK_BYTES);
    const rest = Buffer.from(Buffer.concat(parts).subarray(kept - from));
    parts = [rest];
    length = rest.length;
    from = kept;
  };
  return {
    start: () => from,
    end: () => from + length,
    add: (bytes) => {
      parts.push(bytes);
      length += bytes.length;
    },
    chunk: (offset, isAll) => {
      const read = buildChunk(Buffer.concat(parts).subarray(offset - from), offset, isAll);
      if (read.kind === 'chunk') dropBefore(read.nextOffset);
      return read;
    },
    forget: dropBefore,
  };
}

/** Contains no values of variables, because they may be secrets. */
const claimRecord = z
  .object({
    submissionId: z.string(),
    command: z.array(z.string()).readonly(),
    workingDirectory: z.string(),
    /** Null: a job that a person created by hand, without a run. */
    metadata: jobMetadata.nullable(),
    /** The job's GIT_COMMIT, which is not a secret. */
    gitCommit: z.string().exactOptional(),
    claimedAtMs: z.int(),
  })
  .readonly();

/** The claim of an id: the job that has it, and the run of that job. */
export type ClaimRecord = z.infer<typeof claimRecord>;

/** A record that is there, missing, or unreadable. An unreadable record is no reason to act. */
export type RecordRead<Value> =
  | { readonly kind: 'there'; readonly value: Value }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** The owner of a file: the name of our own account, otherwise the uid; null if it cannot be read. */
async function readFileOwner(path: string): Promise<string | null> {
  try {
    const { uid } = await stat(path);
    return uid === process.getuid?.() ? userInfo().username : `uid ${uid}`;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}

const CLAIM = 'job.json';

/** `submitted`: this call claimed the id; `adopted`: an earlier call did. Other kinds are outcomes of the submission. */
export type ClaimResult =
  | { readonly kind: 'claimed'; readonly as: 'submitted' | 'adopted'; readonly workingDirectory: string }
  | Extract<SubmitOutcome, { kind: 'absent' | 'conflict' | 'unknown' }>;

/**
 * Claims a job's id. A new folder contains the claim and the files that `fill` adds to its draft; an existing folder is not
 * changed. With `adoptOnly`, this function claims nothing new.
 */
export async function claimJob(
  directory: string,
  spec: JobSpec,
  nowMs: number,
  fill: (draft: string) => Promise<void> = async () => undefined,
): Promise<ClaimResult> {
  const { submissionId } = spec;
  if (spec.adoptOnly === true && (await readClaim(directory, submissionId)).kind === 'missing')
    return { kind: 'absent' };
  const isNew = await createJobFolder(directory, spec, nowMs, fill);
  const claim = await readClaim(directory, submissionId);
  if (claim.kind !== 'there') return unknownOutcome(`the claim of ${join(directory, submissionId)} is ${claim.kind}`);
  const { metadata, workingDirectory } = claim.value;
  return findConflict(metadata, spec) ?? { kind: 'claimed', as: isNew ? 'submitted' : 'adopted', workingDirectory };
}

/**
 * Renames a finished folder in `directory` to the id's name. This succeeds once, because a rename onto a non-empty folder
 * fails. True if this call created the folder.
 */
async function createJobFolder(
  directory: string,
  { submissionId, command, workingDirectory, metadata, env }: JobSpec,
  nowMs: number,
  fill: (draft: string) => Promise<void>,
): Promise<boolean> {
  const folder = join(directory, submissionId);
  const gitCommit = findCommit(env['GIT_COMMIT']);
  const claim: ClaimRecord = {
    ...{ submissionId, command, workingDirectory, metadata, claimedAtMs: nowMs },
    ...(gitCommit === null ? {} : { gitCommit }),
  };
  const drafts = join(directory, '.claims');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  if (await isFolder(folder)) return false;
  const draft = await mkdtemp(join(drafts, 'claim-'));
  try {
    await fill(draft);
    await writeFile(join(draft, CLAIM), `${JSON.stringify(claim)}\n`, { flush: true, mode: 0o600 });
    await rename(draft, folder);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** Reads the claim of a job. */
export function readClaim(directory: string, jobId: string): Promise<RecordRead<ClaimRecord>> {
  return readRecord(join(directory, jobId, CLAIM), claimRecord);
}

/** Describes a found job from its claim. The submitter is the owner of the claim's file. */
export async function describeClaimed(directory: string, jobId: string, seen: FoundJob): Promise<JobDescription> {
  const claim = await readClaim(directory, jobId);
  if (claim.kind !== 'there') return unknownOutcome(`the claim of ${jobId} in ${directory} is ${claim.kind}`);
  const { command, gitCommit = null } = claim.value;
  return toJobDescription(seen, {
    submitter: await readFileOwner(join(directory, jobId, CLAIM)),
    entrypoint: cutEntrypoint(redact(toShellLine(command) ?? '', [])),
    gitCommit,
  });
}

/** Reads the log of a claimed job from its file. */
export async function readClaimedLog(
  directory: string,
  jobId: string,
  { log }: { readonly log: string },
  offset: number,
): Promise<LogRead> {
  const claim = await readClaim(directory, jobId);
  if (claim.kind === 'missing') return { kind: 'absent' };
  return claim.kind === 'unreadable' ? unknownOutcome(claim.why) : readLogFile(log, offset);
}

/** Reads and validates a JSON record. */
export async function readRecord<Value>(path: string, schema: z.ZodType<Value>): Promise<RecordRead<Value>> {
  try {
    const text = await readTextIfThere(path);
    if (text === null) return { kind: 'missing' };
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success
      ? { kind: 'there', value: parsed.data }
      : { kind: 'unreadable', why: `${path}: ${z.prettifyError(parsed.error)}` };
  } catch (error) {
    if (!(error instanceof SyntaxError) && errorCode(error) === undefined) throw error;
    return { kind: 'unreadable', why: `${path}: ${String(error)}` };
  }
}

/** At most `limits.logChunkBytesMax` bytes. A job that has not written a log yet gives an empty chunk. */
export async function readLogFile(path: string, offset: number): Promise<LogRead> {
  try {
    await using file = await openPlainFile(path);
    const { size } = await file.stat();
    if (offset > size) return { kind: 'rewound', sizeBytes: size };
    const length = Math.min(size - offset, limits.logChunkBytesMax);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buildChunk(buffer.subarray(0, bytesRead), offset, offset + bytesRead >= size);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') return unknownOutcome(String(error));
    return offset > 0 ? { kind: 'rewound', sizeBytes: 0 } : buildChunk(new Uint8Array(), offset, true);
  }
}
