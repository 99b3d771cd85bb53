/** A small code fix by a program (policy ML-26): on the run's own branch, once per run, approved like any fix. */

import { filterIncidents, type IncidentOf } from '../incidents.ts';
import { limits } from '../limits.ts';
import { type IssuedOrder, listOrders, type PastAttempt, type RunState } from '../logbook/run-state.ts';
import { type Digest, type DigestOf, fail, isSha, ok, type Result, type Sha, UNSEEN_CHARACTER } from '../values.ts';
import type { Manifest } from './manifest.ts';
import { activeRollback, canBeFixed, isFixEvaluated, lastFailure } from './next-attempt.ts';

/** Maximum number of files: a small fix touches a file and its importers. */
const FIX_FILES_MAX = 3;
/** Maximum number of added and removed lines; a reviewer can read so many reliably. */
const FIX_LINES_MAX = 30;

type PatchFault =
  | 'patch-none'
  | 'patch-too-large'
  | 'patch-unreadable'
  | 'patch-hidden-signs'
  | 'patch-like-secret'
  | 'patch-does-not-apply';

type Hunk = { readonly from: number; readonly lines: readonly string[] };
export type FilePatch = { readonly path: string; readonly hunks: readonly Hunk[] };

/** Returns the edited files, each once, or why the patch is rejected. */
export function parsePatch(text: string): Result<readonly FilePatch[], PatchFault> {
  if (text.length > limits.fixPatchCharsMax) return fail('patch-too-large');
  if (text.trim() === '') return fail('patch-none');
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  const files: FilePatch[] = [];
  for (let at = 0; at < lines.length; ) {
    if (files.length >= FIX_FILES_MAX) return fail('patch-too-large');
    const read = parseFilePatch(lines, at);
    if (!read.ok) return read;
    if (files.some(({ path }) => path === read.value.file.path)) return fail('patch-unreadable');
    files.push(read.value.file);
    at = read.value.next;
  }
  const changed = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines.filter(isChange)));
  // The reviewer must see the complete patch.
  if (changed.length > FIX_LINES_MAX || formatPatch(files).length > limits.shownBlockCharsMax)
    return fail('patch-too-large');
  return changed.some((line) => line.startsWith('+') && HIDDEN.test(line)) ? fail('patch-hidden-signs') : ok(files);
}

/** Applies each hunk exactly at its stated position. */
export function applyPatch(text: string, { hunks }: FilePatch): Result<string, PatchFault> {
  // The last piece follows the last newline: empty if the file ends with one.
  const old = text.split('\n');
  const length = old.at(-1) === '' ? old.length - 1 : old.length;
  const pieces: (readonly string[])[] = [];
  let done = 0;
  for (const { from, lines } of hunks) {
    if (from < done || from > length) return fail('patch-does-not-apply');
    const now: string[] = [];
    pieces.push(old.slice(done, from), now);
    done = from;
    for (const line of lines) {
      const content = line.slice(1);
      if (line.startsWith('+')) now.push(content);
      else if (done >= length || old[done] !== content) return fail('patch-does-not-apply');
      else {
        if (line.startsWith(' ')) now.push(content);
        done += 1;
      }
    }
  }
  const after = [...pieces, old.slice(done)].flat().join('\n');
  return after === text ? fail('patch-none') : ok(after);
}

/** The patch in ferrybot's own formatting, to display and record. */
export function formatPatch(files: readonly FilePatch[]): string {
  const lines = files.flatMap(({ path, hunks }) => {
    let shift = 0;
    const shown = hunks.flatMap(({ from, lines: taken }) => {
      const olds = taken.filter((line) => !line.startsWith('+')).length;
      const news = taken.filter((line) => !line.startsWith('-')).length;
      const head = `@@ -${olds === 0 ? from : from + 1},${olds} +${from + shift + (news === 0 ? 0 : 1)},${news} @@`;
      shift += news - olds;
      return [head, ...taken];
    });
    return [`--- a/${path}`, `+++ b/${path}`, ...shown];
  });
  return [...lines, ''].join('\n');
}

