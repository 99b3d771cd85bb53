/** Runs the `ferrybot serve` server: Probot receives webhooks, and a timer sweeps for lost ones. */

import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNodeMiddleware, Probot, ProbotOctokit } from 'probot';
import { z } from 'zod';
import { hasFile } from '../../github/settings.ts';
import { HANDLERS, toTrigger } from '../../handlers/registry.ts';
import { composeLab } from '../compose-lab.ts';
import { CONFIG_PATH } from '../config-source.ts';
import { sweepCursor } from '../control/sweep.ts';
import { createWorker, type Worker } from '../control/worker.ts';
import type { Lab, Log } from '../lab.ts';
import { createBackgroundHelpers } from '../propose/helpers.ts';
import { createDiscovery, type Discovery, type InstalledRepository, UNSUBSCRIBED_EVENTS } from './discovery.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openSavedState, type SavedState } from './saved-state.ts';
import type { ServeOptions } from './serve-options.ts';
import { createWebhookServer, type Pages } from './webhook-server.ts';
import { createQueues, type Queues, type QueuesPorts } from './work-queue.ts';

/** Replace a token this long before it expires. */
const TOKEN_SLACK_MS = 5 * 60 * 1_000;
const minted = z.object({ token: z.string().min(1), expires_at: z.string() });

/** How long to wait for the lab's programs before other triggers are handled. */
const HELPER_PATIENCE_MS = 2_000;
/** Maximum number of cached answers of these programs. */
const HELPER_ANSWERS_MAX = 20;

const WEBHOOKS_PATH = '/api/github/webhooks';

/** How much later than its running batches a stopping server on the same work directory ends. */
const LOCK_SLACK_MS = 3_000;

/** `/health` reports an overdue sweep after this many periods: while webhooks arrive, a sweep that takes long is normal. */
const SWEEP_PERIODS_MAX = 3;

/** `close` waits for running batches, with a limit, and resolves to the number of those that it did not wait for. */
export type Serving = { readonly url: string; readonly close: () => Promise<number> };

type Shared = {
  readonly options: ServeOptions;
  readonly log: Log;
  readonly saved: SavedState;
  readonly metrics: Metrics;
  readonly tokenOf: TokenProvider;
};

/** Starts the server and the sweep timer. Throws if the port or the work directory is taken, or a key is malformed. */
export async function serve(options: ServeOptions, log: Log): Promise<Serving> {
  const { now } = options;
  const saved = await openSavedState(
    join(options.workDirectory, 'state.sqlite'),
    options.stopPatienceMs + LOCK_SLACK_MS,
    log,
  );
  const metrics = createMetrics(() => queues.state(), now);
  const probot = createProbot(options, metrics);
  const shared = { options, log, saved, metrics, tokenOf: installationTokens(probot) };
  const queues = createQueues({
    workers: options.workers,
    installed: createServerDiscovery(probot, shared),
    open: (where, wake) => openWorker(shared, where, wake),
    onBatch: metrics.onBatch,
    now,
    log,
  });
  const stopping = new AbortController();
  const middleware = await middlewareOf(probot, queues, shared);
  const pages = pagesOf(queues, shared, stopping.signal);
  const server = createWebhookServer(middleware, WEBHOOKS_PATH, pages, log);
  const url = await listen(server, options);
  const sweeping = sweepPeriodically(queues, options, stopping.signal, log);
  return {
    url,
    close: async () => {
      stopping.abort();
      const closed = new Promise<void>((resolve, reject) =>
        server.close((error) => (error === undefined ? resolve() : reject(error))),
      );
      await sweeping;
      const unfinished = await queues.stop(options.stopPatienceMs);
      if (unfinished > 0) log(`stopped before ${unfinished} batches ended: the next start repeats them`);
      await closed;
      saved.close();
      return unfinished;
    },
  };
}

