/** `ferrybot logbook verify <path>`: verifies a copy offline and names the first bad entry (docs/logbook.md, Checking a file). */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { limits } from '../../../domain/limits.ts';
import type { LogbookEvent } from '../../../domain/logbook/define.ts';
import type { CheckpointedRun } from '../../../domain/logbook/events/record-events.ts';
import { type PublicKey, publicKeySchema } from '../../../domain/logbook/parts.ts';
import { fail, ok, type Result } from '../../../domain/values.ts';
import { sha256Hex, verifyEd25519 } from '../../../host/keys.ts';
import { type Anchor, JOURNAL, splitLines } from '../../../logbook/chain.ts';
import { formatEvents, toShownEvents } from '../../../logbook/projection.ts';
import { eventsPath, runFolder } from '../../../logbook/segments.ts';
import { type BadEntry, historyFault, type Verification, verifyLogbook } from '../../../logbook/verify.ts';
import { EXIT, refuse, reply, usageError, type VerbIo, type VerbRefusal } from '../verb-io.ts';
import { findLogbookFiles, type LogbookFile } from './logbook-files.ts';

type LogbookArguments = { readonly keys: readonly PublicKey[] | null; readonly head: Anchor | null };

export type LogbookOptions = { readonly keys?: string | undefined; readonly head?: string | undefined };

type VerifyRequest = { readonly files: readonly LogbookFile[]; readonly trusted: LogbookArguments };

/** Reads the files at the path, and the keys and head for verifying them. */
async function readToVerify(
  io: VerbIo,
  path: string,
  options: LogbookOptions,
): Promise<Result<VerifyRequest, VerbRefusal>> {
  const head = options.head === undefined ? ok(null) : parseHead(options.head);
  if (!head.ok) return head;
  const keys = options.keys === undefined ? ok(null) : await readKeys(resolve(io.cwd, options.keys));
  if (!keys.ok) return keys;
  const files = await findLogbookFiles(io, path);
  return files.ok ? ok({ files: files.value, trusted: { keys: keys.value, head: head.value } }) : files;
}

function parseHead(text: string): Result<Anchor, VerbRefusal> {
  const [, seq, hash = ''] = /^(\d{1,15}):([0-9a-f]{12,64})$/.exec(text) ?? [];
  return seq === undefined
    ? usageRefusal('--head takes seq:hash, with at least 12 hex digits of the hash')
    : ok({ seq: Number(seq), hash });
}

/** Parses only the keys, so that a config with other errors still works. */
const keysSchema = z.looseObject({ keys: z.array(publicKeySchema).min(1) });

