/** A playground with a repository of its own for one stranger: real git, real HTTP, people with tokens, an App if it wants one. */

import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { mintUserToken } from '../../packages/playground/identity/tokens.ts';
import { type RealLab, startRealLab } from '../../packages/playground/test/actions/real-lab.ts';
import { startWebhooks } from '../../packages/playground/webhooks/webhooks.ts';
import { findUser, requireRow } from '../../packages/playground/world/lookup.ts';
import { addApp, type Person } from '../../packages/playground/world/seed.ts';

/** One step of a stranger: a process that is slow here is one that hangs. */
const STEP_TIMEOUT_MS = 120_000;
const POLL_MS = 100;

export type Site = {
  readonly lab: RealLab;
  /** Of this site alone, gone with it. */
  readonly folder: string;
  readonly token: (login: Person) => string;
  /** A clone of the repository, with a token in its address. */
  readonly clone: (login: Person) => Promise<string>;
  /** An App with its webhook at this port of the machine. */
  readonly app: (port: number, events: readonly string[]) => AppOfSite;
  /** A program with nothing of this machine's environment but its PATH; throws with what it said where it fails. */
  readonly run: (program: string, args: readonly string[], options: RunOptions) => Promise<string>;
  readonly write: (name: string, text: string) => Promise<string>;
} & AsyncDisposable;

export type RunOptions = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> };
export type AppOfSite = { readonly id: number; readonly privateKey: string; readonly secret: string };

export async function openSite(): Promise<Site> {
  const lab = await startRealLab();
  const folder = await mkdtemp(join(tmpdir(), 'playground-stranger-'));
  const webhooks = startWebhooks(lab.world, (request) => fetch(request));
  const token = (login: Person): string => mintUserToken(lab.world, requireRow(findUser(lab.world, login), login).id);
  const run: Site['run'] = async (program, args, { cwd = folder, env = {} }) => {
    const done = await execa(program, args, {
      cwd,
      reject: false,
      all: true,
      timeout: STEP_TIMEOUT_MS,
      extendEnv: false,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, NO_COLOR: '1', ...env },
    });
    if (!done.failed) return done.all;
    const told = `${program} ${args.join(' ')} ended with ${done.exitCode ?? done.signal}: ${done.all.slice(-2_000)}`;
    // What went wrong is written into a table, and a token is none of its business.
    throw new Error(told.replaceAll(/gh[ps]_\w+/g, 'gh*_…'));
  };
  return {
    lab,
    folder,
    token,
    run,
    clone: async (login) => {
      const place = join(folder, `clone-of-${login}`);
      const address = `${lab.url.replace('://', `://${login}:${token(login)}@`)}/lab/model.git`;
      await run('git', ['clone', '-q', address, place], {});
      await run('git', ['config', 'user.name', login], { cwd: place });
      await run('git', ['config', 'user.email', `${login}@lab.example`], { cwd: place });
      return place;
    },
    app: (port, events) => addAppAt(lab, port, events),
    write: async (name, text) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    [Symbol.asyncDispose]: async () => {
      await webhooks.close();
      await lab[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function addAppAt({ world, repo }: RealLab, port: number, events: readonly string[]): AppOfSite {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const secret = 'a secret of strangers';
  const write = ['contents', 'issues', 'pull_requests', 'checks', 'statuses', 'deployments'];
  const app = addApp(world, repo().ownerId, {
    slug: 'stranger',
    publicKeyPem: publicKey,
    permissions: { metadata: 'read', ...Object.fromEntries(write.map((name) => [name, 'write' as const])) },
    events,
    webhook: { url: `http://127.0.0.1:${port}/api/github/webhooks`, secret },
  });
  return { id: app.id, privateKey, secret };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Waits until something is so; throws, with what was waited for, when it is not after `STEP_TIMEOUT_MS`. */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + STEP_TIMEOUT_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Fails the play with a sentence. */
export function expectTrue(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`not so: ${what}`);
}
