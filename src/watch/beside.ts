/**
 * Jobs that run beside a run and name it: diagnostics that somebody has left running, or an attempt that should be over.
 * They are told apart from the job of the run, and stopped by nobody here (policy HR-29).
 */

import { isTerminal, type LiveJob } from '../domain/engine.ts';
import { runInSubmissionId } from '../domain/launch/order.ts';
import type { BesideJob } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { momentOfMs, toRfc3339 } from '../domain/time.ts';

/** So many are told of: who has more left running looks at the cluster. */
const BESIDE_MAX = 5;

/** Those of the list that are this run's by their own word, and not its current job; a job of another run of ours is that run's. */
export function besideOf(
  { run, submission, order }: RunState,
  live: readonly LiveJob[],
): readonly BesideJob[] {
  const words = [run, order?.manifest?.tracker.runId ?? run];
  return (
    live
      // rule HR-29
      .filter(({ jobId, status }) => jobId !== submission?.jobId && !isTerminal(status))
      .filter(({ jobId, about, metadata }) => {
        // Where a list shows no more than names, those of ours say whose they are.
        const said = metadata?.run ?? runInSubmissionId(jobId);
        if (said !== null) return said === run;
        return words.some((word) => namesIt(jobId, word) || namesIt(about, word));
      })
      .slice(0, BESIDE_MAX)
      .map(({ jobId, status, startedAtMs }) => {
        const since = startedAtMs === null ? null : momentOfMs(startedAtMs);
        return { jobId, status, since: since === null ? null : toRfc3339(since) };
      })
  );
}

/** As a word of its own: `grug-ep8` is none in `grug-ep80`, and is one in `diag-grug-ep8-nccl`. */
function namesIt(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + word.length] ?? ' '];
    if (!/[A-Za-z0-9]/.test(before) && !/[A-Za-z0-9]/.test(after)) return true;
  }
  return false;
}
