/** A whole lab on virtual time: the playground's GitHub, the real bot on both sides, a simulated engine, and a person. */

import { createHmac, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Octokit } from '@octokit/core';
import { type Actions, createActions } from '../../playground/actions/actions.ts';
import type { Fault } from '../../playground/faults/fault.ts';
import { importTree } from '../../playground/git/store/import-tree.ts';
import { cloneStore, createMemoryStore, type MemoryStore } from '../../playground/git/store/memory-store.ts';
import { mintInstallationToken } from '../../playground/identity/tokens.ts';
import { startWebhooks } from '../../playground/webhooks/webhooks.ts';
import { createWorld } from '../../playground/world/create-world.ts';
import { seedWorld } from '../../playground/world/seed.ts';
import type { World } from '../../playground/world/world.ts';
import { isMode } from '../../src/app/action/inputs.ts';
import { runAction } from '../../src/app/action/run-action.ts';
import { createWorker, type Worker } from '../../src/app/control/worker.ts';
import type { DisksOf } from '../../src/app/disk-scan/disks.ts';
import type { CloudOf, Lab } from '../../src/app/lab.ts';
import { createSecretKeeper } from '../../src/app/secret-keeper.ts';
import { branded, isDigest, isInstant } from '../../src/domain/ids.ts';
import { limits } from '../../src/domain/limits.ts';
import type { PythonParser } from '../../src/domain/python-syntax.ts';
import type { Wake } from '../../src/domain/wake.ts';
import { createClient } from '../../src/github/call.ts';
import { wakeOf } from '../../src/handlers/registry.ts';
import { sha256Hex } from '../../src/host/hash.ts';
import { parseSigningKey, verifyEd25519 } from '../../src/host/keys.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';
import { parseMetrics } from '../../src/trackers/metrics-file.ts';
import { DEMO_KEYS } from './demo-keys.ts';
import { type FerryShape, ferryScript, type JobScript } from './ferry-script.ts';
import { type FullDisk, memoryGit } from './memory-git.ts';
import { createSimulatedEngine, type SimulatedEngine } from './simulated-engine.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Thrown at a boundary to end a process there; nobody may catch it but the harness. */
export class Crash extends Error {}

export type VirtualLabOptions = {
  readonly server?: boolean;
  readonly webhooks?: boolean;
  readonly ferry?: Partial<FerryShape>;
  /** What a job does, in place of the ferry's shape: the log of a real one, for example. */
  readonly script?: () => JobScript;
  /** Unix ms at which the lab opens; six in the morning of its day unless said otherwise. */
  readonly startMs?: number;
  /** Called at every boundary of every process; may throw `Crash`. */
  readonly atBoundary?: (process: string, kind: string, moment: 'before' | 'after') => void;
  /** Replaces parts of the lab's config before the first commit. */
  readonly config?: (text: string) => string;
  readonly sweepMs?: number;
  /** How many servers work on the repository at once; 1 unless said otherwise. */
  readonly servers?: number;
  /** Stands between the bot and GitHub: loses requests, answers or both. */
  readonly network?: (request: Request, github: (request: Request) => Promise<Response>) => Promise<Response>;
  readonly fullDisk?: () => FullDisk;
  /** What goes wrong at GitHub for the bot, from the first minute on. */
  readonly faults?: readonly Fault[];
  /** A job of the action waits for this before it begins, as one does whose runner is offline. */
  readonly beforeJob?: (mode: string) => Promise<void>;
  /** The machines of a cluster; none unless given. */
  readonly cloudOf?: (clock: VirtualClock) => CloudOf;
  /** Stands for the lab's own programs: a proposer, checks before a push. None unless given. */
  readonly helpers?: Lab['helpers'];
  /** Stands for gcloud and the lab's scripts. None unless given. */
  readonly disks?: DisksOf;
};

