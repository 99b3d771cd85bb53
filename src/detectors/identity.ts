/** Detectors for a mix-up of runs: another tracker run, or other settings. */

import { compareIdentity } from '../domain/tracker.ts';
import { cannotTell, type Evidence, type Finding, MINUTE_MS, QUIET, raise } from './detector.ts';
import { roundingError } from './progress.ts';

/** Metrics under another identity than the approved one: they seem plausible and belong to another run. */
export function detectTrackerDrift({ tracker }: Evidence): Finding {
  if (tracker === null || tracker.intended === '') return cannotTell('manifest');
  const { intended, logged, trackedRun } = tracker;
  const newest = logged.at(-1) ?? trackedRun?.identity;
  if (newest === undefined) return cannotTell('tracker');
  switch (compareIdentity(intended, newest)) {
    case 'same':
      return QUIET;
    case 'other':
      // rule HR-38
      return raise(newest, { seen: newest, bound: intended });
    case 'made-up':
      // The tracker knows the name that people gave to a run with a generated id.
      return trackedRun !== null && compareIdentity(intended, trackedRun.name) === 'same'
        ? QUIET
        : cannotTell('tracker');
  }
}

export const TRACKER_FROZEN_LIMITS = {
  /** The tracker's public view lags by minutes, and a trainer may report only with its evals. */
  silentMs: 60 * MINUTE_MS,
} as const;

/**
 * Alarms only if the log is beyond the tracker's newest step: after a rollback W&B accepts no row until the old counter is passed, although
 * its heartbeat is fresh. Ignores the tracker's run state, because W&B may mark live runs as crashed.
 */
/** A run that makes steps while its tracker receives none. */
export function detectFrozenTracker({ tracker, step, moved, status, isLogRead }: Evidence): Finding {
  const said = tracker?.trackedRun ?? null;
  if (said === null || said.step === null || said.rowAt === null) return cannotTell('tracker');
  if (status !== 'RUNNING' || !isLogRead || step === null || moved === null) return cannotTell('progress');
  const atLeast = step.exact ? step.value : step.value - roundingError(step.value);
  if (atLeast <= said.step) return QUIET;
  const heardAt = Math.max(said.rowAt, said.heartbeatAt ?? 0);
  if (moved.at - heardAt < TRACKER_FROZEN_LIMITS.silentMs) return QUIET;
  return raise(said.step, {
    seen: String(said.step),
    step: String(step.value),
    minutes: Math.round((moved.at - heardAt) / MINUTE_MS),
  });
}

/** A job whose settings differ from the launched ones, or from its previous attempt's. */
export function detectConfigDrift({ config }: Evidence): Finding {
  if (config.length === 0) return cannotTell('manifest');
  const drifted = config.filter(({ launched, observed }) => launched !== observed);
  const [first] = drifted;
  if (first === undefined) return QUIET;
  return raise(drifted.map(({ name }) => name).join(' '), {
    seen: drifted.map(({ name, observed }) => `${name}=${observed}`).join(' '),
    bound: drifted.map(({ name, launched }) => `${name}=${launched}`).join(' '),
  });
}