async function readKeys(path: string): Promise<Result<readonly PublicKey[], VerbRefusal>> {
  try {
    const found = keysSchema.safeParse(parse(await readFile(path, 'utf8'), { maxAliasCount: limits.configAliasesMax }));
    return found.success ? ok(found.data.keys) : usageRefusal(`${path} lists no keys: ${z.prettifyError(found.error)}`);
  } catch (error) {
    return usageRefusal(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function usageRefusal(message: string): Result<never, VerbRefusal> {
  return fail({ code: 'usage', message });
}

/** A run in the JSON answer. `anchor`: the proof that the end is complete. */
type VerifiedRun = {
  readonly run: string;
  readonly events: number;
  readonly head: string;
  readonly anchor: 'git' | 'flag' | 'terminal' | 'none';
  readonly keys: 'config' | 'recorded';
};

export type VerifyAnswer = {
  readonly ok: boolean;
  readonly runs: readonly VerifiedRun[];
  readonly bad: PlacedEntry | null;
};

type PlacedEntry = BadEntry & { readonly file: string };

/** Exit 0: good; 1: bad; 2: usage error, or no files to verify. */
export async function logbookVerifyVerb(io: VerbIo, path: string, options: LogbookOptions): Promise<number> {
  const read = await readToVerify(io, path, options);
  if (!read.ok) return refuse(io, read.error);
  const { files, trusted } = read.value;
  if (trusted.head !== null && files.length > 1)
    return usageError(io, '--head is of one run, and there are several here');
  const verified = verifyFiles(files, trusted, { cwd: io.cwd, path: resolve(io.cwd, path) });
  reply(io, verified, formatVerification(verified));
  return verified.ok ? EXIT.yes : EXIT.no;
}

/** Verifies the files up to the first bad one. An unanchored end is the least severe fault: the journal, for example, never ends. */
function verifyFiles(
  files: readonly LogbookFile[],
  options: LogbookArguments,
  { cwd, path }: { readonly cwd: string; readonly path: string },
): VerifyAnswer {
  const runs: VerifiedRun[] = [];
  const checkpointed = new Map<string, CheckpointedRun>();
  let unanchored: PlacedEntry | null = null;
  // The journal sorts first, and its checkpoints anchor the runs.
  for (const file of files) {
    const { run, badEntry, verification } = verifyFile(file, options, checkpointed.get(file.run ?? ''));
    runs.push(run);
    if (badEntry !== null && badEntry.reason !== 'unanchored') return { ok: false, runs, bad: badEntry };
    unanchored ??= badEntry;
    // A journal without its run folders does not prove that runs are missing.
    const isBesideRuns = resolve(cwd, file.parts[0]?.path ?? '') === join(path, eventsPath(JOURNAL));
    for (const { type, data } of isBesideRuns ? verification.events : [])
      if (type === 'record-checkpointed')
        for (const one of [...data.live, ...data.ended]) checkpointed.set(one.run, one);
  }
  const gone = [...checkpointed.values()].find(({ run }) => !files.some((file) => file.run === run));
  const bad = gone === undefined ? unanchored : missingRunEntry(gone);
  return { ok: bad === null, runs, bad };
}

function missingRunEntry({ run, firstEntryAt, seq }: CheckpointedRun): PlacedEntry {
  const message = `a checkpoint of the record has entry ${seq} of this run, which is gone`;
  return { file: eventsPath(runFolder(run, firstEntryAt)), line: 1, seq: 0, reason: 'truncated', message };
}

/** Converts a line number across all files into a file and its line. */
function locateBadEntry({ parts }: LogbookFile, bad: BadEntry): PlacedEntry {
  let before = 0;
  for (const [index, { path, text }] of parts.entries()) {
    const { whole, torn } = splitLines(text);
    const { length } = whole;
    const isLast = index === parts.length - 1;
    // In a torn or empty file, the bad line is the one that is missing.
    if (bad.line <= before + Math.max(1, length + (torn === null ? 0 : 1)) || isLast)
      return { file: path, ...bad, line: bad.line - before };
    before += length;
  }
  throw new Error('a run without a file');
}

/** Verifies one run: its entries, its git history and the given head. */
function verifyFile(
  file: LogbookFile,
  options: LogbookArguments,
  checkpointed: Anchor | null = null,
): { readonly run: VerifiedRun; readonly badEntry: PlacedEntry | null; readonly verification: Verification } {
  const [text = '', ...next] = file.parts.map((part) => part.text);
  const verifyAgainst = (anchor: Anchor | null): Verification =>
    verifyLogbook({
      text,
      next,
      run: file.run,
      month: file.month,
      keys: options.keys,
      anchor,
      undecodableLine: file.undecodableLine,
      hash: sha256Hex,
      verifySignature: verifyEd25519,
    });
  const verification = verifyAgainst(options.head ?? checkpointed);
  const anchor = anchorKind(file, options.head, verification);
  const rewritten = findPartHistoryFault(file);
  const bad = earlierEntry(verification.badEntry, rewritten) ?? unanchoredEntry(verification, anchor);
  const { run, events, head, keys } = verification;
  const headText = head === null ? '' : `${head.seq}:${head.hash}`;
  const told = { run, events: events.length, head: headText, anchor, keys };
  return { run: told, badEntry: bad === null ? null : locateBadEntry(file, bad), verification };
}

function anchorKind(file: LogbookFile, head: Anchor | null, verification: Verification): VerifiedRun['anchor'] {
  if (head !== null) return 'flag';
  if (file.isInHistory) return 'git';
  return verification.isTerminal ? 'terminal' : 'none';
}

function findPartHistoryFault({ parts }: LogbookFile): BadEntry | null {
  let before = 0;
  for (const { text, versions } of parts) {
    const fault = historyFault(text, versions);
    if (fault !== null) return { ...fault, line: fault.line + before, seq: fault.seq + before };
    before += splitLines(text).whole.length;
  }
  return null;
}

/** The fault in the earlier line. In the same line, a fault in the entry itself outranks a difference from the history. */
function earlierEntry(entry: BadEntry | null, history: BadEntry | null): BadEntry | null {
  if (entry === null || history === null) return entry ?? history;
  return history.line < entry.line ? history : entry;
}

/** Reads the verified events of each run in `dir`, or of the named run. An unfinished run needs no anchor. */
export async function readRecordedEvents(
  io: VerbIo,
  dir: string,
  run?: string,
): Promise<Result<readonly (readonly LogbookEvent[])[], VerbRefusal>> {
  const found = await findLogbookIn(io, dir);
  if (!found.ok) return found;
  const files = found.value.filter((one) => run === undefined || one.run === run);
  if (run !== undefined && files.length === 0)
    return fail({ code: 'run-unknown', message: `the logbook in ${dir} has no run ${run}` });
  const runs: (readonly LogbookEvent[])[] = [];
  for (const file of files) {
    const { badEntry, verification } = verifyFile(file, { keys: null, head: null });
    if (badEntry !== null && badEntry.reason !== 'unanchored')
      return fail({ code: 'logbook-broken', message: `${badEntry.file}:${badEntry.line}: ${badEntry.message}` });
    runs.push(verification.events);
  }
  return ok(runs);
}

function unanchoredEntry({ events }: Verification, anchor: VerifiedRun['anchor']): BadEntry | null {
  if (anchor !== 'none') return null;
  return {
    line: events.length + 1,
    seq: events.length,
    reason: 'unanchored',
    message:
      'the run is not over, and nothing shows that its last entries are here: give --head, or a checkout with its history',
  };
}

function formatVerification({ ok, runs, bad: badEntry }: VerifyAnswer): string {
  const lines = runs.map(
    (run) => `${run.run}: ${run.events} events, head ${run.head}, anchored by ${run.anchor}, keys ${run.keys}`,
  );
  const end =
    badEntry === null
      ? 'good'
      : `${badEntry.file} line ${badEntry.line} (entry ${badEntry.seq}): ${badEntry.reason}: ${badEntry.message}`;
  return `${[...lines, ok ? end : `bad: ${end}`].join('\n')}\n`;
}

type ShownRun = {
  readonly run: string;
  readonly events: readonly LogbookEvent[];
  readonly badEntry: PlacedEntry | null;
};

/** Prints every run at the path. Exit 1 if an entry does not verify; the run's later entries are not printed. */
export async function logbookShowVerb(io: VerbIo, path: string, options: LogbookOptions): Promise<number> {
  const read = await readToVerify(io, path, options);
  if (!read.ok) return refuse(io, read.error);
  const shown = read.value.files.map((file): ShownRun => {
    const { run, badEntry, verification } = verifyFile(file, read.value.trusted);
    return { run: run.run, events: verification.events, badEntry: badEntry?.reason === 'unanchored' ? null : badEntry };
  });
  const isGood = shown.every((run) => run.badEntry === null);
  const runs = shown.map(({ run, events, badEntry }) => ({ run, events: toShownEvents(events), bad: badEntry }));
  reply(io, { ok: isGood, runs }, shown.map(showRun).join(''));
  return isGood ? EXIT.yes : EXIT.no;
}

function showRun({ run, events, badEntry }: ShownRun): string {
  const end =
    badEntry === null
      ? ''
      : `\nbad: line ${badEntry.line} (entry ${badEntry.seq}): ${badEntry.reason}: ${badEntry.message} (${badEntry.file})\n`;
  return `${formatEvents(run, events)}${end}`;
}

/** Reads the logbook in `dir`: a `--keep` folder, or a checkout of the branch. */
async function findLogbookIn(io: VerbIo, dir: string): ReturnType<typeof findLogbookFiles> {
  const kept = await findLogbookFiles(io, join(dir, 'logbook'));
  if (kept.ok) return kept;
  const itself = await findLogbookFiles(io, dir);
  return itself.ok ? itself : kept;
}
