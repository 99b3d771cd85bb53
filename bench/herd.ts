/** The start of `ferrybot serve` for an organisation: a real process, its real queues and git, and a GitHub in this process. */

import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { answer } from '../packages/playground/api/api.ts';
import { sendResponse, toFetchRequest } from '../packages/playground/http/node-request.ts';
import { mintInstallationToken } from '../packages/playground/identity/tokens.ts';
import { ifThere } from '../packages/playground/world/if-there.ts';
import { APP_PERMISSIONS } from '../src/app/server/discovery.ts';
import { DEMO_KEYS } from '../test/support/demo-keys.ts';
import { approve, propose, readState, until } from '../test/support/play.ts';
import { openVirtualLab, type VirtualLab } from '../test/support/virtual-lab.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const REPOSITORIES = 1_000;
/** The first repositories have a live run, the next ones a config and no run, and the others no config. */
const LIVE = 200;
const IDLE = 100;
const INSTALLATION = 77;
const PAGE_ROWS = 100;
/** What an answer of GitHub takes. Without it, hardly two requests would meet. */
const ANSWER_MS = 100;
const SAMPLE_MS = 250;
const START_MS_MAX = 30 * 60_000;
const PROGRAM = join(import.meta.dirname, '../bin/ferrybot.js');
const run = promisify(execFile);

type Herd = {
  /** By repository name, such as `r17`: its GitHub; null without a config. */
  readonly labOf: (name: string) => VirtualLab | null;
  readonly folder: string;
  readonly counts: { atOnce: number; atOnceMax: number; requests: number; unexpected: string[] };
};

/** Starts the server, waits for its first sweep, and measures requests and memory until then. */
export async function measureHerd(): Promise<readonly Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-herd-'));
  const live = await openVirtualLab({ overHttp: true });
  const idle = await openVirtualLab({ overHttp: true });
  const counts = { atOnce: 0, atOnceMax: 0, requests: 0, unexpected: [] as string[] };
  try {
    const { run: name, pull } = await propose(live);
    await approve(live, 'mira', pull, name);
    await until(live, 'the job', async () => (await readState(live, name))?.submission != null);
    await live.clock.advance(20 * 60_000);
    await Promise.all([clone(live, join(folder, 'live.git')), clone(idle, join(folder, 'idle.git'))]);
    await copyRepositories(folder);
    const labOf: Herd['labOf'] = (repository) => {
      const index = Number(repository.slice(1));
      return index < LIVE ? live : index < LIVE + IDLE ? idle : null;
    };
    const github = await listen({ labOf, folder, counts });
    try {
      return await measureStart(`http://127.0.0.1:${(github.address() as AddressInfo).port}`, folder, counts);
    } finally {
      github.closeAllConnections();
      github.close();
    }
  } finally {
    await live.close();
    await idle.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function clone(lab: VirtualLab, target: string): Promise<void> {
  const url = new URL(`${lab.world.baseUrl}/lab/ferries.git`);
  Object.assign(url, { username: 'x-access-token', password: tokenFor(lab).token });
  await run('git', ['clone', '--quiet', '--mirror', url.href, target]);
}

function tokenFor(lab: VirtualLab): ReturnType<typeof mintInstallationToken> {
  const [installation] = Object.values(lab.world.state.installations);
  if (installation === undefined) throw new Error('the App is not installed');
  return mintInstallationToken(lab.world, installation, installation.permissions, null);
}

/** Hard links, because git replaces files and changes none. */
async function copyRepositories(folder: string): Promise<void> {
  await mkdir(join(folder, 'git/org'), { recursive: true });
  for (let index = 0; index < LIVE + IDLE; index += 1) {
    const from = join(folder, index < LIVE ? 'live.git' : 'idle.git');
    await run('cp', ['-al', from, join(folder, `git/org/r${index}.git`)]);
  }
}

async function measureStart(origin: string, folder: string, counts: Herd['counts']): Promise<readonly Result[]> {
  const workDirectory = join(folder, 'work');
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const since = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    stdio: ['ignore', 'pipe', process.env['HERD_LOG'] === undefined ? 'ignore' : 'inherit'],
    env: {
      PATH: process.env['PATH'],
      APP_ID: '1',
      PRIVATE_KEY: privateKey,
      WEBHOOK_SECRET: 'a webhook secret',
      FERRYBOT_CONTROL_KEY: DEMO_KEYS.control.seed,
      GITHUB_API_URL: `${origin}/api/v3`,
      GITHUB_SERVER_URL: `file://${folder}/git`,
      FERRYBOT_WORK_DIR: workDirectory,
      FERRYBOT_SWEEP_MS: String(START_MS_MAX),
      PORT: '0',
    },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', (line) => resolve(line.replace('listening on ', '')));
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    let memoryMb = 0;
    let metrics = '';
    const value = (name: string): number =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`ferrybot_${name} `))
          ?.split(' ')[1] ?? 0,
      );
    while (value('last_sweep_timestamp_seconds') === 0) {
      if (performance.now() - since > START_MS_MAX) throw new Error(`no sweep: ${metrics}`);
      memoryMb = Math.max(memoryMb, await treeMb(child.pid ?? 0));
      metrics = await (await fetch(`${url}/metrics`)).text();
      await sleep(SAMPLE_MS);
    }
    const seconds = (performance.now() - since) / 1_000;
    const cloned = (await readdir(workDirectory)).filter((name) => name.startsWith('org--')).length;
    if (counts.unexpected.length > 0) throw new Error(`unexpected requests: ${counts.unexpected.slice(0, 5)}`);
    return [
      resultWithoutBar('herd-repositories', REPOSITORIES, 'repositories'),
      resultWithBar('herd-live-runs', value('live_runs'), 'runs', '>=', LIVE),
      resultWithBar('herd-cloned', cloned, 'repositories', '<=', LIVE + IDLE),
      resultWithBar('herd-failed', value('batch_seconds_count{result="failed"}'), 'repositories', '<=', 0),
      resultWithBar('herd-requests-at-once', counts.atOnceMax, 'requests', '<=', 100),
      resultWithBar('herd-memory', memoryMb, 'MB', '<=', 1_000),
      resultWithoutBar('herd-requests', counts.requests, 'requests'),
      resultWithoutBar('herd-start', seconds, 's'),
    ];
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** The memory of a process and of the programs that it started. */
async function treeMb(root: number): Promise<number> {
  const rows: { readonly pid: number; readonly parent: number; readonly kb: number }[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may end between the two reads.
    const status = (await ifThere(readFile(`/proc/${pid}/status`, 'utf8'), ['ENOENT', 'ESRCH'])) ?? '';
    const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    rows.push({ pid: Number(pid), parent: field('PPid'), kb: field('VmRSS') });
  }
  const sum = (pid: number): number =>
    rows.reduce((kb, row) => kb + (row.pid === pid ? row.kb : 0) + (row.parent === pid ? sum(row.pid) : 0), 0);
  return sum(root) / 1_000;
}

