/**
 * Submits to the recorded controller under many faults, as a launcher does: until the result is known, and
 * never under another name.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, JobObservation, JobSpec, SubmitOutcome } from '../../src/domain/engine.ts';
import { isTerminal } from '../../src/domain/engine.ts';
import { createIrisEngine } from '../../src/engines/iris/engine.ts';
import { stopIn, submitTo } from './capabilities.ts';
import { irisConfig } from './iris-config.ts';
import { createWire, type WireFault } from './iris-http.ts';
import { createRandom, type Random } from './random.ts';
import { createRecordedIris, type RecordedIris } from './recorded-iris.ts';

/** How one attempt really ended, and how it was reported; empty: correct. */
export type SubmitReport = {
  readonly id: string;
  readonly starts: number;
  readonly outcome: string;
  readonly wrong: string;
};

export type Submits = {
  readonly count: number;
  readonly seed: number;
  /**
   * A folder of start markers that all workers share; null: only names and attempt numbers prevent a second
   * start.
   */
  readonly markers: string | null;
};

const ON_LAUNCH: readonly WireFault[] = [
  ...(['lost-before', 'lost-after', 'doubled', 'late', 'bad-gateway-before', 'bad-gateway-after'] as const),
  ...(['restart-after', 'restore-after'] as const),
];
/** Only a start marker helps if the controller forgets between the check and the launch. */
const WITH_MARKS: readonly WireFault[] = [...ON_LAUNCH, 'restore-before'];
const ON_OTHERS: readonly WireFault[] = ['lost-before', 'lost-after', 'bad-gateway-before'];

/** A new world for every fifty attempts, because Iris keeps data of each. */
const PER_WORLD = 50;

/** Every attempt with its result. */
export async function submitMany({ count, seed, markers }: Submits): Promise<readonly SubmitReport[]> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-iris-'));
  await writeFile(join(directory, 'train.py'), '');
  try {
    const told: SubmitReport[] = [];
    for (let first = 0; first < count; first += PER_WORLD) {
      const random = createRandom(seed + first);
      const world = openWorld(random, markers);
      for (let index = first; index < Math.min(first + PER_WORLD, count); index += 1)
        told.push(await oneAttempt(world, random, `job-${index}`, directory));
    }
    return told;
  } finally {
    await rm(directory, { recursive: true });
  }
}

type World = {
  readonly iris: RecordedIris;
  readonly engine: Engine;
  readonly pass: (ms: number) => void;
  readonly deliverLate: () => void;
  readonly calm: (isCalm: boolean) => void;
};

function openWorld(random: Random, markers: string | null): World {
  let nowMs = Date.UTC(2026, 10, 22);
  let isCalm = true;
  const now = (): number => nowMs;
  const iris = createRecordedIris({
    now,
    release: random.pick(['2026-05-11', '2026-06-18']),
    plan: ([kind]) => ({
      pendingMs: 100,
      endAfterMs: kind === 'endless' ? null : kind === 'long' ? 600_000 : 2_000,
      exitCode: kind === 'failing' ? 3 : 0,
      lines: ['progress'],
    }),
  });
  const fault = (method: string): WireFault | null => {
    if (isCalm || random.chance(0.5)) return null;
    return method.endsWith('/LaunchJob')
      ? random.pick(markers === null ? ON_LAUNCH : WITH_MARKS)
      : random.pick(ON_OTHERS);
  };
  const { http, deliverLate } = createWire(iris, fault);
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const engine = createIrisEngine({
    cluster: irisConfig({ tokenFrom: null, markers }),
    token: null,
    now,
    http,
    sleep: async (ms) => pass(ms),
  });
  return {
    ...{ iris, engine, pass, deliverLate },
    calm: (next) => {
      isCalm = next;
    },
  };
}

const KINDS = ['quick', 'failing', 'endless', 'long'] as const;

