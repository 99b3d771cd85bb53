/** `ferrybot logbook repair`: restores broken files of the record to their last good entries, with the user's own git. */

import { resolve } from 'node:path';
import { GitError } from '../../../domain/git.ts';
import { faultKey } from '../../../domain/logbook/logbook-fault.ts';
import { brandAs, fail, isInstant, ok, type Result } from '../../../domain/values.ts';
import { openUserClone, type UserClone } from '../../../host/git/checkout.ts';
import { sha256Hex, verifyEd25519 } from '../../../host/keys.ts';
import { MARK_PREFIX, readMark } from '../../../logbook/mark.ts';
import { LOGBOOK_BRANCH } from '../../../logbook/store/git-store.ts';
import { describeEvidence } from '../../../render/notice.ts';
import { readEffectiveConfig } from '../../config-source.ts';
import type { LabGit } from '../../lab.ts';
import { type Repair, type RepairedFile, repairLogbook } from '../../repair-record.ts';
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