async function middlewareOf(
  probot: Probot,
  queues: Queues,
  { log, saved, metrics }: Shared,
): Promise<Parameters<typeof createWebhookServer>[0]> {
  const received = async (id: string, name: string, payload: unknown): Promise<void> => {
    if (saved.get('delivery', id) !== undefined) return metrics.delivered('repeated');
    metrics.delivered('accepted');
    // Only a delivery whose work is done may be ignored when GitHub repeats it.
    if ((await queues.trigger(payload, toTrigger(name, payload))) !== 'failed') saved.set('delivery', id, 1);
  };
  return createNodeMiddleware(
    (app) => {
      for (const event of new Set(HANDLERS.map((handler) => handler.event))) {
        // GitHub waits ten seconds for the answer, so answer before the work.
        app.webhooks.on(event as 'push', ({ id, name, payload }) => {
          received(id, name, payload).catch((error: unknown) => log(`a delivery failed: ${String(error)}`));
        });
      }
      for (const event of UNSUBSCRIBED_EVENTS)
        app.webhooks.on(event, async ({ payload }) => handleInstallationChange(payload, queues, log));
      app.webhooks.onError((error) => {
        metrics.delivered('refused');
        log(`a webhook was refused or failed: ${firstLine(error)}`);
      });
    },
    { probot, webhooksPath: WEBHOOKS_PATH },
  );
}

/** Pages for an operator. They contain no name of a repository and no secret. */
function pagesOf(queues: Queues, { options, metrics }: Shared, stopping: AbortSignal): Pages {
  const startedAtMs = options.now();
  return {
    '/health': async () => {
      const { sweptAtMs } = queues.state();
      const overdueAtMs = (sweptAtMs ?? startedAtMs) + SWEEP_PERIODS_MAX * options.sweepPeriodMs;
      const isOverdue = options.now() > overdueAtMs;
      const status = stopping.aborted ? 'stopping' : isOverdue ? 'sweep-overdue' : 'ok';
      const lastSweep = sweptAtMs === null ? null : new Date(sweptAtMs).toISOString();
      return {
        status: status === 'ok' ? 200 : 503,
        type: 'application/json',
        body: `${JSON.stringify({ status, lastSweep })}\n`,
      };
    },
    '/metrics': async () => ({
      status: 200,
      type: metrics.registry.contentType,
      body: await metrics.registry.metrics(),
    }),
  };
}