async function oneAttempt(world: World, random: Random, id: string, workingDirectory: string): Promise<SubmitReport> {
  const { iris, engine } = world;
  const kind = random.pick(KINDS);
  const spec: JobSpec = {
    submissionId: id,
    command: [kind],
    env: {},
    workingDirectory,
    metadata: { run: `run-${id}`, attempt: 1, manifest: `sha256:${id}` },
  };
  iris.world.checkpoint();
  const claimed = await engine.session();
  const session = claimed.kind === 'session' ? claimed.id : '';
  world.calm(false);
  const outcome = await submitAsLauncher(world, spec, session, random);
  world.calm(true);
  world.deliverLate();
  // Before the end is read: a lost worker, and a restarted controller.
  const worker = random.chance(0.15) && kind !== 'quick' && kind !== 'failing';
  if (worker) {
    // Long enough for the job to have started there.
    world.pass(5_000);
    iris.world.loseWorker();
  }
  if (random.chance(0.1)) iris.restart();
  const wasKnown = outcome.kind === 'submitted' || outcome.kind === 'adopted';
  const isForgotten = random.chance(0.05) && wasKnown;
  if (isForgotten) iris.restore();
  if (kind === 'endless' && !worker && !isForgotten && wasKnown) await stopIn(engine, id);
  const seen = await observeUntilEnded(world, id, wasKnown ? session : null);
  const starts = iris.world.starts().filter((name) => name === `/alice/${id}`).length;
  const kept = iris.world.jobs.get(`/alice/${id}`);
  const hasForgotten = kept === undefined || kept.error.includes('refused again');
  const truth = isForgotten ? 'state-lost' : worker ? 'FAILED WORKER_FAILED' : TRUTH[kind];
  return { id, starts, outcome: outcome.kind, wrong: findContradiction(seen, truth, { hasForgotten, wasKnown }) };
}

const TRUTH = {
  quick: 'SUCCEEDED 0',
  failing: 'FAILED JOB_ENTRYPOINT_COMMAND_ERROR 3',
  endless: 'STOPPED',
  long: 'SUCCEEDED 0',
} as const;

/**
 * As the launch does after each run of the launcher: only a definite *absent* in the session of the claim may
 * submit again.
 */
async function submitAsLauncher(world: World, spec: JobSpec, session: string, random: Random): Promise<SubmitOutcome> {
  let outcome: SubmitOutcome = { kind: 'unknown', message: '' };
  for (let tries = 0; tries < 8; tries += 1) {
    outcome = await submitTo(world.engine, spec);
    if (outcome.kind !== 'unknown') return outcome;
    world.pass(1_000);
    if (random.chance(0.3)) world.deliverLate();
    const back = await world.engine.observe(spec.submissionId, null);
    if (back.kind === 'absent' && back.session !== session) return outcome;
  }
  return outcome;
}

async function observeUntilEnded(world: World, id: string, session: string | null): Promise<JobObservation> {
  let seen: JobObservation = { kind: 'unknown', message: '' };
  for (let look = 0; look < 100; look += 1) {
    seen = await world.engine.observe(id, session);
    if (seen.kind === 'absent' || seen.kind === 'state-lost') return seen;
    if (seen.kind === 'found' && isTerminal(seen.status)) return seen;
    world.pass(look < 5 ? 2_000 : 30_000);
  }
  return seen;
}

function findContradiction(
  seen: JobObservation,
  truth: string,
  { hasForgotten, wasKnown }: { readonly hasForgotten: boolean; readonly wasKnown: boolean },
): string {
  const told =
    seen.kind === 'found'
      ? [seen.status, seen.errorType, seen.exitCode].filter((part) => part !== null).join(' ')
      : seen.kind;
  if (told === truth) return '';
  // Its existence was never confirmed: it may be found or not, but never with another end.
  if (!wasKnown && ['absent', 'unknown', 'state-lost'].includes(told)) return '';
  // An endless job that was never confirmed is not stopped.
  if (!wasKnown && truth === 'STOPPED' && told === 'RUNNING') return '';
  // The controller that confirmed the launch forgot the job, and it is not started again.
  if (told === 'state-lost' && hasForgotten) return '';
  return `${told}, and it was ${truth} (${seen.kind === 'found' || seen.kind === 'unknown' ? seen.message : ''})`;
}
