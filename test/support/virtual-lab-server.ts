/**
 * The App's side of a lab on virtual time, in this process: recreated after a crash, as a supervisor would
 * restart it.
 */

import { mintInstallationToken } from '../../packages/playground/identity/tokens.ts';
import type { World } from '../../packages/playground/world/world.ts';
import { createWorker, type Worker } from '../../src/app/control/worker.ts';
import type { Lab } from '../../src/app/lab.ts';
import type { ReconcileRequest } from '../../src/domain/reconcile-request.ts';
import { Crash } from './crash.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { readServerKeys } from './virtual-lab-keys.ts';

type ServerInput = {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly log: string[];
  readonly compose: (process: string, token: () => Promise<string>, keys: Lab['signingKeys']) => Lab;
  readonly installation: number;
  readonly sweepMs: number;
};

/** A worker with its own sweep; pushed triggers are handled in turn. */
export function startServer({ world, clock, log, compose, installation, sweepMs }: ServerInput): {
  readonly push: (trigger: ReconcileRequest) => void;
  readonly stop: () => void;
} {
  let minted: { readonly token: string; readonly expiresAtMs: number } | null = null;
  const token = async (): Promise<string> => {
    if (minted !== null && minted.expiresAtMs > clock.now() + 60_000) return minted.token;
    const row = world.state.installations[installation];
    const repo = Object.values(world.state.repos)[0];
    if (row === undefined || repo === undefined) throw new Error('the App is not installed');
    minted = mintInstallationToken(world, row, row.permissions, null);
    return minted.token;
  };
  const make = (): Worker => createWorker(compose('server', token, readServerKeys()), 'main', ['runner']);
  let worker = make();
  let waiting: ReconcileRequest[] = [];
  let isRunning = false;
  /** A newer scheduled trigger replaces the one before. */
  let look = 0;
  const stopped = new AbortController();
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await worker.handle(batch);
      } catch (error) {
        // As in src/app/server/work-queue.ts: a failed trigger is logged, and the process continues with its memory.
        if (!(error instanceof Crash)) {
          log.push(`server: a trigger failed: ${error instanceof Error ? error.stack : String(error)}`);
          continue;
        }
        worker = make();
        waiting.push({ kind: 'sweep' });
      }
    }
    isRunning = false;
    const pauseMs = worker.recheckMs();
    look += 1;
    const own = look;
    if (pauseMs === null) return;
    clock
      .sleep(pauseMs, stopped.signal)
      .then(() => {
        if (own === look) push({ kind: 'workflow-ended' });
      })
      .catch(() => undefined);
  };
  const push = (trigger: ReconcileRequest): void => {
    worker.acknowledge(trigger).catch((error: unknown) => {
      if (!(error instanceof Crash)) log.push(`server: a receipt failed: ${String(error)}`);
      worker = make();
    });
    waiting.push(trigger);
    if (isRunning) return;
    isRunning = true;
    drain().catch((error: unknown) => log.push(`server broke: ${String(error)}`));
  };
  const sweepForEver = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      push({ kind: 'sweep' });
      await clock.sleep(sweepMs, stopped.signal);
    }
  };
  sweepForEver().catch((error: unknown) => {
    if (!stopped.signal.aborted) log.push(`sweeping ended: ${String(error)}`);
  });
  return { push, stop: () => stopped.abort() };
}
