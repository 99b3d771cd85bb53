/** Checks a pushed `.github/ferrybot.yml` before its merge: problems become annotations, and a valid config gets a backtest. */

import { lintClusterFile, unreadFinding } from '../../care/infra/lint.ts';
import { findLeftBehind, traitsFor } from '../../config/lane-of-file.ts';
import { GitError } from '../../domain/git.ts';
import type { CheckpointedRun } from '../../domain/logbook/events/record-events.ts';
import { type Sha, toRfc3339, utcDate } from '../../domain/values.ts';
import { recordInJournal } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { buildMarkName, type Mark } from '../../logbook/mark.ts';
import { monthOfTime } from '../../logbook/segments.ts';
import { type ConfigVerdict, type LintedFile, renderConfigCheck, renderInfraCheck } from '../../render/check.ts';
import { runBacktest } from '../../run/backtest/backtest.ts';
import type { LabConfig } from '../../run/lane.ts';
import type { BrokenRun } from '../broken-run.ts';
import { CONFIG_PATH, readLabConfig } from '../config-source.ts';
import { locateBranch } from '../contained-errors.ts';
import type { OpenLab } from '../open-lab.ts';
import { markPosted } from '../outbox.ts';
import { findRewrittenRuns } from '../record-check.ts';
import { factsFromRecord } from './gather.ts';
import { performEffect } from './perform.ts';
import type { ReconcileWork, Turn } from './turn.ts';

// Lints a branch's cluster files before its merge: setup commands must not write to a folder that may lack its bucket mount (policy AG-20).

/** Maximum number of linted cluster files per branch. */
export const INFRA_FILES_MAX = 30;
/** Limit on the total size, because thirty files of the maximum size would take half a minute. */
const INFRA_LINT_CHARACTERS_MAX = 200_000;

/** A file at the branch's head. */
type InfraText = { readonly path: string; readonly text: string };

/** A pushed branch; `fork` is the commit where it left the default branch. */
type Branch = { readonly head: Sha; readonly fork: Sha };

/** Adds the check to a head that changes cluster files. Returns whether the check was added. */
async function checkInfra(open: OpenLab, { head, fork }: Branch): Promise<boolean> {
  const changed = (await open.git.changedPaths(fork, head)).filter((path) => isInfraFile(open.config, path));
  const files: InfraText[] = [];
  for (const path of changed.slice(0, INFRA_FILES_MAX)) {
    const text = await open.git.readText(head, path);
    if (text !== null) files.push({ path, text });
  }
  const unread = Math.max(0, changed.length - INFRA_FILES_MAX);
  const linted = lintFilesTogether(open.config, files);
  if (linted.length === 0 && unread === 0) return false;
  const outcome = await performEffect(open, {
    kind: 'put-check-run',
    check: 'infra',
    head,
    externalId: 'infra',
    existing: null,
    ...renderInfraCheck(linted, unread),
  });
  return outcome.kind === 'done';
}

/** Whether the config names the file, or it is a YAML file in `infra/`. */
function isInfraFile(config: LabConfig, path: string): boolean {
  return knownMountPoints(config, path).length > 0 || /^infra\/[^/]+\.ya?ml$/.test(path);
}
/** Lints the files of one commit, up to a maximum total size. */
export function lintFilesTogether(config: LabConfig, files: readonly InfraText[]): readonly LintedFile[] {
  let characters = 0;
  return files
    .filter((file) => isClusterFile(config, file))
    .map((file): LintedFile => {
      characters += file.text.length;
      return characters > INFRA_LINT_CHARACTERS_MAX
        ? { path: file.path, findings: [unreadFinding({ line: 1, what: TOO_LARGE_FINDING })] }
        : lintFile(config, file);
    });
}

const TOO_LARGE_FINDING = `not judged: too large: this commit's cluster files have more than ${INFRA_LINT_CHARACTERS_MAX} characters`;

/** `infra/` may contain other YAML. A file that the config does not name counts only if it has command lists. */
function isClusterFile(config: LabConfig, { path, text }: InfraText): boolean {
  return knownMountPoints(config, path).length > 0 || text.includes('_commands');
}

function lintFile(config: LabConfig, { path, text }: InfraText): LintedFile {
  return { path, findings: lintClusterFile(text, knownMountPoints(config, path)) };
}

function knownMountPoints(config: LabConfig, path: string): readonly string[] {
  return Object.keys(config.clusters).flatMap((cluster) => {
    const disk = traitsFor(config, cluster)?.machines?.disk ?? null;
    return disk?.clusterFile === path ? [disk.mountPoint] : [];
  });
}

/** Returns whether the check was added to the head. A branch that does not change the checked files gets no check. */
type BranchCheck = (open: OpenLab, branch: Branch) => Promise<boolean>;

const BRANCH_CHECKS: readonly (readonly [name: string, check: BranchCheck])[] = [
  ['config', checkConfig],
  ['infra', checkInfra],
];

/** Checks every pushed branch, once per commit. A check that GitHub rejected is retried at the next push. */
export function listBranchCheckWork({ open, triggers }: Turn): readonly ReconcileWork[] {
  const own = [`refs/heads/${open.defaultBranch}`, `refs/heads/${open.config.logbookBranch}`];
  const refs = new Set(triggers.flatMap((trigger) => (trigger.kind === 'push' ? [trigger.ref] : [])));
  return [...refs]
    .filter((ref) => !own.includes(ref))
    .flatMap((ref) =>
      BRANCH_CHECKS.map(([name, check]) => ({
        location: locateBranch(ref),
        reconcile: () => checkBranch(open, ref, name, check),
      })),
    );
}

