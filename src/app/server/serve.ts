/** Runs the `ferrybot serve` server: Probot receives webhooks, and a timer sweeps for lost ones. */

import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNodeMiddleware, Probot, ProbotOctokit } from 'probot';
import { z } from 'zod';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { HANDLERS, triggerOf } from '../../handlers/registry.ts';
import { composeLab } from '../compose-lab.ts';
import { createWorker } from '../control/worker.ts';
import type { Lab, Log } from '../lab.ts';
import { createHelpersBeside } from '../propose/helpers.ts';
import { createDiscovery, type Discovery, type Installed, UNSUBSCRIBED_EVENTS } from './discovery.ts';
import type { ServeOptions } from './serve-options.ts';
import { createWebhookServer } from './webhook-server.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

type Queues = {
  /** Adds the trigger of a webhook to its repository's queue. Ignores payloads without repository and installation. */
  readonly trigger: (payload: unknown, trigger: ReconcileRequest | null) => void;
  /** Adds a sweep to every repository's queue. */
  readonly sweep: () => Promise<void>;
  /** Lists the installations again and adds a sweep that cannot be skipped. */
  readonly sweepAnew: () => Promise<void>;
  /** Resolves when all queues are idle. */
  readonly idle: () => Promise<void>;
};

type QueuesPorts = {
  readonly installed: Discovery;
  readonly open: (where: Installed) => Promise<WorkQueue>;
  readonly log: Log;
};

const payloadSchema = z.object({
  repository: z.object({ full_name: z.string(), default_branch: z.string() }),
  installation: z.object({ id: z.number().int() }),
});

