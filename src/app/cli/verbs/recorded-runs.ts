/** `ferrybot manifest RUN --dir DIR`: prints the newest manifest of a run as canonical JSON, with its digest. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CheckpointSearch,
  chooseCheckpoint,
  chooseNamedCheckpoint,
  type JudgedCheckpoint,
  judgeCheckpoints,
} from '../../../checkpoints/choose.ts';
import { buildLineage } from '../../../checkpoints/lineage.ts';
import type { SearchedRoot } from '../../../domain/checkpoint/stored.ts';
import { limits } from '../../../domain/limits.ts';
import { foldEvents } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { type Backtest, listDifferences } from '../../../domain/past-runs.ts';
import { fail, ok, type Result, withoutEndSlashes } from '../../../domain/values.ts';
import { sha256Hex } from '../../../host/keys.ts';
import { canonicalize } from '../../../logbook/chain.ts';
import { backtestTitle } from '../../../render/check.ts';
import { explainRefusedCheckpoint, formatCheckpoints } from '../../../render/contract-words.ts';
import { renderHistoryTable } from '../../../render/lane-history.ts';
import { runBacktest } from '../../../run/backtest/backtest.ts';
import { listHistory } from '../../../run/lane.ts';
import { openStore } from '../../../stores/open.ts';
import { readLabConfig } from '../../config-source.ts';
import {
  EXIT,
  forTerminal,
  readArgument,
  refuse,
  reply,
  usageError,
  type VerbIo,
  type VerbRefusal,
} from '../verb-io.ts';
import { readRecordedEvents } from './logbook-verify.ts';

/** Exit 1 if the run is missing, does not verify, or has no manifest. */
export async function manifestVerb(io: VerbIo, run: string, dir: string): Promise<number> {
  const read = await readRecordedEvents(io, dir, run);
  if (!read.ok) return refuse(io, read.error);
  const gated = read.value[0]?.findLast((event) => event.type === 'gated' && event.data.manifest !== null);
  if (gated?.type !== 'gated' || gated.data.manifest === null)
    return refuse(io, { code: 'no-manifest', message: `${run} has no manifest yet` });
  const canonical = canonicalize(gated.data.manifest);
  const digest = `sha256:${sha256Hex(canonical)}`;
  if (digest !== gated.data.digest)
    return refuse(io, {
      code: 'digest-differs',
      message: `the record says ${gated.data.digest}, the manifest gives ${digest}`,
    });
  const { commit, manifest } = gated.data;
  const told = { run, digest, canonical, commit, manifest };
  reply(io, told, `${digest}\n${canonical}\n`);
  return EXIT.yes;
}

/** Exit 1 if an entry does not verify or the lane has no run. */
export async function historyVerb(io: VerbIo, lane: string | null, dir: string): Promise<number> {
  const read = await readRecordedEvents(io, dir);
  if (!read.ok) return refuse(io, read.error);
  const states = read.value.flatMap((events) => {
    const folded = foldEvents(events);
    return folded.ok ? (folded.value ?? []) : [];
  });
  const runs = listHistory(states, { lane, most: limits.historyRows });
  if (lane !== null && runs.length === 0)
    return refuse(io, { code: 'lane-unknown', message: `the logbook has no run of the lane ${lane}` });
  reply(io, { ok: true, lane, runs }, `${forTerminal(renderHistoryTable(runs))}\n`);
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
  const state = options.run === undefined ? null : await readRunState(io, options.run, options.dir);
  if (state !== null && !state.ok) return refuse(io, state.error);
  const places = [root, ...options.temporary];
  const missing = places.find((one) => !/^\w+:\/\//.test(one) && !existsSync(resolve(io.cwd, one)));
  if (missing !== undefined) return refuse(io, { code: 'no-store', message: `There is no folder ${missing}.` });
  const roots = await Promise.all(places.map((one) => searchRoot(io, one)));
  const search: CheckpointSearch = {
    roots,
    lineage: state === null ? null : buildLineage(state.value),
    maxStep: options.maxStep ?? null,
    excludePaths: options.exclude,
  };
  const all = judgeCheckpoints(search);
  const asked = options.step === undefined ? null : chooseNamedCheckpoint(search, { step: options.step });
  const choice = asked ?? chooseCheckpoint(search);
  const isChosen = choice.kind === 'chosen';
  const why = isChosen ? null : { code: choice.code, why: choice.why };
  const words =
    asked === null || asked.kind === 'chosen'
      ? formatCheckpoints(all, asked ?? chooseCheckpoint(search))
      : `refused: ${explainRefusedCheckpoint(asked.code)} (${asked.why})\n`;
  const chosen = isChosen ? checkpointAsJson(choice.checkpoint) : null;
  reply(
    io,
    {
      ok: isChosen,
      checkpoints: all.map(checkpointAsJson),
      chosen,
      ...(asked === null ? { ask: why } : { refused: why }),
    },
    words,
  );
  return isChosen ? EXIT.yes : EXIT.no;
}

async function searchRoot(io: VerbIo, root: string): Promise<SearchedRoot> {
  const path = withoutEndSlashes(root) || root;
  const host = { fetch, sleep: (durationMs: number) => sleep(durationMs) };
  const store = openStore({ host, environment: io.environment, now: Date.now }, path);
  return { root: path, found: store.kind === 'unknown' ? store : await store.value.list(path) };
}

function checkpointAsJson({ stored, metadata, attempt, status }: JudgedCheckpoint): object {
  return {
    path: stored.path,
    step: metadata?.step ?? null,
    timestamp: metadata?.timestamp ?? null,
    isTemporary: metadata?.isTemporary ?? null,
    attempt,
    standing: status,
  };
}

async function readRunState(io: VerbIo, run: string, dir: string): Promise<Result<RunState, VerbRefusal>> {
  const read = await readRecordedEvents(io, dir, run);
  if (!read.ok) return read;
  const folded = foldEvents(read.value[0] ?? []);
  if (!folded.ok || folded.value === null) return fail({ code: 'logbook-broken', message: `${run} cannot be read` });
  return ok(folded.value);
}

/** Exit 0: the backtest ran; 1: the config is invalid or the logbook does not verify. */
export async function backtestVerb(io: VerbIo, file: string, logbook: string): Promise<number> {
  const text = await readArgument(io, file);
  if (!text.ok) return usageError(io, text.error);
  const reading = readLabConfig(text.value);
  if (reading.kind === 'invalid') {
    const first = reading.problems[0];
    const message = `${file}:${first?.line ?? 1}:${first?.column ?? 1}: ${first?.message ?? 'not valid'}`;
    return refuse(io, { code: 'config-invalid', message, problems: reading.problems });
  }
  const runs = await readRecordedEvents(io, logbook);
  if (!runs.ok) return refuse(io, runs.error);
  return printBacktest(io, runBacktest(runs.value, reading.config));
}

function printBacktest(io: VerbIo, played: Backtest): number {
  const runs = played.runs.map((run) => ({ ...run, decisions: listDifferences(run) }));
  const lines = runs.flatMap(({ run, decisions }) =>
    decisions.map(
      ({ decision, subject, at, from, to, why }) =>
        `${run}  ${at}  ${decision} ${subject}: ${from} -> ${to} (${why})\n`,
    ),
  );
  reply(io, { ok: true, ...played, runs }, `${backtestTitle(played)}\n${lines.join('')}`);
  return EXIT.yes;
}