async function listen(herd: Herd): Promise<Server> {
  const { counts } = herd;
  const server = createServer((request, response) => {
    counts.requests += 1;
    counts.atOnce += 1;
    counts.atOnceMax = Math.max(counts.atOnceMax, counts.atOnce);
    response.once('close', () => {
      counts.atOnce -= 1;
    });
    const work = async (): Promise<void> => {
      const asked = await toFetchRequest(request, `http://${request.headers.host}`);
      if (asked === null) throw new Error(`no request: ${request.url}`);
      const answered = await answerFor(herd, asked);
      await sleep(ANSWER_MS);
      await sendResponse(response, answered);
    };
    work().catch((error: unknown) => {
      counts.unexpected.push(String(error));
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The App's own requests are answered here, and those about a repository by its playground. */
async function answerFor({ labOf, counts }: Herd, request: Request): Promise<Response> {
  const { pathname, searchParams, origin, search } = new URL(request.url);
  const path = pathname.replace('/api/v3', '');
  if (path === '/app/installations') return Response.json([{ id: INSTALLATION, permissions: granted() }]);
  if (path.endsWith('/access_tokens')) return tokenAnswer(labOf);
  if (path === '/installation/repositories')
    return pageOf(Number(searchParams.get('page') ?? 1), `${origin}${pathname}`);
  const isWrite = !['GET', 'HEAD'].includes(request.method);
  const body = isWrite ? await request.text() : null;
  const [, name = ''] = /\/repos\/org\/(r\d+)/.exec(path) ?? /"(r\d+)"/.exec(body ?? '') ?? [];
  const lab = labOf(name);
  if (lab === null) {
    if (!path.includes('/contents/')) counts.unexpected.push(`${request.method} ${path}`);
    return Response.json({ message: 'Not Found' }, { status: 404 });
  }
  // A signed post names its repository, so that each repository posts its own. The shared threads must not get them all.
  if (isWrite && !path.endsWith('/graphql')) {
    const id = FIRST_ID + counts.requests;
    return Response.json({ id, number: id }, { status: 201 });
  }
  const headers = new Headers(request.headers);
  headers.set('authorization', `token ${tokens.get(lab)}`);
  const url = `${lab.world.baseUrl}${pathname.replace(`/repos/org/${name}`, '/repos/lab/ferries')}${search}`;
  const text = body?.replaceAll(`"${name}"`, '"ferries"').replaceAll('"org"', '"lab"');
  // Each world object has its own hour of requests, and each repository gets its own.
  return answer(
    { ...lab.world },
    new Request(url, { method: request.method, headers, ...(text === undefined ? {} : { body: text }) }),
  );
}

const FIRST_ID = 1_000_000;
const tokens = new Map<VirtualLab, string>();

/** One token for all repositories. Each playground has its own, which replaces it behind the door. */
function tokenAnswer(labOf: Herd['labOf']): Response {
  let expiresAt = '';
  for (const name of ['r0', `r${LIVE}`]) {
    const lab = labOf(name);
    if (lab === null) continue;
    const minted = tokenFor(lab);
    tokens.set(lab, minted.token);
    expiresAt = new Date(minted.expiresAtMs).toISOString();
  }
  return Response.json({ token: 'ghs_herd', expires_at: expiresAt }, { status: 201 });
}

function granted(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]));
}

function pageOf(page: number, url: string): Response {
  const repositories = Array.from({ length: PAGE_ROWS }, (_, row) => ({
    full_name: `org/r${(page - 1) * PAGE_ROWS + row}`,
    default_branch: 'main',
    pushed_at: '2026-01-01T00:00:00Z',
  }));
  const isLast = page * PAGE_ROWS >= REPOSITORIES;
  const headers = isLast ? {} : { link: `<${url}?per_page=${PAGE_ROWS}&page=${page + 1}>; rel="next"` };
  return Response.json({ total_count: REPOSITORIES, repositories }, { headers });
}
