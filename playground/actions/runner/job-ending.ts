/** The early end of a job: by its time limit or by a cancellation. */

import { actions } from '../../limits/limits.ts';
import type { JobOutput } from './job-output.ts';
import type { JobFrame } from './job-state.ts';
import { startTimer } from './timer.ts';

/** How a job is brought to an early end: by its time limit or by a cancellation, and then, after a grace, by force. */
export type JobEnding = {
  readonly ended: AbortSignal;
  readonly forced: AbortSignal;
  readonly limit: (timeoutMinutes: number) => void;
  readonly stop: () => void;
};

/** Watches `cancel` from now on; `stop` ends that and every timer. */
export function jobEnding(frame: JobFrame, cancel: AbortSignal, output: JobOutput): JobEnding {
  const ended = new AbortController();
  const forced = new AbortController();
  const stops: (() => void)[] = [];
  const end = (): void => {
    if (ended.signal.aborted) return;
    frame.state.status = 'cancelled';
    stops.push(startTimer(frame.executor, actions.cancelledJobGraceMs, () => forced.abort()));
    ended.abort();
  };
  if (cancel.aborted) end();
  else cancel.addEventListener('abort', end, { once: true });
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
      for (const stop of stops) stop();
    },
  };
}
