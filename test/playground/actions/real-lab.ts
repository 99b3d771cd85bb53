/** A lab on real things: bare repository, git over HTTP, processes, files in a temporary folder. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Actions, createActions } from '../../../playground/actions/actions.ts';
import { serveGit } from '../../../playground/git/http-backend.ts';
import { createProgramStore } from '../../../playground/git/program-store.ts';
import { identify } from '../../../playground/world/identity.ts';
import { createLab, type Lab } from './lab.ts';

export type RealLab = Lab & {
  readonly folder: string;
  readonly actions: Actions;
  readonly url: string;
  /** The log of the newest run's first job, without the times. */
  readonly lastLog: () => string;
} & AsyncDisposable;

/** `files` are written below the folder that is served as `ferrybot/ferrybot`. */
export async function startRealLab(files: Readonly<Record<string, string>> = {}): Promise<RealLab> {
  const folder = await mkdtemp(path.join(tmpdir(), 'playground-actions-'));
  const directory = path.join(folder, 'model.git');
  const action = path.join(folder, 'action');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(action, name)), { recursive: true });
    await writeFile(path.join(action, name), text);
  }
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    serveGit(request, response, {
      directoryOf: (owner, repo) => (owner === 'lab' && repo === 'model' ? directory : null),
      authorize: async ({ token }) => {
        if (token === null) return 'unauthorized';
        return identify(lab.world, `Bearer ${token}`).ok ? 'ok' : 'unauthorized';
      },
      onPush: async () => undefined,
    }).catch((cause: unknown) => failures.push(cause));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // listen() on a port never gives a pipe's name
  const url = `http://127.0.0.1:${port}`;
  const clock = {
    now: () => Date.now(),
    sleep: (ms: number, signal?: AbortSignal) => delay(ms, undefined, { signal }),
  };
  const lab = createLab({ clock, store: createProgramStore({ directory }), baseUrl: url });
  const actions = createActions({
    world: lab.world,
    runners: [
      { name: 'hosted', labels: ['ubuntu-latest'] },
      { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
    ],
    executor: { kind: 'process' },
    actionDirectories: { 'ferrybot/ferrybot': action },
    nodeProgram: process.execPath,
    workDirectory: path.join(folder, 'runners'),
    serverUrl: url,
  });
  return {
    ...lab,
    folder,
    actions,
    url,
    lastLog: () => {
      const job = lab.runs().at(-1)?.jobIds[0];
      return lab.log(job ?? 0).replaceAll(/^\S+Z /gm, '');
    },
    [Symbol.asyncDispose]: async () => {
      await actions.stop();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await rm(folder, { recursive: true, force: true });
      if (failures.length > 0) throw new AggregateError(failures, 'git over HTTP failed');
    },
  };
}
