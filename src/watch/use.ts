/** How busy a job keeps its machines, by the nearest that says so: its own log, then its tracker, then the engine. */

import { medianOf } from '../detectors/series.ts';
import type { Pace } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Look } from './look.ts';
import { shareOf } from './memory-line.ts';
import { isOfAttempt } from './tracker-seen.ts';
import { paceOf } from './training.ts';

/** How busy the accelerators were at this look, in per cent: by the job's own lines, else by the engine; null: nobody measured. */
export function useAt({ log, job }: Look): number | null {
  const said = job.kind === 'found' ? job.use?.accelerators : undefined;
  // rule VA-17
  return medianOf(log.training.look.use) ?? said ?? null;
}

/** The pace of this look with the use of the machines; nothing where nobody says anything of either. */
export function paceAt(state: RunState, look: Look): { readonly pace?: Pace } {
  const { pace } = paceOf(look.log.training);
  const use = look.job.kind === 'found' ? look.job.use : undefined;
  const busy = useAt(look);
  const usePercent = busy === null ? null : String(Math.round(busy));
  const memory = pace?.memory ?? trackedMemory(state, look) ?? ramOf(use?.ram);
  if (pace === undefined && usePercent === null && memory === null) return {};
  return {
    pace: {
      secondsPerStep: null,
      tokensPerSecond: null,
      remainingSeconds: null,
      ...pace,
      ...(usePercent === null ? {} : { usePercent }),
      ...(memory === null ? {} : { memory }),
    },
  };
}

/** Of this attempt: a run that goes on under its id has what the attempt before it used, until this one is heard of. */
function trackedMemory(state: RunState, { tracker }: Look): string | null {
  if (tracker == null || tracker.answer.kind !== 'found') return null;
  const { run } = tracker.answer;
  return run.memoryPercent === undefined || !isOfAttempt(state, run) ? null : shareOf(run.memoryPercent);
}

function ramOf(percent: number | undefined): string | null {
  const share = percent === undefined ? null : shareOf(percent);
  return share === null ? null : `ram:${share}`;
}
