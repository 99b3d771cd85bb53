/** The early end of a job: by its time limit or by a cancellation. */

import { actions } from '../../limits/limits.ts';
import type { JobOutput } from './job-output.ts';
import type { JobFrame } from './job-state.ts';
import { startTimer } from './timer.ts';

/** How a job is brought to an early end: by its time limit or by a cancellation, and then, after a grace or when told, by force. */
export type JobEnding = {
  readonly ended: AbortSignal;
  readonly forced: AbortSignal;
  readonly limit: (timeoutMinutes: number) => void;
  readonly stop: () => void;
};

/** Watches `cancel` and `force` from now on; `stop` ends that and every timer. */
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
 * The signal that ends one step. A cancellation asks the step's own `if:` again, and a step that is meant to run all the
 * same (`always()`, `cancelled()`) goes on until it is ended by force; so does one that starts after the cancellation
 * (docs: workflow cancellation reference; actions/runner, StepsRunner).
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