/** Whether redaction removed part of a changed line. */
export function isChangeMasked(shown: string, redacted: string): boolean {
  const [all, left] = [shown.split('\n'), redacted.split('\n')];
  return all.length !== left.length || all.some((line, at) => !line.startsWith(' ') && line !== left[at]);
}

/** The first changed line, from 1. */
export function firstChangedLine({ hunks }: FilePatch): number {
  const [first] = hunks;
  return first === undefined ? 1 : first.from + Math.max(0, first.lines.findIndex(isChange)) + 1;
}

function isChange(line: string): boolean {
  return line.startsWith('+') || line.startsWith('-');
}

type FileAt = { readonly file: FilePatch; readonly next: number };

/** Parses one file's part: two names and at least one hunk. */
function parseFilePatch(lines: readonly string[], start: number): Result<FileAt, PatchFault> {
  let at = start;
  const git = GIT_HEADER.exec(lines[at] ?? '');
  if (git !== null) {
    at += 1;
    while (at < lines.length && !(lines[at] ?? '').startsWith('--- ')) {
      // Rejects new, deleted, moved and binary files, modes and links: only edits of lines are accepted.
      if (!INDEX.test(lines[at] ?? '')) return fail('patch-unreadable');
      at += 1;
    }
  }
  const [old = '', now = ''] = lines.slice(at, at + 2);
  const path = OLD_NAME.exec(old)?.[1];
  if (path === undefined || path !== NEW_NAME.exec(now)?.[1]) return fail('patch-unreadable');
  if (git !== null && (git[1] !== path || git[2] !== path)) return fail('patch-unreadable');
  at += 2;
  const hunks: Hunk[] = [];
  while (at < lines.length && (lines[at] ?? '').startsWith('@@')) {
    const read = parseHunk(lines, at);
    if (read === null) return fail('patch-unreadable');
    hunks.push(read.hunk);
    at = read.next;
  }
  return hunks.length === 0 ? fail('patch-unreadable') : ok({ file: { path, hunks }, next: at });
}

/** Reads exactly as many lines as the header states, ignoring "no newline" markers. */
function parseHunk(lines: readonly string[], start: number): { readonly hunk: Hunk; readonly next: number } | null {
  const head = HUNK.exec(lines[start] ?? '');
  if (head === null) return null;
  const [, first = '', olds = '1', news = '1'] = head;
  let [left, right] = [Number(olds), Number(news)];
  const taken: string[] = [];
  let at = start + 1;
  while (left > 0 || right > 0) {
    if (lines[at] === NO_NEWLINE) {
      at += 1;
      continue;
    }
    // Some programs drop the space of an empty context line.
    const line = lines[at] === '' ? ' ' : (lines[at] ?? '');
    if (!/^[ +-]/.test(line)) return null;
    left -= line.startsWith('+') ? 0 : 1;
    right -= line.startsWith('-') ? 0 : 1;
    if (left < 0 || right < 0) return null;
    taken.push(line);
    at += 1;
  }
  if (lines[at] === NO_NEWLINE) at += 1;
  // If a hunk has no old lines, its header names the line before the hunk.
  const from = Number(olds) === 0 ? Number(first) : Number(first) - 1;
  return from < 0 ? null : { hunk: { from, lines: taken }, next: at };
}

/** Plain file names only: no quoting, hidden files or `..`. */
const PATH = /[\w@+][\w@+.-]{0,99}(?:\/[\w@+][\w@+.-]{0,99}){0,20}/.source;
const GIT_HEADER = new RegExp(`^diff --git a/(${PATH}) b/(${PATH})$`);
const OLD_NAME = new RegExp(`^--- a/(${PATH})$`);
const NEW_NAME = new RegExp(`^\\+\\+\\+ b/(${PATH})$`);
/** Regular or executable file with an unchanged mode; not a symbolic link. */
const INDEX = /^index [0-9a-f]{4,64}\.\.[0-9a-f]{4,64}(?: 100(?:644|755))?$/;
const HUNK = /^@@ -(\d{1,7})(?:,(\d{1,5}))? \+\d{1,7}(?:,(\d{1,5}))? @@/;
const NO_NEWLINE = '\\ No newline at end of file';
/** Characters that are invisible or reorder text in a diff. A trailing carriage return is allowed. */
const HIDDEN = new RegExp(String.raw`${UNSEEN_CHARACTER}|\p{Cs}|\r(?!$)`, 'u');

