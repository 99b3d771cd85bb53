/** `ferrybot checkpoints ROOT`: which checkpoints a store has, which one a run would resume from, and why. */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  askedCheckpoint,
  chooseCheckpoint,
  type JudgedCheckpoint,
  judgeAll,
  type Search,
} from '../../../checkpoints/choose.ts';
import { lineageFor } from '../../../checkpoints/lineage.ts';
import type { SearchedRoot } from '../../../domain/checkpoint/stored.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { withoutEndSlashes } from '../../../domain/text.ts';
import { fail, ok, type Result } from '../../../domain/values.ts';
import { checkpointLines, refusedWords } from '../../../render/contract-words.ts';
import { openStore } from '../../../stores/open.ts';
import { answer, EXIT, type Refusal, refused, type VerbIo } from '../verb-io.ts';
import { recordedEvents } from './logbook-verify.ts';

type CheckpointsOptions = {
  readonly temporary: readonly string[];
  readonly exclude: readonly string[];
  readonly maxStep: number | undefined;
  readonly step: number | undefined;
  /** Only checkpoints in the record of this run count. */
  readonly run: string | undefined;
  readonly dir: string;
};

/** Exit 1 if no checkpoint is chosen or the given step is refused. */
export async function checkpointsVerb(
  io: VerbIo,
  root: string,
  options: CheckpointsOptions,
): Promise<number> {
  const state = options.run === undefined ? null : await stateOfRun(io, options.run, options.dir);
  if (state !== null && !state.ok) return refused(io, state.error);
  const roots = await Promise.all([root, ...options.temporary].map((one) => searched(io, one)));
  const search: Search = {
    roots,
    lineage: state === null ? null : lineageFor(state.value),
    maxStep: options.maxStep ?? null,
    excludePaths: options.exclude,
  };
  const all = judgeAll(search);
  const asked = options.step === undefined ? null : askedCheckpoint(search, { step: options.step });
  const choice = asked ?? chooseCheckpoint(search);
  const isChosen = choice.kind === 'chosen';
  const why = isChosen ? null : { code: choice.code, why: choice.why };
  const words =
    asked === null || asked.kind === 'chosen'
      ? checkpointLines(all, asked ?? chooseCheckpoint(search))
      : `refused: ${refusedWords(asked.code)} (${asked.why})\n`;
  const chosen = isChosen ? judgedInJson(choice.checkpoint) : null;
  answer(
    io,
    {
      ok: isChosen,
      checkpoints: all.map(judgedInJson),
      chosen,
      ...(asked === null ? { ask: why } : { refused: why }),
    },
    words,
  );
  return isChosen ? EXIT.yes : EXIT.no;
}

async function searched(io: VerbIo, root: string): Promise<SearchedRoot> {
  const path = withoutEndSlashes(root) || root;
  const host = { fetch, sleep: (durationMs: number) => sleep(durationMs) };
  const store = openStore({ host, environment: io.environment, now: Date.now }, path);
  return { root: path, found: store.kind === 'unknown' ? store : await store.value.list(path) };
}

function judgedInJson({ stored, metadata, attempt, standing }: JudgedCheckpoint): object {
  return {
    path: stored.path,
    step: metadata?.step ?? null,
    timestamp: metadata?.timestamp ?? null,
    isTemporary: metadata?.isTemporary ?? null,
    attempt,
    standing,
  };
}

/** A run from a copy of the logbook. */
async function stateOfRun(io: VerbIo, run: string, dir: string): Promise<Result<RunState, Refusal>> {
  const read = await recordedEvents(io, dir, run);
  if (!read.ok) return read;
  const folded = fold(read.value[0] ?? []);
  if (!folded.ok || folded.value === null)
    return fail({ code: 'logbook-broken', message: `${run} cannot be read` });
  return ok(folded.value);
}
