/** One tunnel to a cluster for all calls of this process: started on demand, checked, and restarted a bounded number of times. */

import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { limits } from '../../domain/limits.ts';
import { openPrivateHome } from './private-home.ts';

/** A tunnel that answered counts as working for this long; then the next call checks it. */
const TUNNEL_LOOK_PERIOD_MS = 15_000;
/** Pause between two checks of a tunnel that is starting. */
const TUNNEL_POLL_MS = 250;
/** Failed starts in a row, after which the tunnel pauses and its calls are unknown. */
export const TUNNEL_STARTS_MAX = 3;
export const TUNNEL_REST_MS = 5 * 60 * 1_000;

export type TunnelOptions = {
  /** Keeps the dashboard reachable while it runs; started without a shell. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly homeFiles: Readonly<Record<string, string>>;
  readonly temporaryDirectory: string;
  readonly startTimeoutMs: number;
  /** Whether anything answers at the local end. */
  readonly answers: () => Promise<boolean>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
};

export type Tunnel = {
  /** Null if calls may go through, otherwise the reason. Concurrent calls wait for the same start. */
  readonly ensure: () => Promise<string | null>;
  readonly close: () => Promise<void>;
};

type Program = { readonly ended: () => boolean; readonly stop: () => Promise<void> };

/**
 * Uses a tunnel that another process on this machine has opened, because a second one would compete for the port (policy
 * ML-09). After `TUNNEL_STARTS_MAX` failed starts in a row, the tunnel pauses and every call gets the reason.
 */
export function createTunnel(options: TunnelOptions): Tunnel {
  let program: Program | null = null;
  let sound: { readonly atMs: number } | null = null;
  let starting: Promise<string | null> | null = null;
  let failed: { readonly times: number; readonly atMs: number; readonly why: string } | null = null;

  const isUsable = (): boolean =>
    sound !== null && options.now() - sound.atMs < TUNNEL_LOOK_PERIOD_MS && program?.ended() !== true;
  const checkDashboard = async (): Promise<boolean> => {
    sound = (await options.answers()) ? { atMs: options.now() } : null;
    if (sound !== null) failed = null;
    return sound !== null;
  };
  const start = async (): Promise<string | null> => {
    if (await checkDashboard()) return null;
    if (failed !== null && failed.times >= TUNNEL_STARTS_MAX) {
      if (options.now() - failed.atMs < TUNNEL_REST_MS) return failed.why;
      failed = null;
    }
    await program?.stop();
    program = await startProgram(options);
    const deadline = options.now() + options.startTimeoutMs;
    while (options.now() < deadline && !program.ended()) {
      if (await checkDashboard()) return null;
      await sleep(TUNNEL_POLL_MS);
    }
    const why = program.ended() ? 'the tunnel ended before it carried anything' : 'nothing answers through the tunnel';
    await program.stop();
    failed = { times: (failed?.times ?? 0) + 1, atMs: options.now(), why };
    return why;
  };
  return {
    ensure: async () => {
      if (isUsable()) return null;
      starting ??= start().finally(() => {
        starting = null;
      });
      return starting;
    },
    close: async () => {
      await starting;
      await program?.stop();
    },
  };
}

async function startProgram({
  command: [file = '', ...args],
  env,
  homeFiles,
  temporaryDirectory,
}: TunnelOptions): Promise<Program> {
  const home = await openPrivateHome(temporaryDirectory, homeFiles);
  let hasEnded = false;
  const child = execa(file, args, {
    env: { ...env, HOME: home.path },
    extendEnv: false,
    cwd: home.path,
    reject: false,
    stdin: 'ignore',
    // Output of ssh or gcloud may contain addresses and keys. Only answers through the tunnel show that it works.
    stdout: 'ignore',
    stderr: 'ignore',
    forceKillAfterDelay: limits.programKillGraceMs,
  });
  const gone = child.then(async () => {
    hasEnded = true;
    await home.close();
  });
  return {
    ended: () => hasEnded,
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
