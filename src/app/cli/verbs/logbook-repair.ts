/** `ferrybot logbook repair`: restores broken files of the record to their last good entries, with the user's own git. */

import { resolve } from 'node:path';
import { GitError } from '../../../domain/git.ts';
import { EMPTY_JOURNAL } from '../../../domain/logbook/journal-state.ts';
import { faultKey, type LogbookFault } from '../../../domain/logbook/logbook-fault.ts';
import {
  brandAs,
  fail,
  type Instant,
  invariant,
  isInstant,
  ok,
  type Result,
  type Sha,
} from '../../../domain/values.ts';
import { openUserClone, type UserClone } from '../../../host/git/checkout.ts';
import { sha256Hex, verifyEd25519 } from '../../../host/keys.ts';
import type { Anchor } from '../../../logbook/chain.ts';
import { MARK_PREFIX, readMark } from '../../../logbook/mark.ts';
import { projectMonitoringState } from '../../../logbook/projection.ts';
import { eventsPath, type GoodFile, markdownPath, monitoringPath } from '../../../logbook/segments.ts';
import {
  createLogbookStore,
  LOGBOOK_BRANCH,
  listStoredRuns,
  NOT_STORED,
  readEvents,
} from '../../../logbook/store/git-store.ts';
import { describeEvidence } from '../../../render/notice.ts';
import type { LabConfig } from '../../../run/lane.ts';
import type { Lab, LabGit } from '../../lab.ts';
import { readEffectiveConfig } from '../../open-lab.ts';
import { listWholeFiles, renderPart } from '../../record.ts';
import {
  type CachedFile,
  type Checking,
  findMissingMarkedEntries,
  findRewrittenRuns,
  listVersionsSince,
  lostVersions,
  readMarkedVersion,
  verifyFile,
} from '../../record-check.ts';
import { findGoodFiles, type Loading, loadRecordAt, NOTHING_READ } from '../../record-files.ts';
import { createMarkReader } from '../../record-marks.ts';
import { EXIT, forTerminal, refuse, reply, usageError, type VerbIo } from '../verb-io.ts';

/** A placeholder identity until the config is read. */
const NO_WRITER = { name: 'ferrybot', email: 'ferrybot@localhost.invalid' };

/** Exit 0: nothing to repair, or repaired; 1: a file, git or the remote prevented it; 2: usage error. */
export async function logbookRepairVerb(io: VerbIo, repo: string, isDry: boolean): Promise<number> {
  try {
    const folder = resolve(io.cwd, repo);
    const clone = await openUserClone(folder, io.environment);
    if (clone === null) return usageError(io, `${folder} is in no clone with a remote "origin"`);
    try {
      const repair = await repairClone(clone, isDry, io);
      if (!repair.ok) return refuse(io, { code: 'config-invalid', message: repair.error });
      return printRepair(io, isDry, repair.value);
    } finally {
      await clone.close();
    }
  } catch (error) {
    // Git failed before the push; a push without a response is reported in `refused`.
    if (!(error instanceof GitError)) throw error;
    return refuse(io, { code: 'unreadable', message: error.message });
  }
}

async function repairClone(clone: UserClone, isDry: boolean, io: VerbIo): Promise<Result<Repair, string>> {
  const reader = clone.gitAs(NO_WRITER);
  const record = (branch: string) => ({
    record: { branch: `refs/heads/${branch}`, marks: [MARK_PREFIX], isWhole: true as const },
  });
  await reader.fetch({ branches: [`refs/heads/${clone.defaultBranch}`], ...record(LOGBOOK_BRANCH) });
  const found = await readEffectiveConfig(reader, clone.defaultBranch);
  if (found.kind === 'none') return fail(`${clone.defaultBranch} has no valid .github/ferrybot.yml`);
  const { config } = found;
  const lab = {
    repository: await readRepositoryName(reader, clone.repository),
    hash: sha256Hex,
    verifySignature: verifyEd25519,
    log: (line: string) => io.stderr.write(`${line}\n`),
  };
  const git = clone.gitAs(config.git);
  if (config.logbookBranch !== LOGBOOK_BRANCH) await git.fetch(record(config.logbookBranch));
  const seenAt = await clone.seenAt(config.logbookBranch);
  return ok(await repairLogbook({ lab, config, git, knownCommits: seenAt, at: brandAs(Date.now(), isInstant), isDry }));
}

/** The repository name as GitHub spells it, because marks contain that spelling. A remote address may differ in case. */
async function readRepositoryName(git: LabGit, repository: string): Promise<string> {
  for (const { name, message } of await git.tagTexts([MARK_PREFIX])) {
    const mark = readMark(name, message);
    if (mark?.repository.toLowerCase() === repository.toLowerCase()) return mark.repository;
  }
  return repository;
}

