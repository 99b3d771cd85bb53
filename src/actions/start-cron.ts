/** Starts the cleanup job of the head node if it does not run, and verifies that it is alive (policy AG-21). */

import type { ChangeStep } from '../domain/actions/action.ts';
import { limits } from '../domain/limits.ts';
import type { Observed } from '../domain/values.ts';
import { type Clock, type Executor, findStepChange, pollUntil } from './change-cluster.ts';
import { scriptEnd, type WorkerPort } from './clear-disk.ts';

export type CronStart = Clock & {
  readonly port: () => Promise<
    Pick<WorkerPort, 'change'> & { readonly cleanupAlive: () => Promise<Observed<boolean> | null> }
  >;
  readonly steps: readonly ChangeStep[];
  readonly stepNow: ChangeStep;
};

/** Starts the job of one proposal. A second job would delete machines twice as eagerly, so it starts only if none is seen. */
export function createCronStart({ port, steps, stepNow, ...clock }: CronStart): Executor {
  const isCronRunning = async (): Promise<Observed<boolean> | null> => (await port()).cleanupAlive();
  return {
    check: async () => {
      const changed = findStepChange(steps, [stepNow]);
      if (changed !== null) return changed;
      const alive = await isCronRunning();
      if (alive === null) return { kind: 'unknown', why: 'the config does not say how to see it' };
      if (alive.kind === 'unknown') return alive;
      return alive.value ? { kind: 'changed', code: 'target-changed', why: 'the job is alive' } : { kind: 'same' };
    },
    // If the script ran, `verify` checks for the job, no matter what the script printed.
    perform: async (step, permit) => {
      const end = await (await port()).change(step, permit);
      const { report, stop } = scriptEnd(end, 'call-failed');
      return { report, stop: end.kind === 'not-started' ? stop : null };
    },
    verify: async (_claimedAt, wasInterrupted) => {
      const period = { waitMs: limits.diskVerifyWaitMs, periodMs: limits.diskVerifyPeriodMs };
      const seen = await pollUntil(clock, period, isCronRunning, (one) => one?.kind === 'known' && one.value);
      if (seen?.kind !== 'known') return { outcome: 'unclear', code: 'not-verified', detail: {} };
      return seen.value
        ? { outcome: 'done', code: 'alive', detail: {} }
        : { outcome: 'failed', code: wasInterrupted ? 'interrupted' : 'not-seen', detail: {} };
    },
  };
}
