/**
 * A whole lab on virtual time: the playground's GitHub, the real bot on both sides, a simulated engine, and
 * people.
 */

import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Actions, createActions } from '../../packages/playground/actions/actions.ts';
import type { Fault } from '../../packages/playground/faults/fault.ts';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import { startWebhooks } from '../../packages/playground/webhooks/webhooks.ts';
import { createWorld } from '../../packages/playground/world/create-world.ts';
import type { Person, Seeded } from '../../packages/playground/world/seed.ts';
import { copyState, type State } from '../../packages/playground/world/state.ts';
import type { World } from '../../packages/playground/world/world.ts';
import type { DiskPortOpener } from '../../src/app/disk-scan/disk-port.ts';
import { createTrackers } from '../../src/app/engines.ts';
import type { RunFixer } from '../../src/app/fixer/fix-mode.ts';
import type { CloudLookup, Lab } from '../../src/app/lab.ts';
import { SWEEP_PERIOD_MS } from '../../src/app/server/serve-options.ts';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import type { FileReading } from '../../src/domain/launch/change-facts.ts';
import type { ReconcileRequest } from '../../src/domain/reconcile-request.ts';
import type { Observed } from '../../src/domain/values.ts';
import { toTrigger } from '../../src/handlers/registry.ts';
import { type FerryShape, ferryScript, type JobScript } from './ferry-script.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { leaveArtifact } from './left-artifacts.ts';
import { loopbackCarrier } from './loopback-carrier.ts';
import type { FullDisk } from './memory-git.ts';
import { createSimulatedEngine, type SimulatedEngine } from './simulated-engine.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
import { type Carrier, memoryCarrier } from './virtual-lab-carrier.ts';
import { createComposer } from './virtual-lab-compose.ts';
import { virtualJobs } from './virtual-lab-jobs.ts';
import { copyOfStore } from './virtual-lab-repository.ts';
import { startServer } from './virtual-lab-server.ts';
import { seededBytes, seedVirtualWorld } from './virtual-lab-world.ts';

export type VirtualLabOptions = {
  readonly server?: boolean;
  readonly webhooks?: boolean;
  /** GitHub's address; a server of its pages for a browser sets its own. */
  readonly origin?: string;
  readonly ferry?: Partial<FerryShape>;
  /** What a job does, instead of the ferry's shape: a real job's log, for example. */
  readonly script?: (spec: JobSpec) => JobScript;
  /** Replaces the simulated engine. */
  readonly engine?: (inFlight: InFlight) => Engine;
  /** Unix ms at which the lab opens; by default six in the morning of its day. */
  readonly startMs?: number;
  /** Called at every boundary of every process; may throw `Crash`. */
  readonly atBoundary?: (process: string, kind: string, moment: 'before' | 'after') => void;
  /** Replaces parts of the lab's config before the first commit. */
  readonly config?: (text: string) => string;
  readonly sweepMs?: number;
  /** How many servers handle the repository concurrently; default 1. */
  readonly servers?: number;
  /** Between the bot and GitHub: can lose requests, responses or both. */
  readonly network?: (request: Request, github: (request: Request) => Promise<Response>) => Promise<Response>;
  readonly fullDisk?: () => FullDisk;
  /** GitHub's faults for the bot, from the first minute on. */
  readonly faults?: readonly Fault[];
  /** A job of the action waits for this before it starts, like a job with an offline runner. */
  readonly beforeJob?: (mode: string) => Promise<void>;
  /** The machines of a cluster; by default none. */
  readonly cloudOf?: (clock: VirtualClock) => CloudLookup;
  /**
   * The result that a process's Python returns instead of reading a file; null or absent: this machine's
   * Python reads it.
   */
  readonly python?: (process: string, interpreter: string) => FileReading | null;
  /** The version that a process finds; absent: 3.11 everywhere. */
  readonly pythonVersion?: (process: string, interpreter: string) => Observed<string>;
  /** Replaces the lab's own programs: a proposer, checks before a push. By default none. */
  readonly helpers?: Lab['helpers'];
  readonly sendToChannel?: Lab['sendToChannel'];
  /** Runs the fixer of a lane; its runner waits for it. By default none. */
  readonly fixer?: RunFixer;
  /** Replaces gcloud and the lab's scripts. By default none. */
  readonly disks?: DiskPortOpener;
  /** Replaces the network between the watch and a lane's tracker, with `TRACKER_KEY` in `keyFrom`. */
  readonly trackerFetch?: (at: { readonly clock: VirtualClock; readonly inFlight: InFlight }) => typeof fetch;
  /** Replaces the network between the bot and container registries. */
  readonly registry?: (url: string, init: RequestInit) => Promise<Response>;
  /** Continues from this moment of another lab, with new processes; only if everything is in memory. */
  readonly from?: Moment;
  /** Real HTTP on loopback and the git program on disk, instead of function calls and a store in memory. */
  readonly overHttp?: boolean;
};