function printRepair(io: VerbIo, isDry: boolean, repair: Repair): number {
  const { files, commit, refused } = repair;
  const isGood = refused === null && files.every(({ why }) => why === null);
  const told = files.map(({ run, fault, to, why }) => ({
    ...{ run, fault: faultKey(fault), evidence: forTerminal(describeEvidence(fault)) },
    ...{ to, why },
  }));
  const words = [...files.map((file) => formatRepairedFile(file, isDry)), formatRepairEnd(repair, isDry)].join('\n');
  reply(io, { ok: isGood, dryRun: isDry, commit, files: told, refused }, `${words}\n`);
  return isGood ? EXIT.yes : EXIT.no;
}

function formatRepairedFile({ run, fault, to, why }: RepairedFile, isDry: boolean): string {
  const done =
    why === null
      ? `${isDry ? 'would be put back' : 'put back'} up to entry ${to?.seq} (${to?.hash.slice(0, 12)})`
      : `cannot be put back: ${why}`;
  return `${run}: ${forTerminal(describeEvidence(fault))}\n  ${done}`;
}

function formatRepairEnd({ files, commit, refused }: Repair, isDry: boolean): string {
  if (files.length === 0) return 'the logbook is in order: nothing to repair';
  if (refused !== null) return `nothing was pushed: ${refused}`;
  if (commit !== null) return `pushed ${commit}`;
  return isDry ? 'nothing was pushed, as asked' : 'nothing was pushed';
}

export type RepairContext = {
  readonly lab: Pick<Lab, 'repository' | 'hash' | 'verifySignature' | 'log'>;
  readonly config: Pick<LabConfig, 'keys' | 'logbookBranch'>;
  /** Fetched just now. */
  readonly git: LabGit;
  /** Commits at which a clone saw the branch before. */
  readonly knownCommits: readonly Sha[];
  readonly at: Instant;
  readonly isDry: boolean;
};

/** One broken file. `to`: its newest entry after the repair. `why`: what prevents the repair. */
export type RepairedFile = {
  readonly run: string;
  readonly fault: LogbookFault;
  readonly to: Anchor | null;
  readonly why: string | null;
};

/** `commit`: the pushed commit; null after a dry run (`isDry`), or if nothing could be repaired. */
export type Repair = {
  readonly files: readonly RepairedFile[];
  readonly commit: Sha | null;
  /** Why the push did not succeed. */
  readonly refused: string | null;
};

type Broken = { readonly run: string; readonly fault: LogbookFault; readonly goodFile: GoodFile | null };

/** Finds faults with the same code as every process. Pushes only if the branch has not moved since it was read. */
export async function repairLogbook(repairing: RepairContext): Promise<Repair> {
  const { lab, config, git, knownCommits, at, isDry } = repairing;
  const ref = `refs/heads/${config.logbookBranch}`;
  const head = await git.resolve(ref);
  const marks = await createMarkReader(lab, config, git)([MARK_PREFIX]);
  const checking: Checking = { lab, config, git, marks, marksConfirmed: new Map() };
  const broken = await findBroken(repairing, checking, head);
  const tips = await findAbandonedHeads(checking, head, knownCommits);
  const files: RepairedFile[] = [];
  const texts: Record<string, string | null> = {};
  for (const { run, fault, goodFile } of broken) {
    const why = await findRestoreObstacle(checking, { run, goodFile }, head === null ? tips : [head, ...tips]);
    const last = goodFile?.events.at(-1);
    files.push({ run, fault, why, to: last === undefined ? null : { seq: last.seq, hash: last.hash } });
    if (why !== null || goodFile === null) continue;
    Object.assign(texts, await filesToWrite(git, head, goodFile));
  }
  if (isDry || Object.keys(texts).length === 0) return { files, commit: null, refused: null };
  const [first, ...others] = tips;
  const outcome = await git.commitAndPush({
    ref,
    expected: head,
    parent: head === null && first !== undefined ? first : 'expected',
    merges: head === null ? others : tips,
    files: texts,
    message: repairCommitMessage(files),
    atMs: at,
  });
  if (outcome.kind === 'pushed') return { files, commit: outcome.sha, refused: null };
  const refused = outcome.kind === 'rejected' ? 'somebody pushed to the branch meanwhile: try again' : outcome.message;
  return { files, commit: null, refused };
}

/** The files of the good version; every other event file in the folder is deleted (null). */
async function filesToWrite(
  git: LabGit,
  head: Sha | null,
  good: GoodFile,
): Promise<Readonly<Record<string, string | null>>> {
  const { folder } = good;
  const stored = head === null ? null : (await listStoredRuns(git, head, [folder])).get(folder);
  const { events, afterGap } = stored ?? NOT_STORED;
  const files: Record<string, string | null> = {};
  for (const part of [...events.keys().map((index) => index + 1), ...afterGap]) files[eventsPath(folder, part)] = null;
  const monitoring = projectMonitoringState(good.events);
  if (monitoring !== null) files[monitoringPath(folder)] = monitoring;
  for (const { part, text } of listWholeFiles(good)) {
    files[eventsPath(folder, part)] = text;
    files[markdownPath(folder, part)] = renderPart(good, part);
  }
  return files;
}

