/**
 * What another program of the same user can read in /proc/PID/environ of the bundle and the server: no key
 * and no token.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LabKeys, labKeys } from '../../demo/keys.ts';
import { pythonOfVersion } from '../support/python-of-version.ts';
import { type BundleLab, openBundleLab } from './bundle-lab.ts';
import { HARBOUR, HOSTED, LAUNCHER, openBundleWorld } from './bundle-world.ts';

const ROOT = join(import.meta.dirname, '../..');
const WATCHER = { name: 'watcher', labels: ['self-hosted', 'ferrybot-watch'] };
const TIMEOUT_MS = 120_000;

/** Saves every readable environment, by process and in order of change, until the stop file exists. */
const LOOK = `import glob, json, os, sys, time
folder, seen, until = sys.argv[-1], {}, time.time() + (1 if 'once' in sys.argv else 120)
while time.time() < until and not os.path.exists(folder + '/stop'):
    for path in glob.glob('/proc/[0-9]*/environ'):
        try:
            text = open(path, 'rb').read().decode('latin1')
        except OSError:
            continue
        known = seen.setdefault(path, [])
        if text and text not in known:
            known.append(text)
    with open(folder + '/new', 'w') as out:
        json.dump(seen, out)
    os.rename(folder + '/new', folder + '/seen')
    time.sleep(0.02)
`;

type Seen = Readonly<Record<string, readonly string[]>>;

