/** The real server and a playground over real HTTP and git, in one process, so that tests can watch both. */

import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importTree } from '../../../packages/playground/git/store/import-tree.ts';
import { createProgramStore } from '../../../packages/playground/git/store/program-store.ts';
import { createGitDoor } from '../../../packages/playground/http/git-door.ts';
import { listen } from '../../../packages/playground/http/server.ts';
import type { Comment } from '../../../packages/playground/threads/state-threads.ts';
import { setWebhook } from '../../../packages/playground/webhooks/hook.ts';
import { startWebhooks } from '../../../packages/playground/webhooks/webhooks.ts';
import { createWorld } from '../../../packages/playground/world/create-world.ts';
import { seedWorld } from '../../../packages/playground/world/seed.ts';
import type { State } from '../../../packages/playground/world/state.ts';
import type { World } from '../../../packages/playground/world/world.ts';
import { APP_EVENTS, APP_PERMISSIONS } from '../../../src/app/server/discovery.ts';
import { type Serving, serve } from '../../../src/app/server/serve.ts';
import { readServeOptions } from '../../../src/app/server/serve-options.ts';
import { DEMO_KEYS } from '../../support/demo-keys.ts';

const LAB = join(import.meta.dirname, '../../../fixtures/lab');
const APP_ID = 4242;
export const SECRET = 'the first webhook secret';
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
export const GRANTED = Object.fromEntries(Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]));

export type ServedLab = {
  readonly world: World;
  readonly appId: number;
  readonly installationId: number;
  /** The address on which the server receives webhooks. */
  readonly hookUrl: (server?: number) => string;
  /** The settings of a `ferrybot serve` process for this lab. */
  readonly environment: Readonly<Record<string, string>>;
  /** The work directory of a server. */
  readonly workDirectory: (server?: number) => string;
  /** The bare repository on GitHub. */
  readonly remote: string;
  /** A request as ada. */
  readonly api: (
    method: string,
    path: string,
    body: object,
  ) => Promise<{ readonly number: number; readonly id: number }>;
  /** Lines of the server's log. */
  readonly log: string[];
  /** Ada comments `/help` in a new experiment issue. Returns the issue's number. */
  readonly askForHelp: () => Promise<number>;
  /** The bot's comments on that issue. */
  readonly answers: (issue: number) => readonly Comment[];
  readonly deliveries: (event: string) => readonly State['deliveries'][string][];
  /** Moves GitHub's clock ahead of this machine's clock, as after a sleep of the machine. */
  readonly sleepFor: (durationMs: number) => void;
  readonly stop: () => Promise<void>;
  /** Ends the server and starts it, for example with another webhook secret. */
  readonly restart: (secret: string, sweepMs?: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** `sweepMs`: the period of the server's sweep; `servers`: how many replicas, each of which receives every webhook. */
export async function openServedLab(options: {
  readonly sweepMs: number;
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>>;
  readonly servers?: number;
  readonly isConfigured?: boolean;
}): Promise<ServedLab> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-served-'));
  const directory = join(folder, 'lab.git');
  const heard = await listen(0);
  if (!heard.ok) throw new Error(heard.reason);
  const store = createProgramStore({ directory });
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs, sleep: async () => undefined };
  const world = createWorld({ clock, gitStores: () => store, baseUrl: heard.origin });
  const { app, tokens } = seedWorld(world, {
    labels: { experiment: '1f6feb', ferry: '0e8a16', 'ferry-daily': '5319e7' },
    app: {
      id: APP_ID,
      publicKeyPem: keys.publicKey,
      permissions: options.permissions ?? GRANTED,
      events: APP_EVENTS,
      webhook: null,
    },
  });
  const { isConfigured = true, servers = 1 } = options;
  const skip = (one: string): boolean =>
    one.includes('__pycache__') || (!isConfigured && one === '.github/ferrybot.yml');
  await importTree(store, { directory: LAB, message: 'The lab', skip });
  const bugs: unknown[] = [];
  const directoryOf = (): string => directory;
  heard.serve({ world, clock: null, git: createGitDoor(world, { directoryOf }), onBug: (bug) => bugs.push(bug) });
  const hookUrl = (server = 0): string => `${running[server]?.url}/api/github/webhooks`;
  const hooks = startWebhooks(world, async (request) => {
    const body = await request.clone().text();
    for (let other = 1; other < running.length; other += 1)
      await fetch(hookUrl(other), { method: 'POST', headers: request.headers, body });
    return fetch(request);
  });
  const log: string[] = [];
  const environment = {
    APP_ID: String(APP_ID),
    PRIVATE_KEY: keys.privateKey,
    GITHUB_API_URL: `${heard.origin}/api/v3`,
    GITHUB_SERVER_URL: heard.origin,
    FERRYBOT_CONTROL_KEY: DEMO_KEYS.control.seed,
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
  };
  const workDirectory = (server = 0): string => join(folder, `work-${server}`);
  const start = async (secret: string, sweepMs = options.sweepMs): Promise<Serving[]> => {
    const started: Serving[] = [];
    for (let server = 0; server < servers; server += 1) {
      const own = {
        WEBHOOK_SECRET: secret,
        FERRYBOT_WORK_DIR: workDirectory(server),
        FERRYBOT_SWEEP_MS: String(sweepMs),
      };
      const read = readServeOptions({ ...environment, ...own }, Date.now);
      if (!read.ok) throw new Error(read.error.join());
      await mkdir(workDirectory(server), { recursive: true });
      started.push(await serve(read.value, (line) => void log.push(line)));
    }
    return started;
  };
  let running = await start(SECRET);
  const stop = async (): Promise<void> => {
    for (const server of running.splice(0)) await server.close();
  };
  if (servers > 0) setWebhook(world, APP_ID, { url: hookUrl(), secret: SECRET });
  const api: ServedLab['api'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${tokens.ada}` };
    const init = { method, headers, body: JSON.stringify(body) };
    const answer = await fetch(`${heard.origin}/api/v3/repos/lab/ferries${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return Object(await answer.json());
  };
  return {
    world,
    appId: APP_ID,
    installationId: app?.installationId ?? 0,
    hookUrl,
    environment,
    workDirectory,
    remote: directory,
    api,
    log,
    askForHelp: async () => {
      const { number } = await api('POST', '/issues', { title: 'An experiment', labels: ['experiment'] });
      await api('POST', `/issues/${number}/comments`, { body: '/help' });
      return number;
    },
    answers: (issue) =>
      Object.values(world.state.comments).filter(
        (one) => one.issueNumber === issue && one.viaAppId === APP_ID && one.body.includes('these are the commands'),
      ),
    deliveries: (event) => Object.values(world.state.deliveries).filter((row) => row.event === event),
    sleepFor: (durationMs) => {
      aheadMs += durationMs;
    },
    stop,
    restart: async (secret, sweepMs) => {
      await stop();
      running = await start(secret, sweepMs);
      setWebhook(world, APP_ID, { url: hookUrl() });
    },
    close: async () => {
      await hooks.close();
      await stop();
      await heard.close();
      await rm(folder, { recursive: true, force: true });
      if (bugs.length > 0) throw new AggregateError(bugs, 'the playground broke');
    },
  };
}
