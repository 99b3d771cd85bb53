/** `ferrybot serve`: Probot receives webhooks and turns them into wakes; a timer sweeps for what webhooks did not bring. */

import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { createNodeMiddleware, Probot, ProbotOctokit } from 'probot';
import { z } from 'zod';
import { limits } from '../../domain/limits.ts';
import type { Wake } from '../../domain/wake.ts';
import { HANDLERS, wakeOf } from '../../handlers/registry.ts';
import { composeLab, signingKeysFrom } from '../compose-lab.ts';
import { createWorker } from '../control/worker.ts';
import type { Lab, Log } from '../lab.ts';
import { createWakeQueue, type WakeQueue } from '../wake-queue.ts';
import { installationTokens } from './installation-tokens.ts';
import type { ServeOptions } from './serve-options.ts';

const repositorySchema = z.object({
  repository: z.object({ full_name: z.string(), default_branch: z.string() }),
  installation: z.object({ id: z.number().int() }),
});

/** A running server; `close` lets the work under way end. */
export type Serving = { readonly url: string; readonly close: () => Promise<void> };

/** Starts the server and the sweep timer. Throws when the port is taken or a key is malformed. */
export async function serve(options: ServeOptions, log: Log): Promise<Serving> {
  const probot = createProbot(options);
  const queues = createQueues(probot, options, log);
  const middleware = await createNodeMiddleware(
    (app) => {
      for (const event of new Set(HANDLERS.map((handler) => handler.event))) {
        app.webhooks.on(event as 'push', async ({ name, payload }) =>
          queues.wake(payload, wakeOf(name, payload)),
        );
      }
    },
    { probot, webhooksPath: '/api/github/webhooks' },
  );
  const server = createServer((request, response) => {
    Promise.resolve(middleware(request, response, () => response.writeHead(404).end('not found\n'))).catch(
      (error: unknown) => {
        log(`a request failed: ${String(error)}`);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      },
    );
  });
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

/** Probot's own throttling would allow one comment in three seconds and forget the rest in a crash: pacing is ours (probot#2039: only the function form switches it off). */
function createProbot(options: ServeOptions): Probot {
  const Quiet = ProbotOctokit.defaults((defaults: object) => ({
    ...defaults,
    throttle: { enabled: false },
    retry: { enabled: false },
    baseUrl: options.baseUrl,
  }));
  return new Probot({
    appId: options.appId,
    privateKey: options.privateKey,
    secret: options.webhookSecret,
    Octokit: Quiet as typeof ProbotOctokit,
    baseUrl: options.baseUrl,
    logLevel: 'warn',
  });
}

type Queues = {
  readonly wake: (payload: unknown, wake: Wake | null) => void;
  readonly sweep: () => Promise<void>;
  readonly idle: () => Promise<void>;
};

function createQueues(probot: Probot, options: ServeOptions, log: Log): Queues {
  const queues = new Map<string, Promise<WakeQueue>>();
  const installed = remembered(() => installedRepositories(probot, options), options);
  const queueOf = (repository: string, branch: string, installation: number): Promise<WakeQueue> => {
    const found = queues.get(repository);
    if (found !== undefined) return found;
    const made = openQueue(probot, options, log, { repository, branch, installation });
    queues.set(repository, made);
    return made;
  };
  return {
    wake: (payload, wake) => {
      const parsed = repositorySchema.safeParse(payload);
      if (wake === null || !parsed.success) return;
      const { repository, installation } = parsed.data;
      queueOf(repository.full_name, repository.default_branch, installation.id).then(
        (queue) => queue.push(wake),
        (error: unknown) => {
          queues.delete(repository.full_name);
          log(`no queue for ${repository.full_name}: ${String(error)}`);
        },
      );
    },
    sweep: async () => {
      for (const found of await installed()) {
        const queue = await queueOf(found.repository, found.branch, found.installation);
        queue.push({ kind: 'sweep' });
      }
    },
    idle: async () => {
      for (const queue of queues.values()) await (await queue).idle();
    },
  };
}

type Installed = { readonly repository: string; readonly branch: string; readonly installation: number };

async function openQueue(
  probot: Probot,
  options: ServeOptions,
  log: Log,
  where: Installed,
): Promise<WakeQueue> {
  const tokens = await installationTokens(probot, where.installation);
  const octokit = new Octokit({ baseUrl: options.baseUrl, userAgent: 'ferrybot' });
  octokit.hook.before('request', async (request) => {
    request.headers.authorization = `token ${await tokens.current(lab.now())}`;
  });
  const lab: Lab = composeLab({
    repository: where.repository,
    octokit,
    baseUrl: options.baseUrl,
    serverUrl: options.serverUrl,
    token: () => tokens.current(lab.now()),
    signingKeys: signingKeysFrom(options.environment),
    workDirectory: join(options.workDirectory, where.repository.replace('/', '--')),
    environment: options.environment,
    now: options.now,
    sleep: (durationMs) => sleep(durationMs),
    log: (line, fields) => log(`${where.repository}: ${line}`, fields),
  });
  const worker = createWorker(lab, where.branch, ['runner']);
  return createWakeQueue(worker, lab.log);
}

const installationsSchema = z.array(z.object({ id: z.number().int(), suspended_at: z.string().nullish() }));
const repositoriesSchema = z.object({
  repositories: z.array(z.object({ full_name: z.string(), default_branch: z.string() })),
});

/** Every repository that the App is installed on: one page of each, 100 installations and 100 repositories. */
async function installedRepositories(probot: Probot, options: ServeOptions): Promise<readonly Installed[]> {
  const app = await probot.auth();
  const installations = installationsSchema.parse(
    (await app.request('GET /app/installations', { per_page: 100 })).data,
  );
  const found: Installed[] = [];
  for (const { id, suspended_at } of installations) {
    if (suspended_at !== null && suspended_at !== undefined) continue;
    // A token of its own: it is asked once in an hour, and a dead one would hide the repositories.
    const token = await (await installationTokens(probot, id)).current(options.now());
    const octokit = new Octokit({ auth: token, baseUrl: options.baseUrl, userAgent: 'ferrybot' });
    const { data } = await octokit.request('GET /installation/repositories', { per_page: 100 });
    found.push(
      ...repositoriesSchema
        .parse(data)
        .repositories.map((r) => ({ repository: r.full_name, branch: r.default_branch, installation: id })),
    );
  }
  return found;
}

/** Where the App is installed, asked anew once in a while: installations are rare, and every answer costs requests. */
function remembered(
  find: () => Promise<readonly Installed[]>,
  options: ServeOptions,
): () => Promise<readonly Installed[]> {
  let last: { readonly found: readonly Installed[]; readonly atMs: number } | null = null;
  return async () => {
    const isFresh =
      last !== null && last.found.length > 0 && options.now() - last.atMs < limits.discoveryPeriodMs;
    if (last === null || !isFresh) last = { found: await find(), atMs: options.now() };
    return last.found;
  };
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
    server.requestTimeout = limits.webhookTimeoutMs;
  });
}
