/**
 * One ferry under one fault on real time: real git store, HTTP on loopback, the App's server, the runner and
 * the bundle.
 */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endJobs } from '../../demo/end-jobs.ts';
import { openLabFolder } from '../../demo/lab-folder.ts';
import { readJournal, readLogbook } from '../../demo/logbook-events.ts';
import { type OpenedLab, openLab } from '../../demo/open-lab.ts';
import { exampleLab } from '../../demo/seed-lab.ts';
import { findOpenQuestion } from '../../demo/stages.ts';
import type { Fault, FaultKind } from '../../packages/playground/faults/fault.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { findShownApprovalLine } from './approve.ts';
import { countContent, type FaultReport, judgeFerry, usualFault } from './fault-ferry.ts';
import { createMaintainer, type Maintainer } from './maintainer.ts';
import { readState } from './play.ts';

export type RealFaultReport = FaultReport & { readonly seconds: number };

/** A job lasts half a minute here instead of half an hour: minutes become seconds. */
const REAL_DURATION_MS = { slow: 2_000, 'stale-read': 10_000, 'webhook-delayed': 20_000 } as const satisfies Partial<
  Record<FaultKind, number>
>;

const POLL_MS = 300;
/**
 * GitHub dates comments in whole seconds: an approval in the card's second would count as older than the
 * card.
 */
const READING_MS = 1_500;
/** A pending proposal is not requested twice. */
const DISPATCH_AGAIN_MS = 20_000;
/**
 * One write in five starts a rate limit of a minute for its caller, and the waiting time doubles with each
 * rejection, as GitHub's page on rate limits requires: a measured ferry waited five minutes. Other faults
 * take a minute or two.
 */
const FERRY_TIMEOUT_MS = 20 * 60_000;
/** The time for pending posts after the seal: longer than the latest webhook, and eight sweeps. */
const SETTLE_MS = 25_000;

function realFault(kind: FaultKind, seed: number): Fault {
  const durations: Partial<Record<FaultKind, number>> = REAL_DURATION_MS;
  const usual = usualFault(kind, seed);
  return { ...usual, durationMs: durations[kind] ?? usual.durationMs };
}

/**
 * From proposal to seal in a new lab, evaluated like the ferries on virtual time. All of its processes end
 * with it; the files of a failed ferry remain, and its report names them. `stop` ends it early.
 */
export async function playForReal(kind: FaultKind, seed: number, stop: AbortSignal): Promise<RealFaultReport> {
  const since = performance.now();
  const folder = await openLabFolder(null);
  let isGood = false;
  try {
    const opened = await openLab(
      { port: 0, webhooks: true, server: true },
      folder,
      exampleLab(folder, { server: true, lanes: 1, example: null }, null),
    );
    if (!opened.ok) throw new Error(opened.message);
    const { lab } = opened;
    try {
      const report = await playIn(lab, realFault(kind, seed), stop);
      isGood = report.problem === null;
      const seconds = Math.round((performance.now() - since) / 1_000);
      return isGood ? { ...report, seconds } : { ...report, seconds, problem: `${report.problem}; ${folder.root}` };
    } finally {
      await lab.close();
    }
  } finally {
    await endJobs(folder.jobs);
    if (isGood || stop.aborted) await rm(folder.root, { recursive: true, force: true });
  }
}

async function playIn(lab: OpenedLab, fault: Fault, stop: AbortSignal): Promise<FaultReport> {
  const writes = countContent(lab.world);
  const mira = await createMaintainer(lab);
  await mira.control('PUT', '/faults', { faults: [fault] });
  // A broken lab ends the play too.
  const over = new AbortController();
  let problem: string | null = null;
  try {
    const broken = lab.broken.then((reason) => {
      throw new Error(reason);
    });
    await Promise.race([playStages(lab, mira, AbortSignal.any([stop, over.signal])), broken]);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  } finally {
    over.abort();
  }
  const struck = await mira.struck(fault.kind);
  // Every started job has its own folder; drafts are in a hidden one next to them.
  const jobs = await readdir(join(lab.folder.jobs, 'jobs')).catch(noneYet);
  const launches = jobs.filter((name) => !name.startsWith('.')).length;
  const { kind, seed } = fault;
  const run = await findRun(lab);
  return judgeFerry(
    { world: lab.world, store: gitStore(lab) },
    { kind, seed, overHttp: true, run, writes, problem, struck, launches },
  );
}

/** The people's actions: dispatch the day (again if nothing happens), read, approve, and seal. */
async function playStages(lab: OpenedLab, mira: Maintainer, stop: AbortSignal): Promise<void> {
  const until = performance.now() + FERRY_TIMEOUT_MS;
  const reached = async (what: string, done: (state: RunState | null) => boolean): Promise<RunState> => {
    let dispatchedAt = Number.NEGATIVE_INFINITY;
    let answered: number | null = null;
    while (performance.now() < until) {
      stop.throwIfAborted();
      const run = await findRun(lab);
      const state = run === null ? null : await readState({ store: gitStore(lab) }, run);
      if (state !== null && done(state)) return state;
      const asked = state === null ? findOpenQuestion(await readJournal(lab.world), 'daily') : null;
      // A second answer would be answered with the existing ferry.
      if (asked !== null && asked !== answered) await mira.answer(asked);
      answered = asked ?? answered;
      if (state === null && performance.now() - dispatchedAt > DISPATCH_AGAIN_MS) {
        await mira.dispatchDaily();
        dispatchedAt = performance.now();
      }
      await sleep(POLL_MS);
    }
    throw new Error(`no ${what} in ${FERRY_TIMEOUT_MS / 60_000} minutes`);
  };
  const { proposal } = await reached('green gate', (state) => (state?.gate?.digest ?? null) !== null);
  const line = await cardLine(lab, until, stop);
  await sleep(READING_MS);
  await mira.comment(proposal.pull, line);
  await reached('end of the job', (state) => (state?.end ?? null) !== null);
  await mira.comment(proposal.issue, '/seal');
  await reached('seal', (state) => (state?.seal ?? null) !== null);
  await sleep(SETTLE_MS, undefined, { signal: stop });
}

/** The card's line, once it asks for an approval. */
async function cardLine(lab: OpenedLab, until: number, stop: AbortSignal): Promise<string> {
  while (performance.now() < until) {
    stop.throwIfAborted();
    const line = findShownApprovalLine(lab);
    if (line !== null) return line;
    await sleep(POLL_MS);
  }
  throw new Error('no card asks for an approval in time');
}

/** The day's run, once it is in the logbook. */
async function findRun(lab: OpenedLab): Promise<string | null> {
  const names = [...(await readLogbook(lab.world)).keys()];
  return names.find((name) => name.startsWith('ferry-daily-')) ?? null;
}

function gitStore({ world }: OpenedLab): ReturnType<OpenedLab['world']['gitOf']> {
  const [repo] = Object.values(world.state.repos);
  if (repo === undefined) throw new Error('this world has no repository');
  return world.gitOf(repo);
}

function noneYet(error: unknown): readonly string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