async function checkBranch(open: OpenLab, ref: string, name: string, check: BranchCheck): Promise<void> {
  try {
    const branch = await readBranch(open, ref);
    const key = `check ${name} ${branch?.head}`;
    if (branch === null || open.posted.texts.has(key)) return;
    if (await check(open, branch)) markPosted(open, key);
  } catch (error) {
    // If git fails, add no check: a passing one would be wrong.
    if (!(error instanceof GitError) || error.code === 'unreadable') throw error;
    open.lab.log(`the check of ${name} on ${ref} could not be made: ${error.message}`);
  }
}

async function readBranch({ git, defaultBranch }: OpenLab, ref: string): Promise<Branch | null> {
  const [head, base] = [await git.resolve(ref), await git.resolve(`refs/heads/${defaultBranch}`)];
  const fork = head === null || base === null ? null : await git.mergeBase(base, head);
  return head === null || fork === null ? null : { head, fork };
}

/** Adds the check to a head that changes the config. Returns whether the check was added. */
async function checkConfig(open: OpenLab, { head, fork }: Branch): Promise<boolean> {
  const text = await open.git.readText(head, CONFIG_PATH);
  if (text === null || text === (await open.git.readText(fork, CONFIG_PATH))) return false;
  const outcome = await performEffect(open, {
    kind: 'put-check-run',
    check: 'config',
    head,
    externalId: 'config',
    existing: null,
    ...renderConfigCheck(judgeConfig(open, text), CONFIG_PATH),
  });
  return outcome.kind === 'done';
}

function judgeConfig({ store, lab, configHealth }: OpenLab, text: string): ConfigVerdict {
  const reading = readLabConfig(text, lab.now());
  if (reading.kind === 'invalid') return { kind: 'invalid', problems: reading.problems, inForce: configHealth.inForce };
  const { config, warnings } = reading;
  const { recordedRuns, journalHolds } = factsFromRecord(store.current());
  return {
    kind: 'valid',
    warnings,
    left: findLeftBehind(config, recordedRuns, journalHolds, utcDate(lab.now())),
    backtest: runBacktest(store.histories(), config),
  };
}

/** Records a month's first checkpoint: verifies every run that is over, and deletes unneeded marks. Returns rewritten runs. */
export async function checkpointRecord(open: OpenLab): Promise<readonly BrokenRun[]> {
  const { store, lab } = open;
  const { head, journal, broken } = store.current();
  const marks = store.marks();
  const before = journal.checkpoint;
  const fresh = newestMarkPerRun(marks.filter(({ run }) => run !== JOURNAL && before?.ended.has(run) !== true));
  const since = before?.at ?? fresh.map(({ firstEntryAt }) => firstEntryAt).toSorted()[0];
  const isDue = since !== undefined && monthOfTime(since) < monthOfTime(toRfc3339(lab.now()));
  if (!isDue || head === null || broken.some(({ run }) => run === JOURNAL)) return [];
  const launched = new Set([
    ...marks.filter(({ role }) => role === 'runner').map(({ run }) => run),
    ...(before?.live.filter((one) => one.launched).map(({ run }) => run as string) ?? []),
  ]);
  const toCheckpointedRun = ({ run, firstEntryAt, seq, hash }: Mark): CheckpointedRun => ({
    ...{ run: run as CheckpointedRun['run'], firstEntryAt, seq, hash },
    launched: launched.has(run),
  });
  const over = fresh.filter((mark) => mark.isComplete === true).map(toCheckpointedRun);
  const ended = [...(before?.ended.values() ?? []), ...over];
  const lost = await findRewrittenRuns(open, head, ended);
  const data = {
    ended: over.filter((run) => !lost.includes(run)),
    live: [
      ...fresh.filter((mark) => mark.isComplete !== true).map(toCheckpointedRun),
      // Runs without any remaining mark: a person deleted all of them.
      ...(before?.live.filter(({ run }) => fresh.every((mark) => mark.run !== run)) ?? []),
    ],
  };
  const recorded = await recordInJournal(open, ({ checkpoint }) =>
    checkpoint?.at === before?.at ? [{ type: 'record-checkpointed', role: 'control', data }] : [],
  );
  if (recorded.kind === 'recorded') await deleteMarks(open, marks, recorded.seqs.get(JOURNAL)?.[0] ?? 0);
  const thread = store.current().runs[0]?.proposal.pull ?? null;
  return lost.map(({ run, seq, hash }) => ({ run, fault: { kind: 'entry-missing', seq, hash }, state: null, thread }));
}

function newestMarkPerRun(marks: readonly Mark[]): readonly Mark[] {
  const found = new Map<string, Mark>();
  for (const mark of marks) if ((found.get(mark.run)?.seq ?? -1) < mark.seq) found.set(mark.run, mark);
  return [...found.values()];
}

/** Deletes the marks of the finished runs in the checkpoint, and the journal's marks before the checkpoint. */
async function deleteMarks({ git, store, lab }: OpenLab, marks: readonly Mark[], seq: number): Promise<void> {
  const ended = store.current().journal.checkpoint?.ended;
  const old = marks.filter(({ run, seq: at }) => (run === JOURNAL ? at < seq : ended?.has(run) === true));
  const refused = await git.deleteTags(old.map(buildMarkName));
  if (refused !== null) lab.log(`marks that a checkpoint covers could not be deleted: ${refused}`);
}