/** After a change of an installation, mints a new token and sweeps, because GitHub sent no webhooks meanwhile. */
function handleInstallationChange(
  payload: { readonly action: string; readonly installation: { readonly id: number } },
  queues: Queues,
  log: Log,
): void {
  log(`installation ${payload.installation.id}: ${payload.action}`);
  queues.sweep(true).catch((error: unknown) => log(`a sweep failed: ${firstLine(error)}`));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/**
 * Disables Probot's throttling: a crash would lose its queue. ferrybot paces its own writes (probot#2039: only the function form works).
 */
function quietOctokit({ baseUrl }: ServeOptions, fetchOnce: typeof fetch): typeof ProbotOctokit {
  const request = { fetch: fetchOnce };
  const quiet = { throttle: { enabled: false }, retry: { enabled: false }, baseUrl, request };
  return ProbotOctokit.defaults((defaults: object) => ({ ...defaults, ...quiet })) as typeof ProbotOctokit;
}

function createProbot(options: ServeOptions, metrics: Metrics): Probot {
  return new Probot({
    appId: options.appId,
    privateKey: options.privateKey,
    secret: options.webhookSecret,
    Octokit: quietOctokit(options, metrics.fetchAs(null)),
    baseUrl: options.baseUrl,
    // Probot would log complete payloads of rejected webhooks, which anyone can send.
    logLevel: 'fatal',
  });
}

const PAGE = { per_page: 100 };

function createServerDiscovery(probot: Probot, { options, tokenOf, metrics, log }: Shared): Discovery {
  return createDiscovery({
    installations: async () => (await probot.auth()).paginate('GET /app/installations', PAGE),
    repositories: async (installation) => {
      // Mint a new token: a revoked one would hide the repositories, and a token keeps the permissions from its creation.
      const token = await tokenOf(installation, null);
      const Client = quietOctokit(options, metrics.fetchAs(installation));
      return new Client({ auth: { token } }).paginate('GET /installation/repositories', PAGE);
    },
    now: options.now,
    log,
  });
}

/** GitHub gives pushes in whole seconds, so that a config may arrive at the time of an earlier push. */
const PUSH_SETTLED_MS = 60_000;

/** The worker of a repository; null if the repository has no config, which one request finds out until the next push. */
async function openWorker(
  { tokenOf, options, log, saved, metrics }: Shared,
  where: InstalledRepository,
  wake: Parameters<QueuesPorts['open']>[1],
): Promise<Worker | null> {
  const { repository, branch, pushedAtMs, installation } = where;
  const pushed = `${branch} ${pushedAtMs}`;
  if (saved.get('unconfigured', repository) === pushed) return null;
  const answer = (key: string): string => `${repository} ${key}`;
  const cache: NonNullable<Parameters<typeof composeLab>[0]['shared']>['cache'] = {
    get: (key) => answerSchema.safeParse(saved.get('answer', answer(key))).data,
    set: (key, value) => saved.set('answer', answer(key), value),
  };
  const lab: Lab = composeLab({
    ...options,
    repository,
    token: () => tokenOf(installation, lab.now()),
    workDirectory: join(options.workDirectory, repository.replace('/', '--')),
    sleep: (durationMs) => sleep(durationMs),
    log: (line, fields) => log(`${repository}: ${line}`, fields),
    shared: { fetch: metrics.fetchAs(installation), cache },
  });
  const config = await hasFile(lab.client, CONFIG_PATH, branch);
  if (config.kind === 'known' && !config.value) {
    lab.log(`${branch} has no ${CONFIG_PATH}: the repository is not cloned`);
    if (pushedAtMs !== null && lab.now() - pushedAtMs > PUSH_SETTLED_MS) saved.set('unconfigured', repository, pushed);
    return null;
  }
  // The lab's checks may take minutes, and commands in other threads must not wait for them.
  const beside = createBackgroundHelpers(lab.helpers, {
    patienceMs: HELPER_PATIENCE_MS,
    answersMax: HELPER_ANSWERS_MAX,
    onDone: (thread) => wake({ kind: 'thread', thread }),
  });
  const cursor = sweepCursor.safeParse(saved.get('cursor', repository)).data ?? null;
  const worker = createWorker({ ...lab, helpers: beside.helpers }, branch, ['runner'], { cursor });
  return {
    ...worker,
    handle: async (triggers) => {
      const before = worker.cursor();
      await worker.handle(triggers);
      if (worker.cursor() !== before) saved.set('cursor', repository, worker.cursor());
    },
  };
}

/** A saved answer of GitHub. Its data is parsed like a new answer. */
const answerSchema = z.object({ etag: z.string(), data: z.unknown(), link: z.unknown().optional() });

/** No repository may skip the first sweep, because no webhook arrived while the server was stopped. */
async function sweepPeriodically(queues: Queues, options: ServeOptions, signal: AbortSignal, log: Log): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    queues
      .sweep(isFirst)
      .catch((error: unknown) => log(`a sweep failed: ${error instanceof Error ? error.message : String(error)}`));
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
type TokenProvider = (installation: number, nowMs: number | null) => Promise<string>;

/**
 * Caches installation tokens, which are valid for one hour by GitHub's clock. Probot's own cache uses this machine's clock, which stops
 * while the machine sleeps.
 */
function installationTokens(probot: Probot): TokenProvider {
  const held = new Map<number, { readonly token: string; readonly expiresAtMs: number }>();
  return async (installation, nowMs) => {
    const known = held.get(installation);
    if (nowMs !== null && known !== undefined && known.expiresAtMs - nowMs > TOKEN_SLACK_MS) return known.token;
    const { data } = await (await probot.auth()).request('POST /app/installations/{installation_id}/access_tokens', {
      installation_id: installation,
    });
    const { token, expires_at: expiresAt } = minted.parse(data);
    held.set(installation, { token, expiresAtMs: Date.parse(expiresAt) });
    return token;
  };
}