export type VirtualLab = {
  readonly world: World;
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
  readonly actions: Actions;
  readonly engine: SimulatedEngine;
  /** Requests of the bot by kind, all processes together. */
  readonly usage: { rest: number; graphql: number; notModified: number; contentWrites: number; git: number };
  readonly log: string[];
  /** One request as a person; throws when GitHub refuses. */
  readonly as: (login: Person, method: string, path: string, body?: object) => Promise<unknown>;
  readonly dispatchDaily: () => Promise<void>;
  readonly close: () => Promise<void>;
};
export type Person = 'mira' | 'ada' | 'ravi' | 'sol';

export const MORNING = Date.UTC(2026, 10, 21, 6, 0, 0);
const LAB = fileURLToPath(new URL('../../fixtures/lab', import.meta.url));
const APP_KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });
const APP_PUBLIC = APP_KEYS.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const SECRET = 'a-webhook-secret';
const BASE = 'http://playground.test';
const DEFAULT_SWEEP_MS = limits.sweepPeriodMs;

/** The example lab looks every few seconds; a real one leaves the cadence out and gets the policy's 120 s and 570 s. */
export function withDefaultCadence(config: string): string {
  return config.replace(/^ {4}cadence:.*\n(?: {6}.*\n)*/m, '');
}

let parser: Promise<PythonParser> | null = null;
let seededStore: Promise<{ readonly store: MemoryStore }> | null = null;

