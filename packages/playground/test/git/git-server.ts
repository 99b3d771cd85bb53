/** A real HTTP server with one repository `lab/model`, and a real git client isolated from this machine's config. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { type GitHttpOptions, serveGit } from '../../git/smart-http/http-backend.ts';
import { gitEnvironment } from '../../git/store/git-environment.ts';
import type { GitStore } from '../../git/store/git-store.ts';
import { createProgramStore } from '../../git/store/program-store.ts';

export type Push = Parameters<GitHttpOptions['onPush']>[0];

export type GitServer = {
  readonly folder: string;
  readonly store: GitStore;
  readonly pushes: Push[];
  readonly complaints: string[];
  /** Exceptions of the handler; empty unless a test causes one. */
  readonly failures: unknown[];
  readonly url: (token?: string) => string;
  readonly git: (cwd: string, ...args: readonly string[]) => Promise<{ code: number; out: string; err: string }>;
} & AsyncDisposable;

/** Tokens: `writer` may do everything, `reader` may fetch, `blocked` sees nothing, no token may fetch. */
export async function startGitServer(folder: string, gitProgram = 'git'): Promise<GitServer> {
  const directory = join(folder, 'model.git');
  const store = createProgramStore({ directory });
  const [pushes, complaints, failures]: [Push[], string[], unknown[]] = [[], [], []];
  const server = createServer((request, response) => {
    serveGit(request, response, {
      directoryOf: (owner, repo) => (owner === 'lab' && repo === 'model' ? directory : null),
      authorize: async ({ token, service }) => {
        if (token === 'blocked') return 'not-found';
        if (token === 'writer' || (service === 'upload-pack' && [null, 'reader'].includes(token))) return 'ok';
        return token === 'reader' ? 'forbidden' : 'unauthorized';
      },
      onPush: async (push) => {
        pushes.push(push);
      },
      onComplaint: (complaint) => complaints.push(complaint),
      gitProgram,
    }).catch((cause: unknown) => failures.push(cause));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // listen() on a port never returns a pipe name
  return {
    folder,
    store,
    pushes,
    complaints,
    failures,
    url: (token) => `http://${token === undefined ? '' : `anyone:${token}@`}127.0.0.1:${port}/lab/model.git`,
    git: runClient,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function runClient(cwd: string, ...args: readonly string[]): ReturnType<GitServer['git']> {
  const settings = [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.org'],
    ['gc.auto', '0'],
  ] as const;
  const result = await execa('git', args, {
    cwd,
    env: { ...gitEnvironment(settings) },
    extendEnv: false,
    reject: false,
  });
  return { code: result.exitCode ?? -1, out: result.stdout, err: result.stderr };
}
