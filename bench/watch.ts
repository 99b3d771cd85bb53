/** One watch process over a thousand runs: its memory, how late its looks are, its pushes, what it writes on GitHub, and how soon a stop reaches the cluster. */

import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createEventStore, type EventStore } from '../src/app/record.ts';
import type { EventDraft } from '../src/domain/logbook/define.ts';
import { brandAs, isInstant, isRunId } from '../src/domain/values.ts';
import { sha256Hex, verifyEd25519 } from '../src/host/keys.ts';
import { keys, seededKey } from '../test/logbook/sample-logbook.ts';
import { aRun } from '../test/support/run-builder.ts';
import { alice, bob } from '../test/support/run-drafts.ts';
import { type ScratchRemote, scratchRemote } from './git-remote.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';
import type { Told } from './watch-child.ts';
import { benchGitHub, type Write } from './watch-github.ts';
import { BEGIN_MS, RUNS, runName, STOPPED_FROM, STOPS_MS, threadOf } from './watch-plan.ts';

type Done = Extract<Told, { readonly kind: 'done' }>;

/** Plays seventy-five minutes of a cluster with a thousand jobs that were all submitted at once. */
export async function measureWatch(): Promise<readonly Result[]> {
  const remote = scratchRemote();
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-bench-watch-'));
  try {
    const store = await seeded(remote);
    const outfile = join(folder, 'watch.mjs');
    // Built as the action is: the memory of a process that strips types by itself is not ours.
    await build({
      entryPoints: [join(import.meta.dirname, 'watch-child.ts')],
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      outfile,
      external: ['vitest'],
      banner: {
        js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
      },
    });
    const { done, writes } = await played(outfile, [remote.url, join(folder, 'mirror.git')], store);
    return resultsOf(done, writes);
  } finally {
    remote.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function resultsOf(done: Done, writes: readonly Write[]): readonly Result[] {
  const stops = STOPS_MS.map((ms, nth) => {
    const reached = done.stopped.find(([index]) => index === STOPPED_FROM + nth)?.[1];
    return reached === undefined ? Number.POSITIVE_INFINITY : (reached - BEGIN_MS - ms) / 1_000;
  });
  const alerts = writes.filter(isAlert);
  const waits = waitsOf(done, alerts);
  const id = (what: string): string => `watch-${RUNS}-${what}`;
  return [
    resultWithoutBar(id('looks'), done.looks, 'looks'),
    resultWithoutBar(id('turns'), done.turns, 'turns'),
    resultWithBar(id('memory'), done.rssMaxMb, 'MB', '<=', 300),
    resultWithoutBar(id('heap'), done.heapMaxMb, 'MB'),
    resultWithBar(id('late-look'), done.lateMaxMs / 1_000, 's', '<=', 60),
    resultWithoutBar(id('longest-turn'), done.turnMaxMs / 1_000, 's'),
    resultWithBar(id('pushes-a-turn'), done.pushesMaxATurn, 'pushes', '<=', 1),
    resultWithoutBar(id('writes'), writes.length, 'writes'),
    resultWithBar(id('writes-a-minute'), mostWithin(writes, 60_000), 'writes', '<=', 80),
    resultWithBar(id('writes-an-hour'), mostWithin(writes, 3_600_000), 'writes', '<=', 500),
    resultWithoutBar(id('alerts'), alerts.length, 'writes'),
    resultWithBar(id('alert-delay'), Math.max(0, ...waits.map(({ ms }) => ms)) / 1_000, 's', '<=', 180),
    resultWithBar(id('others-before-alerts'), overtaking(waits, writes), 'writes', '<=', 0),
    resultWithBar(id('stop'), Math.max(...stops), 's', '<=', 60),
  ];
}

function isAlert({ body }: Write): boolean {
  return body.includes('kind=incident');
}

function mostWithin(writes: readonly Write[], ms: number): number {
  return Math.max(
    0,
    ...writes.map(({ atMs }) => writes.filter((one) => one.atMs >= atMs && one.atMs < atMs + ms).length),
  );
}

type Wait = { readonly fromMs: number; readonly untilMs: number; readonly ms: number };

/** From the entry of each incident to its comment; one that never came has waited for ever. */
function waitsOf({ incidents }: Done, alerts: readonly Write[]): readonly Wait[] {
  return incidents.map(([index, fromMs]) => {
    const said = alerts.find(({ thread, atMs }) => thread === threadOf(index) && atMs >= fromMs);
    const untilMs = said?.atMs ?? Number.POSITIVE_INFINITY;
    return { fromMs, untilMs, ms: untilMs - fromMs };
  });
}

/** Writes that were no alert, made while an alert waited. */
function overtaking(waits: readonly Wait[], writes: readonly Write[]): number {
  const others = writes.filter((one) => !isAlert(one));
  return others.filter(({ atMs }) => waits.some(({ fromMs, untilMs }) => fromMs < atMs && atMs < untilMs)).length;
}

/** The watch in a process of its own, every question of it answered, until it ends. */
function played(
  program: string,
  args: readonly string[],
  store: EventStore,
): Promise<{ readonly done: Done; readonly writes: readonly Write[] }> {
  const github = benchGitHub();
  const due = STOPS_MS.map((ms, nth) => ({ ms: BEGIN_MS + ms, index: STOPPED_FROM + nth }));
  const child = fork(program, [...args]);
  return new Promise((resolve, reject) => {
    let isDone = false;
    child.on('exit', (code) => {
      if (!isDone) reject(new Error(`the watch ended with ${code}`));
    });
    child.on('message', (told: Told) => {
      const answered = async (): Promise<void> => {
        if (told.kind === 'log') return;
        if (told.kind === 'request') {
          child.send(github.answer(told));
          return;
        }
        if (told.kind === 'done') {
          isDone = true;
          resolve({ done: told, writes: github.writes });
        } else
          while (due[0] !== undefined && due[0].ms <= told.untilMs) {
            await stop(store, due[0].index, due[0].ms);
            due.shift();
          }
        child.send({});
      };
      answered().catch((error: unknown) => {
        child.kill();
        reject(error);
      });
    });
  });
}

/** Control has heard a person's stop, and records it. */
async function stop(store: EventStore, index: number, ms: number): Promise<void> {
  await store.load();
  const data = { comment: 700 + index, surface: 'comment' } as const;
  const asked: EventDraft = { type: 'stop-requested', role: 'control', actor: alice, data };
  const entry = { run: brandAs(runName(index), isRunId), drafts: [asked] };
  const result = await store.append([entry], brandAs(ms, isInstant));
  if (result.kind !== 'appended') throw new Error(JSON.stringify(result));
}

/** A repository with its config, and a thousand runs that have just been submitted. */
async function seeded(remote: ScratchRemote): Promise<EventStore> {
  const git = remote.client();
  const config = {
    version: 1,
    git: { name: 'Lab automation', email: 'automation@lab.example' },
    keys,
    clusters: { local: { engine: 'local', acceleratorHoursPerRun: '2.5' } },
    lanes: {
      daily: {
        experiment: 'experiments/ferries/daily.py',
        cluster: 'local',
        runName: 'daily-125m-{date}',
        command: ['python3', 'experiments/ferries/daily.py'],
        environment: { FERRY_DATE: '{date}' },
        ships: ['experiments', 'lib'],
        scope: ['experiments/ferries/daily.py'],
        outputRoot: 'out/{run}',
        tracker: { kind: 'wandb', entity: 'lab', project: 'ferries' },
        finalStep: 5155,
        metrics: [{ key: 'eval/loss', better: 'lower', tolerancePercent: '2' }],
      },
    },
  };
  await git.commitAndPush({
    ref: 'refs/heads/main',
    expected: null,
    parent: 'expected',
    files: { '.github/ferrybot.yml': JSON.stringify(config) },
    message: 'A lab',
    atMs: BEGIN_MS,
  });
  // What keeping a record needs of a lab and its config; no other part is asked for.
  const lab = {
    repository: 'lab/models',
    hash: sha256Hex,
    verifySignature: verifyEd25519,
    signingKeys: { control: seededKey(1), runner: seededKey(2), watch: seededKey(3) },
    log: () => undefined,
    boundary: () => undefined,
    now: () => brandAs(BEGIN_MS, isInstant),
  };
  const store = createEventStore(
    lab as never,
    { keys, logbookBranch: 'ferrybot/logbook' } as never,
    git as never,
    null,
  );
  await store.load();
  const entries = Array.from({ length: RUNS }, (_, index) => ({
    run: brandAs(runName(index), isRunId),
    drafts: draftsOf(index),
  }));
  const result = await store.append(entries, brandAs(BEGIN_MS, isInstant));
  if (result.kind !== 'appended') throw new Error(JSON.stringify(result));
  return store;
}

function draftsOf(index: number): readonly EventDraft[] {
  const thread = threadOf(index);
  const run = aRun({ run: runName(index), issue: thread, pull: thread });
  const details = { session: 's1' };
  const { events } = run.gated().approved(bob).ordered().submitted({ engine: 'ray', details });
  return events.map(
    ({ type, role, actor, data }) => ({ type, role, data, ...(actor === undefined ? {} : { actor }) }) as EventDraft,
  );
}
