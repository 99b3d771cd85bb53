/** Composes an append from drafts. */

import { invariant } from '../domain/assert.ts';
import type { Instant } from '../domain/ids.ts';
import type { EventDraft, LogbookEvent } from '../domain/logbook/event.ts';
import type { PublicKey } from '../domain/logbook/role.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { type Signers, sealEvents } from './append.ts';
import type { Anchor, Hash } from './ports.ts';
import { type FileState, transitionCheck } from './rules.ts';

/** A verified file; nulls for a new one. */
export type Standing = {
  readonly run: string;
  readonly head: Anchor | null;
  readonly state: FileState | null;
};

/** `lines` have no newline. */
export type ComposedRun = {
  readonly run: string;
  readonly lines: readonly string[];
  readonly appended: readonly LogbookEvent[];
  readonly head: Anchor;
  readonly state: FileState;
};

export type IllegalDraft = { readonly seq: number; readonly rule: string };

export type ComposeContext = {
  readonly at: Instant;
  readonly signers: Signers;
  readonly keys: readonly PublicKey[];
  readonly hash: Hash;
};

/** Appends at least one draft to a verified run. Each new event must be legal; existing entries are not checked again. */
export function composeAppend(
  standing: Standing,
  drafts: readonly EventDraft[],
  context: ComposeContext,
): Result<ComposedRun, IllegalDraft> {
  const { run } = standing;
  const sealed = sealEvents({ ...context, run, head: standing.head }, drafts);
  const check = transitionCheck(run, standing.state);
  for (const { event } of sealed) {
    const rule = check.take(event);
    if (rule !== null) return fail({ seq: event.seq, rule });
  }
  const appended = sealed.map((entry) => entry.event);
  const last = appended.at(-1);
  invariant(last !== undefined, 'logbook-append-of-nothing');
  const head = { seq: last.seq, hash: last.hash };
  return ok({ run, lines: sealed.map(({ line }) => line), appended, head, state: check.state() });
}

/** Commit message without people's names, such as `<run>: log launch` (policy AG-05, HR-19). */
export function commitMessage(runs: readonly ComposedRun[]): string {
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return `${only.run}: ${occasionOf(only)}`;
  const body = runs.map((run) => `${run.run}: ${typesOf(run)}`).join('\n');
  return `${runs.length} runs: log ${runs.reduce((sum, run) => sum + run.appended.length, 0)} events\n\n${body}`;
}

/** Fixed words for the occasions that people search a hero run's logbook for (policy HR-24). */
function occasionOf(run: ComposedRun): string {
  const [first] = run.appended;
  // rule HR-23
  if (first?.type === 'proposed' && run.appended.some(({ type }) => type === 'contracted'))
    return `start ${first.data.kind ?? ''}-run logbook`;
  for (const { type, data } of run.appended) {
    // rule HR-73
    if (type === 'submitted') return data.attempt === 1 ? 'log launch' : 'log relaunch';
    if (type === 'sealed') return 'log final seal';
  }
  return `log ${typesOf(run)}`;
}

function typesOf(run: ComposedRun): string {
  return [...new Set(run.appended.map((event) => event.type))].join(', ');
}
