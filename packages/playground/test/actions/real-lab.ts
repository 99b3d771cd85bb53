/** A lab with real components: bare repository, git over HTTP, processes, files in a temporary folder. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Actions, createActions } from '../../actions/actions.ts';
import { createProgramStore } from '../../git/store/program-store.ts';
import { createGitDoor } from '../../http/git-door.ts';
import { createOffsetClock } from '../../http/offset-clock.ts';
import { listen } from '../../http/server.ts';
import { createLab, type Lab } from './lab.ts';

export type RealLab = Lab & {
  readonly folder: string;
  readonly actions: Actions;
  readonly url: string;
  /** The log of the newest run's first job, without timestamps. */
  readonly lastLog: () => string;
} & AsyncDisposable;

/**
 * `files` are written below the folder that serves `ferrybot/ferrybot`; `actionBundles` contains third-party actions.
 */
export async function startRealLab(
  files: Readonly<Record<string, string>> = {},
  actionBundles: string | null = null,
): Promise<RealLab> {
  const folder = await mkdtemp(path.join(tmpdir(), 'playground-actions-'));
  const directory = path.join(folder, 'model.git');
  const action = path.join(folder, 'action');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(action, name)), { recursive: true });
    await writeFile(path.join(action, name), text);
  }
  const bugs: unknown[] = [];
  const server = await listen(0);
  if (!server.ok) throw new Error(`no port: ${server.reason}`);
  const clock = createOffsetClock();
  const lab = createLab({ clock, store: createProgramStore({ directory }), baseUrl: server.origin });
  const directoryOf = (owner: string, repo: string): string | null =>
    owner === 'lab' && repo === 'model' ? directory : null;
  const onBug = (bug: unknown): number => bugs.push(bug);
  server.serve({ world: lab.world, clock, git: createGitDoor(lab.world, { directoryOf }), onBug });
  const actions = createActions({
    world: lab.world,
    runners: [
      { name: 'hosted', labels: ['ubuntu-latest'] },
      { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
    ],
    executor: { kind: 'process' },
    actionDirectories: { 'ferrybot/ferrybot': action },
    actionBundles,
    nodeProgram: process.execPath,
    workDirectory: path.join(folder, 'runners'),
    serverUrl: server.origin,
  });
  return {
    ...lab,
    folder,
    actions,
    url: server.origin,
    lastLog: () => {
      const job = lab.runs().at(-1)?.jobIds[0];
      return lab.log(job ?? 0).replaceAll(/^\S+Z /gm, '');
    },
    [Symbol.asyncDispose]: async () => {
      await actions.stop();
      await server.close();
      await rm(folder, { recursive: true, force: true });
      if (bugs.length > 0) throw new AggregateError(bugs, 'the server broke');
    },
  };
}
