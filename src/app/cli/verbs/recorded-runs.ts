/** `ferrybot manifest RUN --dir DIR`: prints the newest manifest of a run as canonical JSON, with its digest. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
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
import { limits } from '../../../domain/limits.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { type Backtest, differences } from '../../../domain/past-runs.ts';
import { fail, ok, type Result, withoutEndSlashes } from '../../../domain/values.ts';
import { sha256Hex } from '../../../host/keys.ts';
import { canonicalize } from '../../../logbook/chain.ts';
import { backtestTitle } from '../../../render/check.ts';
import { checkpointLines, refusedWords } from '../../../render/contract-words.ts';
import { historyTable } from '../../../render/lane-history.ts';
import { backtest } from '../../../run/backtest/backtest.ts';
import { historyOf } from '../../../run/lane.ts';
import { openStore } from '../../../stores/open.ts';
import { readLabConfig } from '../../config-source.ts';
import { answer, EXIT, forTerminal, misused, type Refusal, readArgument, refused, type VerbIo } from '../verb-io.ts';
import { recordedEvents } from './logbook-verify.ts';

/** Exit 1 if the run is missing, does not verify, or has no manifest. */
export async function manifestVerb(io: VerbIo, run: string, dir: string): Promise<number> {
  const read = await recordedEvents(io, dir, run);
  if (!read.ok) return refused(io, read.error);
  const gated = read.value[0]?.findLast((event) => event.type === 'gated' && event.data.manifest !== null);
  if (gated?.type !== 'gated' || gated.data.manifest === null)
    return refused(io, { code: 'no-manifest', message: `${run} has no manifest yet` });
  const canonical = canonicalize(gated.data.manifest);
  const digest = `sha256:${sha256Hex(canonical)}`;
  if (digest !== gated.data.digest)
    return refused(io, {
      code: 'digest-differs',
      message: `the record says ${gated.data.digest}, the manifest gives ${digest}`,
    });
  const { commit, manifest } = gated.data;
  const told = { run, digest, canonical, commit, manifest };
  answer(io, told, `${digest}\n${canonical}\n`);
  return EXIT.yes;
}

/** Exit 1 if an entry does not verify or the lane has no run. */
export async function historyVerb(io: VerbIo, lane: string | null, dir: string): Promise<number> {
  const read = await recordedEvents(io, dir);
  if (!read.ok) return refused(io, read.error);
  const states = read.value.flatMap((events) => {
    const folded = fold(events);
    return folded.ok ? (folded.value ?? []) : [];
  });
  const runs = historyOf(states, { lane, most: limits.historyRows });
  if (lane !== null && runs.length === 0)
    return refused(io, { code: 'lane-unknown', message: `the logbook has no run of the lane ${lane}` });
  answer(io, { ok: true, lane, runs }, `${forTerminal(historyTable(runs))}\n`);
  return EXIT.yes;
}

type CheckpointsOptions = {
  readonly temporary: readonly string[];
  readonly exclude: readonly string[];
  readonly maxStep: number | undefined;
  readonly step: number | undefined;
  /** Count only checkpoints in the record of this run. */
  readonly run: string | undefined;
  readonly dir: string;
};

/** Exit 1 if no checkpoint is selected or the given step is rejected. */
export async function checkpointsVerb(io: VerbIo, root: string, options: CheckpointsOptions): Promise<number> {
  const state = options.run === undefined ? null : await stateOfRun(io, options.run, options.dir);
  if (state !== null && !state.ok) return refused(io, state.error);
  const places = [root, ...options.temporary];
  const missing = places.find((one) => !/^\w+:\/\//.test(one) && !existsSync(resolve(io.cwd, one)));
  if (missing !== undefined) return refused(io, { code: 'no-store', message: `There is no folder ${missing}.` });
  const roots = await Promise.all(places.map((one) => searched(io, one)));
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

/** Reads a run from a copy of the logbook. */
async function stateOfRun(io: VerbIo, run: string, dir: string): Promise<Result<RunState, Refusal>> {
  const read = await recordedEvents(io, dir, run);
  if (!read.ok) return read;
  const folded = fold(read.value[0] ?? []);
  if (!folded.ok || folded.value === null) return fail({ code: 'logbook-broken', message: `${run} cannot be read` });
  return ok(folded.value);
}

/** Exit 0: the backtest ran; 1: the config is invalid or the logbook does not verify. */
export async function backtestVerb(io: VerbIo, file: string, logbook: string): Promise<number> {
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, text.error);
  const reading = readLabConfig(text.value);
  if (reading.kind === 'invalid') {
    const first = reading.problems[0];
    const message = `${file}:${first?.line ?? 1}:${first?.column ?? 1}: ${first?.message ?? 'not valid'}`;
    return refused(io, { code: 'config-invalid', message, problems: reading.problems });
  }
  const runs = await recordedEvents(io, logbook);
  if (!runs.ok) return refused(io, runs.error);
  return reportBacktest(io, backtest(runs.value, reading.config));
}

function reportBacktest(io: VerbIo, played: Backtest): number {
  const runs = played.runs.map((run) => ({ ...run, decisions: differences(run) }));
  const lines = runs.flatMap(({ run, decisions }) =>
    decisions.map(
      ({ decision, subject, at, from, to, why }) =>
        `${run}  ${at}  ${decision} ${subject}: ${from} -> ${to} (${why})\n`,
    ),
  );
  answer(io, { ok: true, ...played, runs }, `${backtestTitle(played)}\n${lines.join('')}`);
  return EXIT.yes;
}
