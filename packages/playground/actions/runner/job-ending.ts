/** The early end of a job: by its time limit or by a cancellation. */

import { actions } from '../../limits/limits.ts';
import type { JobOutput } from './job-output.ts';
import type { JobFrame } from './job-state.ts';
import { startTimer } from './timer.ts';

/**
 * How a job ends early: first by its time limit or by a cancellation, then by force, after a grace period or on
 * request.
 */
export type JobEnding = {
  readonly ended: AbortSignal;
  readonly forced: AbortSignal;
  readonly limit: (timeoutMinutes: number) => void;
  readonly stop: () => void;
};

/** Watches `cancel` and `force` from now on; `stop` ends the watch and every timer. */
export function jobEnding(
  frame: JobFrame,
  { cancel, force }: { readonly cancel: AbortSignal; readonly force: AbortSignal },
  output: JobOutput,
): JobEnding {
  const ended = new AbortController();
  const forced = new AbortController();
  const stops: (() => void)[] = [];
  const end = (): void => {
    if (ended.signal.aborted) return;
    frame.state.status = 'cancelled';
    stops.push(startTimer(frame.executor, actions.cancelledJobGraceMs, () => forced.abort()));
    ended.abort();
  };
  const endNow = (): void => {
    end();
    forced.abort();
  };
  if (cancel.aborted) end();
  else cancel.addEventListener('abort', end, { once: true });
  if (force.aborted) endNow();
  else force.addEventListener('abort', endNow, { once: true });
  return {
    ended: ended.signal,
    forced: forced.signal,
    limit: (timeoutMinutes) => {
      const expire = (): void => {
        if (ended.signal.aborted) return;
        output.say(`##[error]The job has exceeded the maximum execution time of ${timeoutMinutes}m0s`);
        end();
      };
      stops.push(startTimer(frame.executor, timeoutMinutes * 60_000, expire));
    },
    stop: () => {
      cancel.removeEventListener('abort', end);
      force.removeEventListener('abort', endNow);
      for (const stop of stops) stop();
    },
  };
}

/**
 * The signal that ends one step. A cancellation evaluates the step's `if:` again. A step that must run despite it
 * (`always()`, `cancelled()`), or that starts after it, continues until it is ended by force (docs: workflow
 * cancellation reference; actions/runner, StepsRunner).
 */
export function stepSignal(ending: JobEnding, staysWhenCancelled: () => boolean): AbortSignal {
  const { ended, forced } = ending;
  if (ended.aborted) return forced;
  const over = new AbortController();
  const onForced = (): void => over.abort();
  const onEnded = (): void => {
    if (!staysWhenCancelled()) over.abort();
  };
  ended.addEventListener('abort', onEnded, { once: true });
  forced.addEventListener('abort', onForced, { once: true });
  return over.signal;
}