/** A lab at a moment without running jobs, for tests that start many times from one history. */
export type Moment = {
  readonly atMs: number;
  readonly state: State;
  readonly store: GitStore;
  readonly seeded: Seeded;
  /** Seed of tokens and GUIDs from here on. */
  readonly seed: number;
};

export type VirtualLab = {
  readonly world: World;
  readonly store: GitStore;
  readonly clock: VirtualClock;
  readonly actions: Actions;
  readonly engine: SimulatedEngine;
  /** Requests of the bot by kind, for all processes together. */
  readonly usage: { rest: number; graphql: number; notModified: number; contentWrites: number; git: number };
  readonly log: string[];
  /** One request as a person; throws if GitHub rejects it. */
  readonly as: (login: Person, method: string, path: string, body?: object) => Promise<unknown>;
  readonly dispatchDaily: () => Promise<void>;
  /** The current state that a lab in memory can continue from. */
  readonly keep: () => Omit<Moment, 'seed'>;
  readonly close: () => Promise<void>;
};

/** The watch's key for a tracker in a lab on virtual time. */
export const TRACKER_KEY = 'a-key-that-reads-the-tracker';
export const MORNING = Date.UTC(2026, 10, 21, 6, 0, 0);
const SECRET = 'a-webhook-secret';
const DEFAULT_SWEEP_MS = SWEEP_PERIOD_MS;

/**
 * The example lab observes every few seconds; a real one omits the interval and gets the policy's 120 s and
 * 570 s.
 */
export function withDefaultCadence(config: string): string {
  return config.replace(/^ {4}cadence:.*\n(?: {6}.*\n)*/m, '');
}