/** The fixed file and its diff, or why there is no fix. */
export type SmallFix =
  | { readonly kind: 'fix'; readonly path: string; readonly text: string; readonly diff: string }
  | { readonly kind: 'none'; readonly reason: string };

/** A small code failure and the commit it happened on. */
export type SmallMistake = {
  readonly attempt: number;
  readonly commit: Sha;
  readonly file: string;
  readonly line: number;
  readonly error: string;
  readonly endedAt: string;
};

/** The run's own branch; an adopted job has none and gets a new one. */
export function chooseFixBranch({ run, proposal }: Pick<RunState, 'run' | 'proposal'>): {
  readonly name: string;
  readonly isNew: boolean;
} {
  return proposal.adopts === undefined
    ? { name: proposal.headBranch, isNew: false }
    : { name: `ferrybot/fix/${run}`, isNew: true };
}

/** An adopted job's description, at the commit of its fix if there is one. */
export function jobAfterFix(state: Pick<RunState, 'description' | 'incidents'>): RunState['description'] {
  const { description } = state;
  const fix = findBotFix(state);
  return description === null || fix === null ? description : { ...description, commit: fix.commit };
}

/** The newest attempt's small code failure, if this run has no fix attempt yet. */
export function findOpenMistake(state: RunState): SmallMistake | null {
  const { end, submission } = state;
  if (submission === null || end === null || !canBeFixed(state) || findFixAttempt(state) !== null) return null;
  return findSmallMistake({ submission, end });
}

/** The small code failure in the recorded diagnosis, or null. */
export function findSmallMistake({ submission, end }: Pick<PastAttempt, 'submission' | 'end'>): SmallMistake | null {
  if (end.diagnosis === undefined) return null;
  const { class: kind, place, error } = end.diagnosis;
  if (kind !== 'code-small' || place === null || error === null) return null;
  const { attempt, commit } = submission;
  return { attempt, commit, file: place.file, line: place.line, error, endedAt: end.at };
}

/** Result of the run's only fix attempt. Every role writes incidents, so only control's count. */
export function findFixAttempt({ incidents }: RunState): IncidentOf<'fix-made' | 'fix-not-made'> | null {
  const tried = [...filterIncidents(incidents, 'fix-made'), ...filterIncidents(incidents, 'fix-not-made')];
  return tried.find(({ role }) => role === 'control') ?? null;
}

/** The fix that control recorded for this run. */
export function findFixMade({ incidents }: Pick<RunState, 'incidents'>): IncidentOf<'fix-made'> | null {
  return filterIncidents(incidents, 'fix-made').find(({ role }) => role === 'control') ?? null;
}

/** Whether the lab's program wrote the fix, so that it cannot be recomputed. */
export function isMadeByFixer({ detail }: IncidentOf<'fix-made'>): boolean {
  return detail.by !== undefined;
}

/** A recorded fix. `commit`: the fix. `seq`: its record entry, which a comment in the thread reports. */
export type BotFix = { readonly commit: Sha; readonly seq: number };

/** The fix that control recorded, if its commit is valid. */
export function findBotFix(state: Pick<RunState, 'incidents'>): BotFix | null {
  const made = findFixMade(state);
  if (made === null || !isSha(made.detail.commit)) return null;
  return { commit: made.detail.commit, seq: made.seq };
}

/** `digest`: the approved manifest with the envelope that allows the fix. */
export type PreApproval = {
  readonly digest: Digest;
  readonly commit: Sha;
  readonly path: string;
  readonly failedAttempt: PastAttempt;
};

/** Whether the manifest pre-approves fixes of this file. Files that define the training are never pre-approved. */
export function preApproves(manifest: Manifest | null, path: string): boolean {
  const named = manifest?.envelope.fixes ?? [];
  return !affectsTraining(path) && named.some((entry) => path === entry || path.startsWith(`${entry}/`));
}