/** Keys queues by installation too: after a reinstallation, the old tokens are invalid, so the repository needs a new queue. */
export function createQueues({ installed, open, log }: QueuesPorts): Queues {
  const queues = new Map<string, Promise<WorkQueue | null>>();
  const queueOf = (where: Installed): Promise<WorkQueue | null> => {
    const key = `${where.installation} ${where.repository}`;
    const found = queues.get(key);
    if (found !== undefined) return found;
    const made = open(where).catch((error: unknown) => {
      queues.delete(key);
      log(`no queue for ${where.repository}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    });
    queues.set(key, made);
    return made;
  };
  // A failing repository must not affect the others.
  const push = async (where: Installed, trigger: ReconcileRequest): Promise<void> => {
    try {
      (await queueOf(where))?.push(trigger);
    } catch (error) {
      log(`a trigger for ${where.repository} was lost until the next sweep: ${String(error)}`);
    }
  };
  return {
    trigger: (payload, trigger) => {
      const parsed = payloadSchema.safeParse(payload);
      if (trigger === null || !parsed.success) return;
      const { repository, installation } = parsed.data;
      const { full_name, default_branch: branch } = repository;
      void push({ repository: full_name, branch, installation: installation.id }, trigger);
    },
    sweep: async () => {
      for (const where of await installed()) await push(where, { kind: 'sweep' });
    },
    sweepAnew: async () => {
      for (const where of await installed(true)) await push(where, { kind: 'sweep', isOwed: true });
    },
    idle: async () => {
      for (const queue of queues.values()) await (await queue)?.idle();
    },
  };
}

/** Replace a token this long before it expires. */
const TOKEN_SLACK_MS = 5 * 60 * 1_000;
const minted = z.object({ token: z.string().min(1), expires_at: z.string() });

/** How long to wait for the lab's programs before other triggers are handled. */
const HELPER_PATIENCE_MS = 2_000;
/** Maximum number of cached answers of these programs. */
const HELPER_ANSWERS_MAX = 20;

const WEBHOOKS_PATH = '/api/github/webhooks';

/** `close` waits for the current work. */
export type Serving = { readonly url: string; readonly close: () => Promise<void> };

/** Starts the server and the sweep timer. Throws if the port is taken or a key is malformed. */
export async function serve(options: ServeOptions, log: Log): Promise<Serving> {
  const probot = createProbot(options);
  const tokenOf = installationTokens(probot);
  const queues = createQueues({
    installed: discoveryOf(probot, options, tokenOf, log),
    open: (where) => openQueue(tokenOf, options, log, where),
    log,
  });
  const middleware = await createNodeMiddleware(
    (app) => {
      for (const event of new Set(HANDLERS.map((handler) => handler.event))) {
        app.webhooks.on(event as 'push', async ({ name, payload }) =>
          queues.trigger(payload, triggerOf(name, payload)),
        );
      }
      for (const event of UNSUBSCRIBED_EVENTS)
        app.webhooks.on(event, async ({ payload }) => installationChanged(payload, queues, log));
      app.webhooks.onError((error) => log(`a webhook was refused or failed: ${firstLine(error)}`));
    },
    { probot, webhooksPath: WEBHOOKS_PATH },
  );
  const server = createWebhookServer(middleware, WEBHOOKS_PATH, log);
  const url = await listen(server, options);
  const stopping = new AbortController();
  const sweeping = sweepForEver(queues, options, stopping.signal, log);
  return {
    url,
    close: async () => {
      stopping.abort();
      await sweeping;
      await queues.idle();
      await new Promise<void>((resolve, reject) =>
        server.close((error) => (error === undefined ? resolve() : reject(error))),
      );
    },
  };
}

/** After a change of an installation, mints a new token and sweeps, because GitHub sent no webhooks meanwhile. */
function installationChanged(
  payload: { readonly action: string; readonly installation: { readonly id: number } },
  queues: Queues,
  log: Log,
): void {
  log(`installation ${payload.installation.id}: ${payload.action}`);
  queues.sweepAnew().catch((error: unknown) => log(`a sweep failed: ${firstLine(error)}`));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/**
 * Disables Probot's throttling: a crash would lose its queue. ferrybot paces its own writes (probot#2039: only the function form works).
 */
function quietOctokit({ baseUrl }: ServeOptions): typeof ProbotOctokit {
  const quiet = { throttle: { enabled: false }, retry: { enabled: false }, baseUrl };
  return ProbotOctokit.defaults((defaults: object) => ({ ...defaults, ...quiet })) as typeof ProbotOctokit;
}

function createProbot(options: ServeOptions): Probot {
  return new Probot({
    appId: options.appId,
    privateKey: options.privateKey,
    secret: options.webhookSecret,
    Octokit: quietOctokit(options),
    baseUrl: options.baseUrl,
    // Probot would log complete payloads of rejected webhooks, which anyone can send.
    logLevel: 'fatal',
  });
}

/** The largest page. */
const PAGE = { per_page: 100 };

function discoveryOf(probot: Probot, options: ServeOptions, tokenOf: TokenOf, log: Log): Discovery {
  const Client = quietOctokit(options);
  return createDiscovery({
    installations: async () => (await probot.auth()).paginate('GET /app/installations', PAGE),
    repositories: async (installation) => {
      // Mint a new token: a revoked one would hide the repositories, and a token keeps the permissions from its creation.
      const token = await tokenOf(installation, null);
      return new Client({ auth: { token } }).paginate('GET /installation/repositories', PAGE);
    },
    now: options.now,
    log,
  });
}

async function openQueue(
  tokenOf: TokenOf,
  options: ServeOptions,
  log: Log,
  where: Installed,
): Promise<WorkQueue> {
  const lab: Lab = composeLab({
    ...options,
    repository: where.repository,
    token: () => tokenOf(where.installation, lab.now()),
    workDirectory: join(options.workDirectory, where.repository.replace('/', '--')),
    sleep: (durationMs) => sleep(durationMs),
    log: (line, fields) => log(`${where.repository}: ${line}`, fields),
  });
  // The lab's checks may take minutes, and commands in other threads must not wait for them.
  const beside = createHelpersBeside(lab.helpers, {
    patienceMs: HELPER_PATIENCE_MS,
    answersMax: HELPER_ANSWERS_MAX,
    onDone: (thread) => queue.push({ kind: 'thread', thread }),
  });
  const worker = createWorker({ ...lab, helpers: beside.helpers }, where.branch, ['runner']);
  const queue: WorkQueue = createWorkQueue(worker, lab.log);
  return queue;
}

async function sweepForEver(
  queues: Queues,
  options: ServeOptions,
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await queues.sweep();
    } catch (error) {
      log(`a sweep failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    try {
      await sleep(options.sweepPeriodMs, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

function listen(server: Server, options: ServeOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : options.port;
      resolve(`http://${options.host}:${port}`);
    });
  });
}

/** `nowMs`: GitHub's time; null: mint a new token. */
type TokenOf = (installation: number, nowMs: number | null) => Promise<string>;

/**
 * Caches installation tokens, which are valid for one hour by GitHub's clock. Probot's own cache uses this machine's clock, which stops
 * while the machine sleeps.
 */
function installationTokens(probot: Probot): TokenOf {
  const held = new Map<number, { readonly token: string; readonly expiresAtMs: number }>();
  return async (installation, nowMs) => {
    const known = held.get(installation);
    if (nowMs !== null && known !== undefined && known.expiresAtMs - nowMs > TOKEN_SLACK_MS)
      return known.token;
    const { data } = await (await probot.auth()).request(
      'POST /app/installations/{installation_id}/access_tokens',
      { installation_id: installation },
    );
    const { token, expires_at: expiresAt } = minted.parse(data);
    held.set(installation, { token, expiresAtMs: Date.parse(expiresAt) });
    return token;
  };
}
