/**
 * Parses and applies an untrusted patch in `git diff` format: only line edits of existing files, only at the stated position. At another
 * position, the file differs from the one the patch was written for.
 */

import { limits } from '../limits.ts';
import { UNSEEN } from '../text.ts';
import { fail, ok, type Result } from '../values.ts';

/** A small fix touches a file and its importers. */
const FIX_FILES_MAX = 3;
/** Added and removed lines that a reviewer can read reliably. */
const FIX_LINES_MAX = 30;

export type PatchFault =
  | 'patch-none'
  | 'patch-too-large'
  | 'patch-unreadable'
  | 'patch-hidden-signs'
  | 'patch-like-secret'
  | 'patch-does-not-apply';

type Hunk = { readonly from: number; readonly lines: readonly string[] };
export type FilePatch = { readonly path: string; readonly hunks: readonly Hunk[] };

/** Returns the edited files, each once, or why the patch is rejected. */
export function readPatch(text: string): Result<readonly FilePatch[], PatchFault> {
  if (text.length > limits.fixPatchCharsMax) return fail('patch-too-large');
  if (text.trim() === '') return fail('patch-none');
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  const files: FilePatch[] = [];
  for (let at = 0; at < lines.length; ) {
    if (files.length >= FIX_FILES_MAX) return fail('patch-too-large');
    const read = readFile(lines, at);
    if (!read.ok) return read;
    if (files.some(({ path }) => path === read.value.file.path)) return fail('patch-unreadable');
    files.push(read.value.file);
    at = read.value.next;
  }
  const changed = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines.filter(isChange)));
  // The reviewer must see all of it.
  if (changed.length > FIX_LINES_MAX || shownPatch(files).length > limits.shownBlockCharsMax)
    return fail('patch-too-large');
  return changed.some((line) => line.startsWith('+') && HIDDEN.test(line))
    ? fail('patch-hidden-signs')
    : ok(files);
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
export function shownPatch(files: readonly FilePatch[]): string {
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
export function hidesChange(shown: string, redacted: string): boolean {
  const [all, left] = [shown.split('\n'), redacted.split('\n')];
  return all.length !== left.length || all.some((line, at) => !line.startsWith(' ') && line !== left[at]);
}

/** The first changed line, from 1. */
export function firstLineOf({ hunks }: FilePatch): number {
  const [first] = hunks;
  return first === undefined ? 1 : first.from + Math.max(0, first.lines.findIndex(isChange)) + 1;
}

function isChange(line: string): boolean {
  return line.startsWith('+') || line.startsWith('-');
}

type FileAt = { readonly file: FilePatch; readonly next: number };

/** Parses one file's part: two names and at least one hunk. */
function readFile(lines: readonly string[], start: number): Result<FileAt, PatchFault> {
  let at = start;
  const git = GIT_HEADER.exec(lines[at] ?? '');
  if (git !== null) {
    at += 1;
    while (at < lines.length && !(lines[at] ?? '').startsWith('--- ')) {
      // New, deleted, moved and binary files, modes and links are no edits of lines.
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
    const read = readHunk(lines, at);
    if (read === null) return fail('patch-unreadable');
    hunks.push(read.hunk);
    at = read.next;
  }
  return hunks.length === 0 ? fail('patch-unreadable') : ok({ file: { path, hunks }, next: at });
}

/** Reads exactly as many lines as the header states, ignoring "no newline" markers. */
function readHunk(
  lines: readonly string[],
  start: number,
): { readonly hunk: Hunk; readonly next: number } | null {
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
  // A hunk without old lines states the line before it.
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
const HIDDEN = new RegExp(String.raw`${UNSEEN}|\p{Cs}|\r(?!$)`, 'u');
