/**
 * A small GitHub for tests of the world: in-memory git, a clock moved by hand, seeded random numbers, an octokit for
 * each person.
 */

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { changeTree, type PathChange } from '../../git/store/git-trees.ts';
import { createMemoryStore } from '../../git/store/memory-store.ts';
import type { Permissions } from '../../identity/state-people.ts';
import { createWorld } from '../../world/create-world.ts';
import { type Seeded, type SeedOptions, seedWorld } from '../../world/seed.ts';
import type { State } from '../../world/state.ts';
import type { World } from '../../world/world.ts';

export const secret = 'a webhook secret of the tests';
export const appId = 4242;
export const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

export const allPermissions: Permissions = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  statuses: 'write',
};

export const allEvents: readonly string[] = [
  'check_run',
  'issue_comment',
  'issues',
  'pull_request',
  'pull_request_review',
  'push',
  'workflow_run',
];

export type Town = {
  readonly world: World;
  readonly seeded: Seeded;
  readonly changes: State[];
  readonly advance: (durationMs: number) => void;
  /** Octokit with a token; without one, a guest. */
  readonly as: (token: string | null) => Octokit;
  readonly asApp: () => Octokit;
  readonly asInstallation: () => Octokit;
  /** Commits files on a branch directly in git, as history from before the test. */
  readonly commit: (
    branch: string,
    files: Readonly<Record<string, string | null>>,
    message?: string,
  ) => Promise<string>;
};

export function createTown(options: SeedOptions & { readonly permissions?: Permissions } = {}): Town {
  // Octokit signs for Apps with the machine's time, so the town's clock starts at that time.
  let nowMs = Math.floor(Date.now() / 1000) * 1000;
  let drawn = 0;
  const changes: State[] = [];
  const store = createMemoryStore();
  const world = createWorld({
    clock: {
      now: () => nowMs,
      sleep: async (durationMs) => {
        nowMs += durationMs;
      },
    },
    gitStores: () => store,
    baseUrl: 'http://github.test',
    onChange: (state) => void changes.push(state),
    randomBytes: (count) => {
      drawn += 1;
      return new Uint8Array(createHash('sha512').update(`draw ${drawn}`).digest().subarray(0, count));
    },
  });
  const seeded = seedWorld(world, {
    labels: { bug: 'd73a4a' },
    app: {
      id: appId,
      publicKeyPem: keys.publicKey,
      permissions: options.permissions ?? allPermissions,
      events: allEvents,
      webhook: { url: 'http://bot.test/hook', secret },
    },
    ...options,
  });
  const common = { baseUrl: 'http://github.test/api/v3', request: { fetch: fetchOf(world) } };
  return {
    world,
    seeded,
    changes,
    advance: (durationMs) => {
      nowMs += durationMs;
    },
    as: (token) => new Octokit(token === null ? common : { ...common, auth: token }),
    asApp: () => new Octokit({ ...common, authStrategy: createAppAuth, auth: { appId, privateKey: keys.privateKey } }),
    asInstallation: () =>
      new Octokit({
        ...common,
        authStrategy: createAppAuth,
        auth: { appId, privateKey: keys.privateKey, installationId: seeded.app?.installationId },
      }),
    commit: async (branch, files, message = 'Change') => {
      const refs = await store.refs('refs/heads/');
      const parent = refs.get(`refs/heads/${branch}`) ?? refs.get('refs/heads/main') ?? null;
      const changed = new Map<string, PathChange>();
      for (const [path, text] of Object.entries(files)) {
        const sha = text === null ? null : await store.writeBlob(Buffer.from(text));
        changed.set(path, sha === null ? null : { mode: '100644', sha });
      }
      const base = parent === null ? null : ((await store.readCommit(parent))?.tree ?? null);
      const who = { name: 'Ada Lindqvist', email: 'ada@lab.example', atMs: nowMs };
      const sha = await store.writeCommit({
        tree: await changeTree(store, base, changed),
        parents: parent === null ? [] : [parent],
        author: who,
        committer: who,
        message,
      });
      await store.updateRef({ ref: `refs/heads/${branch}`, sha, force: true });
      return sha;
    },
  };
}

export const at = { owner: 'lab', repo: 'ferries' } as const;

/** An App's own JWT by the town's time (docs.github.com/apps: generating a JSON web token). */
export function appJwt({ world }: Town, claims: Readonly<Record<string, unknown>> = {}): string {
  const now = Math.floor(world.clock.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now, exp: now + 300, iss: appId, ...claims })}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), keys.privateKey).toString('base64url')}`;
}

/** The answer to a refused request; a request that succeeds fails the test. */
export async function refusal(
  request: Promise<{ readonly status: number }>,
): Promise<{ readonly status: number; readonly message: string; readonly data: unknown }> {
  try {
    const answer = await request;
    throw new Error(`expected a refusal, got ${answer.status}`);
  } catch (error) {
    if (!(error instanceof Error) || !('status' in error) || !('response' in error)) throw error;
    const { status, response } = error as { readonly status: number; readonly response: { readonly data: unknown } };
    const { data } = response;
    const message = typeof data === 'object' && data !== null && 'message' in data ? String(data.message) : '';
    return { status, message, data };
  }
}

function fetchOf(world: World): typeof fetch {
  return (input, init) => world.fetch(new Request(input, init));
}
