/** The real server and a playground over real HTTP and git, in one process, so that tests can watch both. */

import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
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
import { DEMO_KEYS } from '../../support/demo-keys.ts';

const LAB = join(import.meta.dirname, '../../../fixtures/lab');
const APP_ID = 4242;
export const SECRET = 'the first webhook secret';
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
export const GRANTED = Object.fromEntries(
  Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]),
);

export type ServedLab = {
  readonly world: World;
  readonly appId: number;
  readonly installationId: number;
  /** The address on which the server receives webhooks. */
  readonly hookUrl: () => string;
  /** Lines of the server's log. */
  readonly log: string[];
  /** Ada comments `/help` in a new experiment issue. Returns the issue's number. */
  readonly askForHelp: () => Promise<number>;
  /** The bot's comments on that issue. */
  readonly answers: (issue: number) => readonly Comment[];
  readonly deliveries: (event: string) => readonly State['deliveries'][string][];
  /** Moves GitHub's clock ahead of this machine's clock, as after a sleep of the machine. */
  readonly sleepFor: (durationMs: number) => void;
  /** Ends the server and starts it with another webhook secret. */
  readonly restart: (secret: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** `sweepMs`: the period of the server's sweep. */
export async function openServedLab(options: {
  readonly sweepMs: number;
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>>;
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
  await importTree(store, { directory: LAB, message: 'The lab', skip: (one) => one.includes('__pycache__') });
  const bugs: unknown[] = [];
  const directoryOf = (): string => directory;
  heard.serve({
    world,
    clock: null,
    git: createGitDoor(world, { directoryOf }),
    onBug: (bug) => bugs.push(bug),
  });
  const hooks = startWebhooks(world, (request) => fetch(request));
  const log: string[] = [];
  const start = (webhookSecret: string): Promise<Serving> =>
    serve(
      {
        appId: APP_ID,
        privateKey: keys.privateKey,
        webhookSecret,
        baseUrl: `${heard.origin}/api/v3`,
        serverUrl: heard.origin,
        host: '127.0.0.1',
        port: 0,
        workDirectory: join(folder, 'work'),
        sweepPeriodMs: options.sweepMs,
        environment: { FERRYBOT_CONTROL_KEY: DEMO_KEYS.control.seed },
        now: Date.now,
      },
      (line) => void log.push(line),
    );
  let serving = await start(SECRET);
  const hookUrl = (): string => `${serving.url}/api/github/webhooks`;
  setWebhook(world, APP_ID, { url: hookUrl(), secret: SECRET });
  const api = async (path: string, body: object): Promise<{ readonly number: number }> => {
    const headers = { authorization: `Bearer ${tokens.ada}` };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${heard.origin}/api/v3/repos/lab/ferries${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return Object(await answer.json());
  };
  return {
    world,
    appId: APP_ID,
    installationId: app?.installationId ?? 0,
    hookUrl,
    log,
    askForHelp: async () => {
      const { number } = await api('/issues', { title: 'An experiment', labels: ['experiment'] });
      await api(`/issues/${number}/comments`, { body: '/help' });
      return number;
    },
    answers: (issue) =>
      Object.values(world.state.comments).filter(
        (one) =>
          one.issueNumber === issue && one.viaAppId === APP_ID && one.body.includes('these are the commands'),
      ),
    deliveries: (event) => Object.values(world.state.deliveries).filter((row) => row.event === event),
    sleepFor: (durationMs) => {
      aheadMs += durationMs;
    },
    restart: async (secret) => {
      await serving.close();
      serving = await start(secret);
      setWebhook(world, APP_ID, { url: hookUrl() });
    },
    close: async () => {
      await hooks.close();
      await serving.close();
      await heard.close();
      await rm(folder, { recursive: true, force: true });
      if (bugs.length > 0) throw new AggregateError(bugs, 'the playground broke');
    },
  };
}