/** Whether the path suggests model, optimizer or data code. A person must review such code, even if the lane lists the file. */
export function affectsTraining(path: string): boolean {
  const words = path.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/);
  return words.some((word) => TRAINING_WORDS.test(word));
}

/** The pre-approved fix of the newest failure, or null if a person must approve. */
export function findPreApproval(state: RunState): PreApproval | null {
  const after = lastFailure(state);
  const made = findFixMade(state);
  if (after === null || made === null || activeRollback(state) !== null || isPreApprovalUsed(state)) return null;
  // A person must read what an external fixer wrote.
  if (isMadeByFixer(made)) return null;
  const { attempt, commit, place } = made.detail;
  if (attempt !== after.submission.attempt || !isSha(commit)) return null;
  const path = place.slice(0, place.lastIndexOf(':'));
  return preApproves(after.order.manifest, path)
    ? { digest: after.order.order.digest, commit, path, failedAttempt: after }
    : null;
}

/**
 * Digest of the manifest that pre-approved the gated fix; both may differ only in the shipped files. Null if the fix needs its own
 * approvals. A reissued order keeps its pre-approval.
 */
export function preApprovedDigest(state: RunState): Digest | null {
  const { gate, order } = state;
  if (gate === null || gate.digest === null) return null;
  if (order !== null && order.order.digest === gate.digest && order.status !== 'failed')
    return order.order.preApprovedBy ?? null;
  const given = findPreApproval(state);
  if (given === null || given.commit !== gate.commit || !isFixEvaluated(state)) return null;
  return differsOnlyInFiles(gate.manifest, given.failedAttempt.order.manifest) ? given.digest : null;
}

/** Whether two manifests differ only in the shipped files. */
export function differsOnlyInFiles(one: Manifest | null, other: Manifest | null): boolean {
  return one !== null && other !== null && isSame({ ...one, trees: {} }, { ...other, trees: {} });
}

/** Each run gets one pre-approved launch, even if the runner refused that launch. */
function isPreApprovalUsed(state: RunState): boolean {
  return listOrders(state).some(
    ({ order: one, status }) => one.preApprovedBy !== undefined && USED_STATUSES.includes(status),
  );
}

const USED_STATUSES: readonly IssuedOrder['status'][] = ['claimed', 'submitted', 'failed'];

/** Deep equality; an undefined property equals a missing one. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].every((name) => isSame(left.get(name), right.get(name)));
}

/** Stems of words, and whole words, that suggest training code or data. */
const TRAINING_WORDS =
  /^(?:model|layer|attention|transformer|embed|router|expert|kernel|optim|schedul|adam|muon|grad|loss|train|learn|hyper|param|batch|precision|data|corp|token|mixture|loader|sampl|shard|preprocess|shuffl|(?:lr|sgd|lion|mlp|ffn|moe|nn|rope|norm|bpe)$)/i;

export type Fixer = { readonly command: readonly string[]; readonly timeoutMs: number };

/** Why a fixer's patch is not committed. If its workflow run failed, the log of the workflow run has the reason. */
export type NoExternalFix =
  | 'fixer-failed'
  | 'fixer-not-started'
  | 'fixer-late'
  | 'fixer-cancelled'
  | PatchFault
  | 'outside-scope'
  | 'not-in-tree'
  | 'not-mended'
  | 'too-long';

/** The changed files, and the diff that people see. */
export type ExternalFix =
  | {
      readonly kind: 'fix';
      readonly files: Readonly<Record<string, string>>;
      readonly place: string;
      readonly diff: string;
    }
  | { readonly kind: 'none'; readonly reason: NoExternalFix };

/** State of the newest request to a run's fixer. `taken-away`: a person cancelled or deleted its workflow run or artifact. */
export type FixerStatus =
  | { readonly kind: 'under-way' }
  | { readonly kind: 'taken-away' }
  | { readonly kind: 'answered'; readonly fix: ExternalFix };

/** Identifies the failure in the record of the dispatch and in the inputs of the workflow. */
export function failureDigest(run: string, { attempt, commit, endedAt }: SmallMistake, digestOf: DigestOf): Digest {
  return digestOf(JSON.stringify(['fix', run, attempt, commit, endedAt]));
}
