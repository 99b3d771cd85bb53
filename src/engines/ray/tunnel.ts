/** One tunnel to a cluster for all calls of this process: started when it is needed, looked after, started again a bounded number of times. */

import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { limits } from '../../domain/limits.ts';
import { openPrivateHome } from './private-home.ts';

/** A tunnel that answered is taken for sound so long; then somebody looks again. */
const TUNNEL_LOOK_PERIOD_MS = 15_000;
/** Between two looks whether a tunnel that was started listens. */
const TUNNEL_POLL_MS = 250;
/** Starts in a row that came to nothing; then it rests, and its calls are unknown. */
export const TUNNEL_STARTS_MAX = 3;
/** How long it rests. */
export const TUNNEL_REST_MS = 5 * 60 * 1_000;

export type TunnelOptions = {
  /** Keeps the dashboard reachable as long as it runs; no shell. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly homeFiles: Readonly<Record<string, string>>;
  readonly temporaryDirectory: string;
  readonly startTimeoutMs: number;
  /** Whether anything answers at the near end. */
  readonly answers: () => Promise<boolean>;
  /** Milliseconds that never go back. */
  readonly now: () => number;
};

export type Tunnel = {
  /** Null when calls may go through; otherwise why not. Calls that come meanwhile wait for the same start. */
  readonly ensure: () => Promise<string | null>;
  readonly close: () => Promise<void>;
};

type Program = { readonly ended: () => boolean; readonly stop: () => Promise<void> };

/**
 * A tunnel that somebody else on this machine has opened is used as it is: a second one would only fight for the port
 * (policy ML-09). After `TUNNEL_STARTS_MAX` starts in a row that came
 * to nothing, nobody tries again for a while, and every call is told why.
 */
export function createTunnel(options: TunnelOptions): Tunnel {
  let program: Program | null = null;
  let sound: { readonly atMs: number } | null = null;
  let starting: Promise<string | null> | null = null;
  let failed: { readonly times: number; readonly atMs: number; readonly why: string } | null = null;

  const isSound = (): boolean =>
    sound !== null && options.now() - sound.atMs < TUNNEL_LOOK_PERIOD_MS && program?.ended() !== true;
  const look = async (): Promise<boolean> => {
    sound = (await options.answers()) ? { atMs: options.now() } : null;
    if (sound !== null) failed = null;
    return sound !== null;
  };
  const start = async (): Promise<string | null> => {
    if (await look()) return null;
    if (failed !== null && failed.times >= TUNNEL_STARTS_MAX) {
      if (options.now() - failed.atMs < TUNNEL_REST_MS) return failed.why;
      failed = null;
    }
    await program?.stop();
    program = await startProgram(options);
    const deadline = options.now() + options.startTimeoutMs;
    while (options.now() < deadline && !program.ended()) {
      if (await look()) return null;
      await sleep(TUNNEL_POLL_MS);
    }
    const why = program.ended()
      ? 'the tunnel ended before it carried anything'
      : 'nothing answers through the tunnel';
    await program.stop();
    failed = { times: (failed?.times ?? 0) + 1, atMs: options.now(), why };
    return why;
  };
  return {
    ensure: async () => {
      if (isSound()) return null;
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
    // What ssh or gcloud says may hold addresses and keys; whether it works is seen by what comes through.
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
