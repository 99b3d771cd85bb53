/** An append as file contents: what was there is checked, the new entries are added, the Markdown is made again. */

import type { Instant } from '../domain/ids.ts';
import type { EventDraft, LogbookEvent } from '../domain/logbook/event.ts';
import type { PublicKey } from '../domain/logbook/role.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { type SealedEvent, type Signers, sealEvents } from './append.ts';
import type { Anchor, Hash } from './ports.ts';
import { projectLogbook } from './projection.ts';
import { transitionCheck } from './rules.ts';
import { type BadEntry, verifyLogbook } from './verify.ts';

/** A run's two files as they are at the branch's head; nulls where the run has none yet. */
export type RunFiles = {
  readonly run: string;
  readonly text: string | null;
  readonly markdown: string | null;
};

/** A run's two files as they shall be, with the new events and the newest of all. */
export type ComposedRun = {
  readonly run: string;
  readonly text: string;
  readonly markdown: string;
  readonly appended: readonly LogbookEvent[];
  readonly head: Anchor;
};

/** `broken`: what is there is not in order, so nothing may be added. `illegal`: the lifecycle forbids a draft. */
export type ComposeFailure =
  | { readonly kind: 'broken'; readonly bad: BadEntry }
  | { readonly kind: 'illegal'; readonly seq: number; readonly rule: string };

export type ComposeContext = {
  readonly at: Instant;
  readonly signers: Signers;
  readonly keys: readonly PublicKey[];
  readonly hash: Hash;
};

/**
 * Adds at least one draft to a run. The chain that is there is checked before (its signatures were checked
 * where it was read), and every new event is held against the lifecycle before it is signed into the file.
 */
export function composeAppend(
  files: RunFiles,
  drafts: readonly EventDraft[],
  context: ComposeContext,
): Result<ComposedRun, ComposeFailure> {
  const before = checkedEvents(files, context.hash);
  if (!before.ok) return before;
  const last = before.value.at(-1);
  const head = last === undefined ? null : { seq: last.seq, hash: last.hash };
  const sealed = sealEvents({ ...context, run: files.run, head }, drafts);
  const illegal = firstIllegal(files.run, before.value, sealed);
  if (illegal !== null) return fail(illegal);
  const appended = sealed.map((entry) => entry.event);
  const newest = appended.at(-1) ?? last;
  if (newest === undefined) throw new Error('nothing to append to a run that does not exist');
  return ok({
    run: files.run,
    text: `${files.text ?? ''}${sealed.map((entry) => `${entry.line}\n`).join('')}`,
    markdown: projectLogbook([...before.value, ...appended], files.markdown),
    appended,
    head: { seq: newest.seq, hash: newest.hash },
  });
}

function checkedEvents(files: RunFiles, hash: Hash): Result<readonly LogbookEvent[], ComposeFailure> {
  if (files.text === null) return ok([]);
  const verified = verifyLogbook({
    text: files.text,
    run: files.run,
    keys: null,
    anchor: null,
    undecodableLine: null,
    hash,
    verifySignature: null,
  });
  return verified.bad === null ? ok(verified.events) : fail({ kind: 'broken', bad: verified.bad });
}

function firstIllegal(
  run: string,
  before: readonly LogbookEvent[],
  sealed: readonly SealedEvent[],
): Extract<ComposeFailure, { kind: 'illegal' }> | null {
  const check = transitionCheck(run);
  for (const event of before) check(event);
  for (const { event } of sealed) {
    const rule = check(event);
    if (rule !== null) return { kind: 'illegal', seq: event.seq, rule };
  }
  return null;
}

/**
 * Message of the commit that records these events: the lab's events, nobody's name
 * (`<run>: log launch`, policy/hero-run.md).
 */
export function commitMessage(runs: readonly ComposedRun[]): string {
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return `${only.run}: log ${typesOf(only)}`;
  const body = runs.map((run) => `${run.run}: ${typesOf(run)}`).join('\n');
  return `${runs.length} runs: log ${runs.reduce((sum, run) => sum + run.appended.length, 0)} events\n\n${body}`;
}

function typesOf(run: ComposedRun): string {
  return [...new Set(run.appended.map((event) => event.type))].join(', ');
}
