/** `ferrybot init --app` on the playground, with a browser that does what its person clicks. */

import { createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseEnv } from 'node:util';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../../packages/playground/git/store/memory-store.ts';
import { listen } from '../../../packages/playground/http/server.ts';
import { acceptManifest } from '../../../packages/playground/identity/manifests.ts';
import { createWorld } from '../../../packages/playground/world/create-world.ts';
import { type Seeded, seedWorld } from '../../../packages/playground/world/seed.ts';
import type { World } from '../../../packages/playground/world/world.ts';
import { runCommandLine } from '../../../src/app/cli/command-line.ts';
import { APP_EVENTS, APP_PERMISSIONS } from '../../../src/app/server/discovery.ts';
import { readServeOptions } from '../../../src/app/server/serve-options.ts';
import { environment } from '../../host/git/scratch-repository.ts';

const SERVER = 'https://ferrybot.lab.example';
let root: string;
let origin: string;
let world: World;
let seeded: Seeded;
let close: () => Promise<void>;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ferrybot-app-'));
  const bound = await listen(0);
  if (!bound.ok) throw new Error(bound.reason);
  const store = createMemoryStore();
  world = createWorld({
    clock: { now: Date.now, sleep: async () => undefined },
    gitStores: () => store,
    baseUrl: bound.origin,
  });
  seeded = seedWorld(world);
  bound.serve({
    world,
    clock: null,
    onBug: (error) => {
      throw error;
    },
  });
  ({ origin, close } = bound);
  await execa('git', ['init', '--quiet'], { cwd: root });
  await execa('git', ['remote', 'add', 'origin', `${origin}/lab/ferries.git`], { cwd: root });
  await writeFile(join(root, 'train.py'), 'learning_rate = 6e-4\n');
});
afterEach(async () => {
  await close();
  await rm(root, { recursive: true });
});

const folder = () => join(root, '../', `${root.split('/').at(-1)}-keys`);
afterEach(() => rm(folder(), { recursive: true, force: true }));

/** Starts `init --app`; `page` is the address that it shows. */
async function start(server = SERVER) {
  let [out, err] = ['', ''];
  const ANSWERS = ['--hours', '1', '--pin', 'fedcba98'.repeat(5), '--name', 'Olga', '--email', 'olga@lab.example'];
  const ended = runCommandLine(
    [
      'init',
      ...ANSWERS,
      '--experiment',
      'train.py',
      '--command',
      'python3 train.py',
      '--keys',
      folder(),
      '--app',
      server,
    ],
    {
      stdin: Readable.from([]),
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
      cwd: root,
      environment: { ...environment, HOME: root, GITHUB_TOKEN: seeded.tokens.mira },
    },
  ).then((code) => ({ code, out, err }));
  const page = async () => {
    const [, found = ''] = await vi.waitFor(
      () => /Open (\S+) in a browser/.exec(err) ?? Promise.reject(new Error(err)),
      { timeout: 30_000 },
    );
    const text = await (await fetch(found)).text();
    const [, action = '', value = ''] =
      /action="([^"]+)"><input type="hidden" name="manifest" value="([^"]+)">/.exec(text) ?? [];
    const manifest = value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    return { address: found, action: new URL(action), manifest };
  };
  return { ended, page };
}

/** What happens after a click on *Create GitHub App*. */
const create = ({ action, manifest }: { readonly action: URL; readonly manifest: string }): string =>
  acceptManifest(world, seeded.repo.ownerId, manifest, action.searchParams.get('state') ?? '');

describe('init --app', () => {
  it('registers the App of app.yml for the server, and stores its keys where only this user reads them', async () => {
    const { ended, page } = await start();
    const shown = await page();
    expect(`${shown.action.origin}${shown.action.pathname}`).toBe(`${origin}/organizations/lab/settings/apps/new`);
    const levels = Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]);
    expect(JSON.parse(shown.manifest)).toMatchObject({
      name: 'ferrybot-lab',
      public: false,
      hook_attributes: { url: `${SERVER}/api/github/webhooks` },
      default_permissions: Object.fromEntries(levels),
      default_events: [...APP_EVENTS],
    });
    const back = await fetch(create(shown), { redirect: 'manual' });
    expect([back.status, back.headers.get('location')]).toEqual([302, `${origin}/apps/ferrybot-lab/installations/new`]);

    const { code, out, err } = await ended;
    expect([code, out]).toEqual([0, expect.stringContaining(`${origin}/apps/ferrybot-lab/installations/new`)]);
    expect(out).toContain('appSlug: ferrybot-lab');
    const file = join(folder(), 'app.env');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    for (const secret of text
      .split('\n')
      .flatMap((line) => line.split('=').slice(1))
      .filter((one) => one !== ''))
      if (!/^\d+$/.test(secret)) expect(out + err).not.toContain(secret.slice(0, 60));
    expect((await execa('git', ['status', '--porcelain'], { cwd: root })).stdout).not.toContain('app.env');

    // Node and Docker keep two backslashes, systemd keeps one.
    for (const variables of [parseEnv(text), parseEnv(text.replaceAll('\\\\', '\\'))]) {
      const options = readServeOptions({ ...variables, FERRYBOT_WORK_DIR: root }, Date.now);
      if (!options.ok) throw new Error(options.error.join('; '));
      const { appId, privateKey, webhookSecret } = options.value;
      const app = Object.values(world.state.apps).find(({ id }) => id === appId);
      expect(app?.publicKeyPem).toBe(createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }));
      expect(app?.webhook?.secret).toBe(webhookSecret);
    }

    const again = await (await start()).ended;
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('has the keys of an App already') });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  // threat T256
  it('takes no code with another state, and shows its page to nobody without the address', async () => {
    const { ended, page } = await start();
    const shown = await page();
    const back = new URL(create(shown));
    back.searchParams.set('state', 'forged');
    expect((await fetch(back, { redirect: 'manual' })).status).toBe(404);
    expect((await fetch(new URL('/', shown.address))).status).toBe(404);
    expect(Object.values(world.state.apps).map(({ slug }) => slug)).not.toContain('ferrybot-lab');
    expect((await fetch(create(shown), { redirect: 'manual' })).status).toBe(302);
    expect((await ended).code).toBe(0);
  });

  it('registers the App of a person, and reports a code that GitHub refuses', async () => {
    const owner = world.state.users[seeded.repo.ownerId];
    if (owner === undefined) throw new Error('no owner');
    world.state.users[seeded.repo.ownerId] = { ...owner, type: 'User' };
    const { ended, page } = await start();
    const shown = await page();
    expect(shown.action.pathname).toBe('/settings/apps/new');
    const back = new URL(create(shown));
    back.searchParams.set('code', '0'.repeat(40));
    expect((await fetch(back, { redirect: 'manual' })).status).toBe(502);
    expect(await ended).toMatchObject({ code: 1, err: expect.stringContaining('Not Found') });
    await expect(stat(join(folder(), 'app.env'))).rejects.toThrow('ENOENT');
  });

  it('refuses an address that is none before it opens a page', async () => {
    expect(await (await start('lab.example')).ended).toMatchObject({
      code: 1,
      err: expect.stringContaining('--app lab.example is no address of a server'),
    });
  });
});