/** Opens a lab at six in the morning. */
export async function openVirtualLab(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  const inFlight = createInFlight();
  const carrier = await carrierFor(options, inFlight);
  const { from } = options;
  const startMs = from?.atMs ?? options.startMs ?? MORNING;
  const clock = createVirtualClock(startMs, inFlight.changes, inFlight.idle);
  const world = createWorld({
    clock,
    gitStores: () => carrier.store,
    baseUrl: carrier.origin,
    randomBytes: seededBytes(from?.seed),
    ...(from === undefined ? {} : { state: copyState(from.state) }),
  });
  const log: string[] = [];
  const hook = { url: carrier.hookUrl, secret: SECRET };
  const seeded = from?.seeded ?? seedVirtualWorld(world, options.server !== false, hook);
  const { tokens, app } = seeded;
  if (options.webhooks === false) world.state.settings.drop = 'all';
  world.state.settings.faults = options.faults ?? [];
  const engine = createSimulatedEngine({
    now: clock.now,
    script: options.script ?? (() => ferryScript(options.ferry ?? {})),
    name: 'local',
  });
  let transports = 0;
  const wires = carrier.join({
    world,
    receive: (request) =>
      receive(request, (trigger) => {
        inFlight.note();
        for (const server of servers) server.push(trigger);
      }),
    onTransport: () => {
      inFlight.note();
      transports += 1;
    },
  });
  const clients: Lab['client'][] = [];
  const compose = createComposer({ options, carrier, wires, clock, inFlight, log, clients });
  const actions = createActions({
    world,
    runners: RUNNERS,
    executor: {
      kind: 'inProcess',
      ...virtualJobs({
        clock,
        inFlight,
        log,
        engine,
        engineInUse: options.engine?.(inFlight) ?? engine,
        compose,
        shipTree: wires.shipTree,
        stateDirectory: carrier.stateDirectory,
        cloudOf: options.cloudOf?.(clock) ?? (() => null),
        disks: options.disks ?? noDisks,
        trackerOf: createTrackers(
          { TRACKER_KEY },
          { now: clock.now, fetch: options.trackerFetch?.({ clock, inFlight }) ?? fetch },
        ),
        beforeJob: options.beforeJob ?? (async () => undefined),
        runFixer: (call) => inFlight.track('a fixer', () => (options.fixer ?? noFixer)(call)),
        leave: (run, name, text) => leaveArtifact(world, run, name, text),
      }),
    },
    actionDirectories: { 'ferrybot/ferrybot': fileURLToPath(new URL('../../', import.meta.url)) },
    nodeProgram: process.execPath,
    workDirectory: '/nonexistent-work',
    serverUrl: carrier.origin,
    // Cron lines have minutes at best, and each poll takes real time.
    schedulePollMs: 60_000,
  });
  const servers = Array.from({ length: options.server === false ? 0 : (options.servers ?? 1) }, () =>
    startServer({
      world,
      clock,
      log,
      compose,
      installation: app?.installationId ?? 0,
      sweepMs: options.sweepMs ?? DEFAULT_SWEEP_MS,
    }),
  );
  const webhooks = startWebhooks(world, wires.deliver);
  actions.start();
  await clock.settle();
  const as: VirtualLab['as'] = async (login, method, path, body) => {
    const response = await wires.fetch(
      new Request(`${carrier.origin}/api/v3/repos/lab/ferries${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tokens[login]}`,
          'content-type': 'application/json',
          'user-agent': 'a person',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    await clock.settle();
    return response.status === 204 ? null : response.json();
  };
  return {
    world,
    store: carrier.store,
    clock,
    actions,
    engine,
    get usage() {
      return usageOf(clients, transports);
    },
    log,
    as,
    dispatchDaily: async () => {
      await as('mira', 'POST', '/actions/workflows/ferrybot-daily.yml/dispatches', { ref: 'main' });
    },
    keep: () => ({ atMs: clock.now(), state: copyState(world.state), store: copyOfStore(carrier.store), seeded }),
    close: async () => {
      for (const server of servers) server.stop();
      void actions.stop();
      await clock.settle();
      await webhooks.close();
      await carrier.close();
    },
  };
}

async function carrierFor(options: VirtualLabOptions, inFlight: InFlight): Promise<Carrier> {
  const repository = {
    config: (text: string) => (options.config ?? ((same) => same))(withDefaultCadence(text)),
    beforeMs: MORNING,
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  };
  if (options.overHttp !== true)
    return memoryCarrier(
      { ...repository, ...(options.from === undefined ? {} : { from: options.from.store }) },
      options.fullDisk,
    );
  if (options.from !== undefined) throw new Error('a lab over HTTP begins anew');
  if (options.fullDisk !== undefined) throw new Error("over HTTP the disk is this machine's own");
  return loopbackCarrier(repository, inFlight);
}

/** The App's response to a webhook: a trigger for the worker, if the signature is GitHub's. */
async function receive(request: Request, wakeUp: (trigger: ReconcileRequest) => void): Promise<Response> {
  const body = await request.text();
  // Synchronous on purpose: the virtual clock would overtake work on another thread on a loaded machine.
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  if (signature !== request.headers.get('x-hub-signature-256')) return new Response('bad signature', { status: 400 });
  const trigger = toTrigger(request.headers.get('x-github-event') ?? '', JSON.parse(body));
  if (trigger !== null) wakeUp(trigger);
  return new Response('ok');
}

function usageOf(clients: readonly Lab['client'][], git: number): VirtualLab['usage'] {
  const sum = { rest: 0, graphql: 0, notModified: 0, contentWrites: 0, git };
  for (const { usage } of clients) {
    sum.rest += usage.rest;
    sum.graphql += usage.graphql;
    sum.notModified += usage.notModified;
    sum.contentWrites += usage.contentWrites;
  }
  return sum;
}

const RUNNERS = [
  { name: 'hosted-1', labels: ['ubuntu-latest'] },
  { name: 'hosted-2', labels: ['ubuntu-latest'] },
  { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
  { name: 'watcher', labels: ['self-hosted', 'ferrybot-watch'] },
  { name: 'stopper', labels: ['self-hosted', 'ferrybot-stop'] },
  { name: 'carer', labels: ['self-hosted', 'ferrybot-care'] },
] as const;

const noFixer: RunFixer = async () => {
  throw new Error('this lab has no fixer');
};
const noDisks: DiskPortOpener = async () => {
  throw new Error('this lab has no workers');
};
