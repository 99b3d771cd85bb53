/** The container of an instance: a real process of this machine, in its own folder and process group. */

import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { signalGroup } from '../actions/runner/step-process.ts';
import { ifThere } from '../world/if-there.ts';
import type { Container, Instance } from './instance.ts';

export type StartContainer = (instance: Instance, nowMs: number, onEnd: (code: number | null) => void) => Container;

/** Containers as processes below `folder`. A process gets only the given variables and a PATH. */
export function processContainers(folder: string): StartContainer {
  return (instance, _nowMs, onEnd) => {
    const home = mkdtempIn(folder, instance.id);
    let group: number | null = null;
    let isWanted = true;
    const started = home.then(({ root, log }) => {
      if (!isWanted) return;
      const output = openSync(log, 'a');
      try {
        const [program, ...args] = containerCommand(instance);
        const child = spawn(program ?? 'true', args, {
          cwd: root,
          env: containerEnvironment(instance, root),
          stdio: ['ignore', output, output],
          detached: true,
        });
        group = child.pid ?? null;
        child.once('error', () => onEnd(127));
        child.once('exit', (code) => onEnd(code));
      } finally {
        closeSync(output);
      }
    });
    const signal = (name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void => {
      if (name === 'SIGKILL') isWanted = false;
      if (group !== null) signalGroup(group, name);
    };
    return {
      endsAtMs: null,
      log: async () => (await ifThere(readFile((await home).log))) ?? Buffer.alloc(0),
      signal,
      remove: async () => {
        isWanted = false;
        await started;
        signal('SIGKILL');
        await rm((await home).root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      },
    };
  };
}

/** In the launch mode `args` the arguments are the command; otherwise `onstart` runs next to a server that stays. */
function containerCommand({ runtype, args, onstart }: Instance): readonly string[] {
  if (runtype !== 'args') return ['bash', '-c', `${onstart ?? ''}\nexec sleep infinity`];
  // The client passes an entrypoint as `onstart`.
  return [...(onstart === null ? [] : [onstart]), ...(args ?? [])];
}

function containerEnvironment(instance: Instance, root: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: root,
    ...Object.fromEntries(instance.env),
    CONTAINER_ID: String(instance.id),
    CONTAINER_API_KEY: instance.apiKey,
    CONTAINER_LABEL: `C.${instance.id}`,
  };
}

async function mkdtempIn(folder: string, id: number): Promise<{ readonly root: string; readonly log: string }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const root = await mkdtemp(join(folder, `instance-${id}-`));
  return { root, log: join(root, '.container.log') };
}