/** Opens a lab at six in the morning. */
export async function openVirtualLab(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  parser ??= createPythonParser();
  const loaded = await parser;
  const store = await labStore((text) => (options.config ?? ((same) => same))(withDefaultCadence(text)));
  let activity = 0;
  const clock = createVirtualClock(options.startMs ?? MORNING, () => activity);
  const world = createWorld({ clock, gitStores: () => store, baseUrl: BASE, randomBytes: seededBytes() });
  const usage = { rest: 0, graphql: 0, notModified: 0, contentWrites: 0, git: 0 };
  const log: string[] = [];
  const { tokens, app } = seedWorld(world, {
    owner: 'lab',
    repo: 'ferries',
    labels: {
      experiment: '1f6feb',
      ferry: '0e8a16',
      'ferry-daily': '5319e7',
      'ferry-log-only': 'c5def5',
      'ferry-sealed': 'fbca04',
    },
    secrets: { FERRYBOT_CONTROL_KEY: DEMO_KEYS.control.seed },
    variables: { FERRYBOT_SERVER: options.server === false ? 'off' : 'on', FERRYBOT_STATE_DIR: '/state' },
    environments: [
      {
        name: 'ferrybot-launch',
        secrets: { FERRYBOT_RUNNER_KEY: DEMO_KEYS.runner.seed },
        variables: {},
        defaultBranchOnly: true,
      },
      {
        name: 'ferrybot-watch',
        secrets: { FERRYBOT_WATCH_KEY: DEMO_KEYS.watch.seed },
        variables: {},
        defaultBranchOnly: true,
      },
      {
        name: 'ferrybot-care',
        secrets: { FERRYBOT_RUNNER_KEY: DEMO_KEYS.runner.seed },
        variables: {},
        defaultBranchOnly: true,
      },
    ],
    actionsMayCreatePulls: true,
    app: {
      publicKeyPem: APP_PUBLIC,
      permissions: {
        actions: 'write',
        checks: 'write',
        contents: 'write',
        issues: 'write',
        metadata: 'read',
        pull_requests: 'write',
        statuses: 'read',
      },
      events: [
        'issue_comment',
        'issues',
        'pull_request',
        'pull_request_review',
        'pull_request_review_comment',
        'push',
        'workflow_run',
      ],
      webhook: { url: `${BASE}/hook`, secret: SECRET },
    },
  });
  if (options.webhooks === false) world.state.settings.drop = 'all';
  world.state.settings.faults = options.faults ?? [];
  const engine = createSimulatedEngine({
    now: clock.now,
    script: options.script ?? (() => ferryScript(options.ferry ?? {})),
    name: 'local',
  });

  const compose = (process: string, token: () => Promise<string>, keys: Lab['signingKeys']): Lab => {
    const countingFetch = async (url: string, init: RequestInit): Promise<Response> => {
      activity += 1;
      const request = new Request(url, init);
      const response = await (options.network?.(request, world.fetch) ?? world.fetch(request));
      activity += 1;
      return response;
    };
    const octokit = new Octokit({
      authStrategy: null,
      baseUrl: `${BASE}/api/v3`,
      request: { fetch: countingFetch },
      log: quiet,
    });
    octokit.hook.before('request', async (request) => {
      request.headers.authorization = `Bearer ${await token()}`;
    });
    const client = createClient({
      octokit,
      owner: 'lab',
      repo: 'ferries',
      baseUrl: `${BASE}/api/v3`,
      sleep: clock.sleep,
      now: clock.now,
    });
    clients.push(client);
    return {
      repository: 'lab/ferries',
      client,
      gitAs: memoryGit({
        world,
        token,
        onTransport: () => {
          activity += 1;
          usage.git += 1;
        },
        ...(options.fullDisk === undefined ? {} : { fullDisk: options.fullDisk }),
      }),
      signingKeys: keys,
      hash: sha256Hex,
      digestOf: (text) => branded(`sha256:${sha256Hex(text)}`, isDigest),
      verifySignature: verifyEd25519,
      parser: async () => loaded,
      helpers: options.helpers ?? NO_HELPERS,
      // GitHub's clock is everybody's (docs/decisions/0007-githubs-clock.md), as in compose-lab.ts.
      now: () => branded(Math.trunc(clock.now() + client.clock.offsetMs), isInstant),
      log: (line, fields) =>
        log.push(`${process}: ${line} ${fields === undefined ? '' : JSON.stringify(fields)}`),
      boundary: (kind, moment) => options.atBoundary?.(process, kind, moment),
    };
  };
  const clients: Lab['client'][] = [];

  const actions = createActions({
    world,
    runners: [
      { name: 'hosted-1', labels: ['ubuntu-latest'] },
      { name: 'hosted-2', labels: ['ubuntu-latest'] },
      { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
      { name: 'watcher', labels: ['self-hosted', 'ferrybot-watch'] },
      { name: 'stopper', labels: ['self-hosted', 'ferrybot-stop'] },
      { name: 'carer', labels: ['self-hosted', 'ferrybot-care'] },
    ],
    executor: {
      kind: 'inProcess',
      checkout: async () => ({ conclusion: 'success', outputs: {}, log: '' }),
      run: async () => ({ conclusion: 'success', outputs: {}, log: '' }),
      action: async (_ref, inputs, env, payload) => {
        const mode = inputs['mode'] ?? '';
        if (!isMode(mode)) throw new Error(`mode ${mode}`);
        await options.beforeJob?.(mode);
        try {
          const result = await runAction({
            lab: compose(mode, async () => inputs['token'] ?? '', keysOf(env)),
            mode,
            inputs: {
              run: inputs['run'] ?? '',
              order: inputs['order'] ?? '',
              mutation: inputs['mutation'] ?? '',
              cluster: inputs['cluster'] ?? '',
              stateDirectory: '/nonexistent-state',
              shiftMs: Number(inputs['shift-minutes'] || '1200') * 60_000,
            },
            event: {
              name: env['GITHUB_EVENT_NAME'] ?? '',
              payload,
              ref: env['GITHUB_REF'] ?? '',
              workflowRef: env['GITHUB_WORKFLOW_REF'] ?? '',
              runId: Number(env['GITHUB_RUN_ID']),
              runAttempt: 1,
            },
            defaultBranch: 'main',
            engineOf: () => engine,
            cloudOf: options.cloudOf?.(clock) ?? (() => null),
            disks: options.disks ?? noDisks,
            readMetrics: async (submission) => metricsOf(engine, submission.jobId),
            environment: env,
            secrets: createSecretKeeper(env, () => undefined),
            temporaryDirectory: '/nonexistent-temp',
            sleep: clock.sleep,
            shipTree: async (_open, { order }) => `/state/trees/${order.submissionId}`,
          });
          if (!result.ok) log.push(`${mode}: ${result.result}: ${result.detail}`);
          return {
            conclusion: result.ok ? 'success' : 'failure',
            outputs: { result: result.result },
            log: result.detail,
          };
        } catch (error) {
          if (!(error instanceof Crash))
            log.push(`${mode} threw ${String(error)} ${error instanceof Error ? error.stack : ''}`);
          return { conclusion: 'failure', outputs: {}, log: String(error) };
        }
      },
    },
    actionDirectories: { 'ferrybot/ferrybot': fileURLToPath(new URL('../../', import.meta.url)) },
    nodeProgram: process.execPath,
    workDirectory: '/nonexistent-work',
    serverUrl: BASE,
    // No cron line is finer than a minute, and every look costs time that no one sees pass.
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
  const webhooks = startWebhooks(world, async (request) => {
    const body = await request.text();
    // Synchronous on purpose: work on another thread would be overtaken by the virtual clock on a loaded machine.
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    const isOurs = signature === request.headers.get('x-hub-signature-256');
    if (!isOurs) return new Response('bad signature', { status: 400 });
    const wake = wakeOf(request.headers.get('x-github-event') ?? '', JSON.parse(body));
    activity += 1;
    if (wake !== null) for (const server of servers) server.push(wake);
    return new Response('ok');
  });
  actions.start();
  await clock.settle();
  return {
    world,
    store,
    clock,
    actions,
    engine,
    get usage() {
      const sum = { rest: 0, graphql: 0, notModified: 0, contentWrites: 0, git: usage.git };
      for (const { usage: one } of clients) {
        sum.rest += one.rest;
        sum.graphql += one.graphql;
        sum.notModified += one.notModified;
        sum.contentWrites += one.contentWrites;
      }
      return sum;
    },
    log,
    as: async (login, method, path, body) => {
      const headers = {
        authorization: `Bearer ${tokens[login]}`,
        'content-type': 'application/json',
        'user-agent': 'a person',
      };
      const response = await world.fetch(
        new Request(`${BASE}/api/v3/repos/lab/ferries${path}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      await clock.settle();
      return response.status === 204 ? null : response.json();
    },
    dispatchDaily: async () => {
      const headers = {
        authorization: `Bearer ${tokens.mira}`,
        'content-type': 'application/json',
        'user-agent': 'a person',
      };
      const url = `${BASE}/api/v3/repos/lab/ferries/actions/workflows/ferrybot-daily.yml/dispatches`;
      const response = await world.fetch(
        new Request(url, { method: 'POST', headers, body: JSON.stringify({ ref: 'main' }) }),
      );
      if (!response.ok) throw new Error(`dispatch: ${response.status} ${await response.text()}`);
      await clock.settle();
    },
    close: async () => {
      for (const server of servers) server.stop();
      void actions.stop();
      await clock.settle();
      await webhooks.close();
    },
  };
}

/** Real programs would be overtaken by the virtual clock. */
const NO_HELPERS: Lab['helpers'] = {
  ask: () => Promise.reject(new Error('this lab has no proposer')),
  check: () => Promise.reject(new Error('this lab has no checks')),
};

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

type ServerInput = {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly log: string[];
  readonly compose: (process: string, token: () => Promise<string>, keys: Lab['signingKeys']) => Lab;
  readonly installation: number;
  readonly sweepMs: number;
};

/** The App's side in this process: a worker that is made anew after a crash, as a supervisor would restart it. */
function startServer({ world, clock, log, compose, installation, sweepMs }: ServerInput): {
  readonly push: (wake: Wake) => void;
  readonly stop: () => void;
} {
  let minted: { readonly token: string; readonly expiresAtMs: number } | null = null;
  const token = async (): Promise<string> => {
    if (minted !== null && minted.expiresAtMs > clock.now() + 60_000) return minted.token;
    const row = world.state.installations[installation];
    const repo = Object.values(world.state.repos)[0];
    if (row === undefined || repo === undefined) throw new Error('the App is not installed');
    minted = mintInstallationToken(world, row, row.permissions, null);
    return minted.token;
  };
  const control = signing(DEMO_KEYS.control.seed);
  const make = (): Worker => createWorker(compose('server', token, { control }), 'main', ['runner']);
  let worker = make();
  let waiting: Wake[] = [];
  let isRunning = false;
  const stopped = new AbortController();
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await worker.handle(batch);
      } catch (error) {
        if (!(error instanceof Crash))
          log.push(`server: a wake failed: ${error instanceof Error ? error.stack : String(error)}`);
        worker = make();
        waiting.push({ kind: 'sweep' });
      }
    }
    isRunning = false;
  };
  const push = (wake: Wake): void => {
    worker.acknowledge(wake).catch((error: unknown) => {
      if (!(error instanceof Crash)) log.push(`server: a receipt failed: ${String(error)}`);
      worker = make();
    });
    waiting.push(wake);
    if (isRunning) return;
    isRunning = true;
    drain().catch((error: unknown) => log.push(`server broke: ${String(error)}`));
  };
  const sweepForEver = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      push({ kind: 'sweep' });
      await clock.sleep(sweepMs, stopped.signal);
    }
  };
  sweepForEver().catch((error: unknown) => {
    if (!stopped.signal.aborted) log.push(`sweeping ended: ${String(error)}`);
  });
  return { push, stop: () => stopped.abort() };
}

function signing(seed: string): NonNullable<Lab['signingKeys']['control']> {
  const key = parseSigningKey(seed);
  if (!key.ok) throw new Error(key.error);
  return key.value;
}

function keysOf(env: Readonly<Record<string, string>>): Lab['signingKeys'] {
  const of = (name: string): object | null =>
    env[name] === undefined || env[name] === '' ? null : signing(env[name] ?? '');
  const [control, runner, watch] = ['FERRYBOT_CONTROL_KEY', 'FERRYBOT_RUNNER_KEY', 'FERRYBOT_WATCH_KEY'].map(
    of,
  );
  return {
    ...(control === null ? {} : { control }),
    ...(runner === null ? {} : { runner }),
    ...(watch === null ? {} : { watch }),
  } as Lab['signingKeys'];
}

function metricsOf(engine: SimulatedEngine, jobId: string): Readonly<Record<string, string>> {
  const text = engine.metricsOf(jobId);
  const read = text === null ? null : parseMetrics(text);
  return read?.kind === 'metrics' ? read.metrics : {};
}

/** The example lab's files in a store; made once and copied, since a thousand labs begin alike. */
async function labStore(change: ((text: string) => string) | undefined): Promise<MemoryStore> {
  seededStore ??= (async () => {
    const store = createMemoryStore();
    await importTree(store, {
      directory: LAB,
      message: 'The lab as it stands',
      skip: (path) => path.includes('__pycache__'),
    });
    return { store };
  })();
  const copy = cloneStore((await seededStore).store);
  if (change !== undefined) {
    const { commitFiles } = await import('../../playground/git/store/memory-remote.ts');
    const config = readFileSync(`${LAB}/.github/ferrybot.yml`, 'utf8');
    const head = (await copy.refs('refs/heads/main')).get('refs/heads/main') ?? null;
    const author = { name: 'Ada', email: 'ada@lab.example', atMs: MORNING - 1_000 };
    await commitFiles(copy, {
      ref: 'refs/heads/main',
      expected: head,
      files: { '.github/ferrybot.yml': change(config) },
      message: 'Configure',
      author,
    });
  }
  return copy;
}

/** Bytes for tokens and GUIDs that are the same in every run of a test (mulberry32). */
function seededBytes(): (count: number) => Uint8Array {
  let state = 20_261_121;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff;
  };
  return (count) => Uint8Array.from({ length: count }, next);
}

const noDisks: DisksOf = async () => {
  throw new Error('this lab has no workers');
};