async function findBroken(
  { lab, config, git, knownCommits }: RepairContext,
  checking: Checking,
  head: Sha | null,
): Promise<readonly Broken[]> {
  const store = createLogbookStore({ reader: git, writer: git, branch: config.logbookBranch });
  const reading = { ...checking, lab, store, previous: NOTHING_READ };
  const past = head === null ? [] : await findRewrittenEndedRuns(reading, head);
  const seen = new Map<string, GoodFile>();
  for (const tip of knownCommits) await collectSeenVersions(reading, tip, past, seen);
  if (head === null) {
    const good = await findGoodFiles(checking, seen, EMPTY_JOURNAL);
    return [...good].map(([run, file]) => ({ run, fault: { kind: 'branch-missing' }, goodFile: file }));
  }
  for (const [run, { events }] of seen) {
    const last = events.at(-1);
    if (last !== undefined) store.remember(run, { seq: last.seq, hash: last.hash });
  }
  const also = [...seen.keys(), ...past];
  const record = await loadRecordAt(
    { ...reading, cached: new Map(), extraRuns: also, previous: { ...NOTHING_READ, goodFiles: seen } },
    head,
  );
  return record.broken.map(({ run, fault }) => ({ run, fault, goodFile: record.goodFiles.get(run) ?? null }));
}

/** Finished runs that differ from the checkpoint. Normal processes no longer read these runs. */
async function findRewrittenEndedRuns(reading: Omit<Loading, 'cached'>, head: Sha): Promise<readonly string[]> {
  const { journal } = await loadRecordAt({ ...reading, cached: new Map() }, head);
  const ended = [...(journal.checkpoint?.ended.values() ?? [])];
  return (await findRewrittenRuns(reading, head, ended)).map(({ run }) => run);
}

/** Collects the longest good version of each file from a commit that the clone saw. */
async function collectSeenVersions(
  reading: Omit<Loading, 'cached'>,
  tip: Sha,
  also: readonly string[],
  seen: Map<string, GoodFile>,
): Promise<void> {
  const held = new Map<string, CachedFile>();
  const record = await loadRecordAt({ ...reading, cached: held, extraRuns: also }, tip);
  for (const [run, file] of [...held, ...record.goodFiles]) {
    const version = record.goodFiles.has(run) ? await preferOwnVersion(reading, tip, file) : file;
    if (version.events.length > (seen.get(run)?.events.length ?? 0)) seen.set(run, version);
  }
}

/** Keeps the clone's own entries if they conflict with the marked version: both are signed, so people have to decide. */
async function preferOwnVersion(checking: Checking, tip: Sha, file: GoodFile): Promise<GoodFile> {
  const own = verifyFile(checking, file, await readEvents(checking.git, tip, file.folder));
  const last = own.events.at(-1);
  const isContinued = last === undefined || file.events[last.seq]?.hash === last.hash;
  return isContinued ? file : own;
}

/** Earlier heads that are missing from the branch's history: the newest one that a mark proves, and those that a clone saw. */
async function findAbandonedHeads(
  checking: Checking,
  head: Sha | null,
  seenAt: readonly Sha[],
): Promise<readonly Sha[]> {
  const { git, marks } = checking;
  const candidates = [...seenAt];
  for (const seen of marks.toSorted((a, b) => b.mark.at.localeCompare(a.mark.at))) {
    if ((await readMarkedVersion(checking, seen)) === null) continue;
    candidates.push(seen.commit);
    break;
  }
  const tips: Sha[] = [];
  for (const one of new Set(candidates)) {
    const others = [...candidates.filter((other) => other !== one), ...(head === null ? [] : [head])];
    let isBelow = one === head;
    for (const other of others) isBelow ||= (await git.mergeBase(one, other)) === one;
    if (!isBelow) tips.push(one);
  }
  return tips;
}

/** Why a file cannot be restored: the restored version must pass the checks that found the fault. */
async function findRestoreObstacle(
  checking: Checking,
  { run, goodFile }: Pick<Broken, 'run' | 'goodFile'>,
  tips: readonly Sha[],
): Promise<string | null> {
  if (goodFile === null || goodFile.events.length === 0) return 'no version of it that verifies is known';
  const { missing } = await findMissingMarkedEntries(checking, goodFile);
  if (missing !== null) return describeFork(missing);
  for (const tip of tips) {
    const asked = { run, folder: goodFile.folder, from: 1, to: goodFile.ends.length + 1, since: null };
    const versions = (await listVersionsSince(checking, tip, [asked])).get(run) ?? new Map();
    const lost = await lostVersions(checking, goodFile, versions);
    if (lost.missing !== null) return describeFork(lost.missing);
  }
  return null;
}

function describeFork({ seq, hash }: Anchor): string {
  return `its good versions contradict each other: entry ${seq} (${hash.slice(0, 12)}) is signed too, and stands in none that has the others`;
}

function repairCommitMessage(files: readonly RepairedFile[]): string {
  const done = files.filter(({ why }) => why === null);
  const lines = done.map(({ run, fault, to }) => {
    invariant(to !== null, 'repair-without-entry');
    return `${run}: up to entry ${to.seq} (${faultKey(fault)})`;
  });
  return `logbook: put back ${done.length === 1 ? done[0]?.run : `${done.length} files`}\n\n${lines.join('\n')}`;
}
