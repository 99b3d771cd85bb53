/** Detectors that ask whether the run is the one that was meant: its tracker, and its settings. */

import { compareIdentity } from '../domain/tracker.ts';
import { alarm, cannotTell, type Evidence, type Finding, MINUTE_MS, QUIET } from './detector.ts';
import { roundingOf } from './progress.ts';

/** Metrics under another identity than the one that was approved: they look plausible and belong to another run. */
export function trackerDrift({ tracker }: Evidence): Finding {
  if (tracker === null || tracker.intended === '') return cannotTell('manifest');
  const { intended, logged, said } = tracker;
  const newest = logged.at(-1) ?? said?.identity;
  if (newest === undefined) return cannotTell('tracker');
  switch (compareIdentity(intended, newest)) {
    case 'same':
      return QUIET;
    case 'other':
      // rule HR-38
      return alarm(newest, { seen: newest, bound: intended });
    case 'made-up':
      // The tracker itself knows the name that people gave a run whose id it made up.
      return said !== null && compareIdentity(intended, said.name) === 'same' ? QUIET : cannotTell('tracker');
  }
}

export const TRACKER_FROZEN_LIMITS = {
  /** Its public view lags by minutes, and a trainer may report only with its evals. */
  silentMs: 60 * MINUTE_MS,
} as const;

/**
 * Only where the log is beyond the newest step that the tracker has: after a rollback W&B takes no row until its old counter
 * is passed, with a fresh heartbeat. What the tracker calls the run says nothing: it calls runs crashed that go on.
 */
/** A run that makes steps of which nothing arrives at its tracker any more. */
export function trackerFrozen({ tracker, step, moved, status, isLogRead }: Evidence): Finding {
  const said = tracker?.said ?? null;
  if (said === null || said.step === null || said.rowAt === null) return cannotTell('tracker');
  if (status !== 'RUNNING' || !isLogRead || step === null || moved === null) return cannotTell('progress');
  const atLeast = step.exact ? step.value : step.value - roundingOf(step.value);
  if (atLeast <= said.step) return QUIET;
  const heardAt = Math.max(said.rowAt, said.heartbeatAt ?? 0);
  if (moved.at - heardAt < TRACKER_FROZEN_LIMITS.silentMs) return QUIET;
  return alarm(said.step, {
    seen: String(said.step),
    step: String(step.value),
    minutes: Math.round((moved.at - heardAt) / MINUTE_MS),
  });
}

/** A job that runs with other settings than those that were launched, or than its attempt before. */
export function configDrift({ config }: Evidence): Finding {
  if (config.length === 0) return cannotTell('manifest');
  const drifted = config.filter(({ launched, observed }) => launched !== observed);
  const [first] = drifted;
  if (first === undefined) return QUIET;
  return alarm(drifted.map(({ name }) => name).join(' '), {
    seen: drifted.map(({ name, observed }) => `${name}=${observed}`).join(' '),
    bound: drifted.map(({ name, launched }) => `${name}=${launched}`).join(' '),
  });
}
