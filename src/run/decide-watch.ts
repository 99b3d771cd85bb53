/** Decides whether a watch must be started: every live job has one, and only one, by lease. */

import { openSignatureMatch } from '../care/bad-node.ts';
import { hasCluster } from '../config/missing-cluster.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { awaitsDescription } from '../domain/logbook/adoption.ts';
import { watchedClusters } from '../domain/logbook/liveness.ts';
import { marketWanted } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import { isTitledFor } from '../domain/run-title.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { type AttemptCache, isDone, mayTry, perform, type Step } from './step.ts';

/** Whether something of the run is to be looked at and has no watch whose lease still runs. */
export function needsWatch(state: RunState, now: Instant): boolean {
  if (awaitsDescription(state) || marketWanted(state) !== null) return true;
  // A bad node that the log shows is answered by a watch, also when the job has ended meanwhile.
  if (
    state.submission === null ||
    (watchedClusters(state).length === 0 && openSignatureMatch(state) === null)
  )
    return false;
  const until = state.observation === null ? null : fromRfc3339(state.observation.lease.until);
  return until === null || now >= until;
}

/** Starts a watch unless one is on its way. Two at once do no harm: the lease lets one of them work. */
export function decideWatch(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
  memory: AttemptCache,
): Step | null {
  const cluster = state.submission?.cluster ?? state.proposal.adopts?.cluster ?? marketWanted(state)?.cluster;
  if (!needsWatch(state, now) || cluster === undefined || !hasCluster(config, cluster)) return null;
  const key = watchKey(state, now);
  if (isDone(memory, key) || !mayTry(memory, key, limits.effectTriesMax)) return null;
  if (isNotAsked(facts.watchRuns)) return need('watchRuns');
  if (facts.watchRuns.kind === 'unknown') return null;
  // One that is over and began before the job did has looked at the market, and never at the job (policy VA-11).
  const submittedAt = fromRfc3339(state.submission?.at ?? '') ?? 0;
  const onItsWay = facts.watchRuns.value.some(
    (run) =>
      isTitledFor(run.title, cluster) &&
      (run.status !== 'completed' ||
        (now - run.createdAt < limits.dispatchVisibleMs && run.createdAt >= submittedAt)),
  );
  if (onItsWay) return null;
  return perform(key, {
    kind: 'dispatch-workflow',
    workflow: config.workflows.watch,
    ref: config.lane.targetBranch,
    inputs: { cluster },
  });
}

/** Whether a watch is needed that this process has not started just now. */
export function isWatchOwed(state: RunState, memory: AttemptCache, now: Instant): boolean {
  return needsWatch(state, now) && !isDone(memory, watchKey(state, now));
}

/**
 * Dispatched just now counts as on its way, though no list shows it yet; after that only the list counts, because a watch
 * that died before its first observation left nothing in the record.
 */
function watchKey(state: RunState, now: Instant): string {
  const attempt = state.submission?.attempt ?? 0;
  return `watch:${state.run}:${attempt}:${Math.floor(now / limits.dispatchVisibleMs)}`;
}