async function seenIn(folder: string): Promise<Seen> {
  try {
    return JSON.parse(await readFile(join(folder, 'seen'), 'utf8')) as Seen;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Waits until the text was seen in the environment of a process. */
async function untilSeen(folder: string, text: string): Promise<void> {
  const end = Date.now() + TIMEOUT_MS;
  while (Date.now() < end) {
    if (Object.values(await seenIn(folder)).some((texts) => texts.some((one) => one.includes(text)))) return;
    await sleep(100);
  }
  throw new Error(`no process has ${text}`);
}

/**
 * Keys and tokens of a lab as they appear in an environment; tokens of finished jobs are collected while they
 * exist.
 */
function secretsOf({ keys, world }: Pick<BundleLab, 'keys' | 'world'>): () => readonly string[] {
  const tokens = new Set<string>();
  const timer = setInterval(() => {
    for (const token of Object.keys(world.state.tokens)) tokens.add(token);
  }, 5);
  return () => {
    clearInterval(timer);
    const pems = Object.values(keys.roles).map((pair) => pair.privatePem.split('\n')[1] ?? '');
    const headers = [...tokens].map((token) => Buffer.from(`x-access-token:${token}`).toString('base64'));
    return [...pems, ...tokens, ...headers];
  };
}

/** The secrets in the last environment of each process that has this mark. */
function shownBy(seen: Seen, mark: string, secrets: readonly string[]): readonly string[] {
  const marked = Object.values(seen).filter((texts) => texts.some((text) => text.includes(mark)));
  expect(marked.length, `no process with ${mark} was seen`).toBeGreaterThan(0);
  return marked.flatMap((texts) => secrets.filter((secret) => texts.at(-1)?.includes(secret)));
}

describe('a job of the local engine', () => {
  let lab: BundleLab;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-look-'));
    lab = await openBundleLab({
      config: [[`scripts/tell.py, ${HARBOUR}]`, `scripts/look.py, ${HARBOUR}, ${folder}]`]],
      files: { 'scripts/look.py': LOOK },
    });
  });
  afterAll(async () => {
    await writeFile(join(folder, 'stop'), '');
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  });

  // threat T207
  it(
    'finds no key, token or passed secret in the environment of its launch process or of git',
    async () => {
      const known = secretsOf(lab);
      expect(await lab.launch()).toContain('ferrybot: submitted');
      const [seen, secrets] = [await seenIn(folder), known()];
      expect(shownBy(seen, 'INPUT_MODE=launch', [...secrets, HARBOUR])).toEqual([]);
      expect(shownBy(seen, 'GIT_CONFIG_NOSYSTEM=1', secrets)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  // threat T208
  it(
    'finds no key or token in the environment of its watch',
    async () => {
      await lab.useRunners(HOSTED, LAUNCHER, WATCHER);
      const known = secretsOf(lab);
      const path = '/actions/workflows/ferrybot-watch.yml/dispatches';
      await lab.as('ada', 'POST', path, { ref: 'main', inputs: { cluster: 'us-central1' } });
      const id = Math.max(...Object.keys(lab.world.state.runs).map(Number));
      const over = lab.runJobs();
      await untilSeen(folder, 'INPUT_MODE=watch');
      // Long enough for the watch to have started.
      await sleep(5_000);
      await writeFile(join(folder, 'stop'), '');
      const seen = await seenIn(folder);
      await lab.as('mira', 'POST', `/actions/runs/${id}/cancel`);
      await over;
      expect(shownBy(seen, 'INPUT_MODE=watch', known())).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a program of the lab', () => {
  // threat T209
  it("that checks a proposal finds no key or token in the environment of ferrybot's process", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-look-'));
    const lab = await openBundleWorld({
      server: false,
      config: [['    checksBeforePush: []\n', `    checksBeforePush: [[python3, scripts/look.py, once, ${folder}]]\n`]],
      files: { 'scripts/look.py': LOOK },
    });
    const known = secretsOf(lab);
    try {
      await lab.runJobs();
      await lab.as('ada', 'POST', '/actions/workflows/ferrybot-daily.yml/dispatches', { ref: 'main' });
      expect(await lab.runJobs()).toContain('ferrybot: proposed');
      expect(shownBy(await seenIn(folder), 'INPUT_MODE=propose', known())).toEqual([]);
    } finally {
      await lab.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('ferrybot serve', () => {
  let folder: string;
  let keys: LabKeys;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-serve-'));
    keys = await labKeys(join(folder, 'keys.json'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const SERVE = [process.execPath, join(ROOT, 'bin/ferrybot.js'), 'serve'] as const;
  const started = (
    file: string,
    args: readonly string[],
    path = process.env['PATH'] ?? '',
  ): ChildProcessWithoutNullStreams =>
    spawn(file, args, {
      env: {
        PATH: path,
        APP_ID: '1',
        PRIVATE_KEY: keys.app.privatePem,
        WEBHOOK_SECRET: 'a-secret-of-webhooks',
        FERRYBOT_CONTROL_KEY: keys.roles.control.privatePem,
        FERRYBOT_WORK_DIR: join(folder, 'work'),
        GITHUB_API_URL: 'http://127.0.0.1:9',
        FERRYBOT_STOP_WITH_STDIN: '1',
        PORT: '0',
      },
    });

  // threat T210
  it(
    'shows no key in its environment, listens, and exits when its input ends',
    async () => {
      const [file, ...args] = SERVE;
      const server = started(file, args);
      const [said] = await once(server.stdout, 'data');
      expect(String(said)).toContain('listening on');
      const shown = await readFile(`/proc/${server.pid}/environ`, 'utf8');
      server.stdin.end();
      const [code] = await once(server, 'exit');
      expect(code).toBe(0);
      expect(shown).toContain('PATH=');
      const bodies = [keys.app.privatePem, keys.roles.control.privatePem].map((pem) => pem.split('\n')[1]);
      expect(bodies.filter((body) => shown.includes(body ?? ''))).toEqual([]);
      expect(shown).not.toContain('a-secret-of-webhooks');
    },
    TIMEOUT_MS,
  );

  it(
    'warns if the process that started it still shows the keys',
    async () => {
      const server = started('bash', ['-c', '"$0" "$@"; exit $?', ...SERVE]);
      const told: string[] = [];
      server.stderr.on('data', (chunk) => told.push(String(chunk)));
      await once(server.stdout, 'data');
      server.stdin.end();
      await once(server, 'exit');
      expect(told.join('')).toContain(`process ${server.pid} (bash), which started this one, shows the keys`);
      expect(told.join('')).not.toContain('a-secret-of-webhooks');
    },
    TIMEOUT_MS,
  );

  it.each([
    ['no Python on the PATH', null, 'there is no python3 on this machine: install Python 3.11 or newer'],
    ['a Python that is too old', [3, 10] as const, 'Python 3.11 or newer is needed, and this is 3.10'],
  ])(
    'refuses to start with %s',
    async (_, version, message) => {
      const path = await mkdtemp(join(folder, 'path-'));
      if (version !== null) await pythonOfVersion(path, version);
      const [file, ...args] = SERVE;
      const server = started(file, args, path);
      const told: string[] = [];
      for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => told.push(String(chunk)));
      const [code] = await once(server, 'close');
      expect(code).toBe(1);
      expect(told.join('')).toContain('ferrybot reads experiment files with Python: ');
      expect(told.join('')).toContain(message);
      expect(told.join('')).not.toContain('listening on');
    },
    TIMEOUT_MS,
  );
});
