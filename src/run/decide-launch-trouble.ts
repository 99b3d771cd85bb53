/** Reports a dispatched launch that no runner claims: it failed, or it is queued. */

import { dispatchesFor } from '../domain/dispatch.ts';
import type { RunFacts, WorkflowRunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { IssuedOrder, RunState } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { append, type Step } from './step.ts';

/** Usual time to claim an order; GitHub is not asked earlier unless a workflow run ended. */
const LAUNCH_MS_MIN = 2 * 60_000;
/** A workflow run cannot end faster than this. */
const DISPATCH_MS_MIN = 1_000;
/** Queue time before the first comment; open-waits.ts keeps it up to date. */
const WAITING_TOLD_MS = 5 * 60_000;

/** Null without news. `mayHaveEnded`: a workflow run just ended, or this is a sweep. */
export function decideLaunchTrouble(
  state: RunState,
  facts: RunFacts,
  now: Instant,
  mayHaveEnded: boolean,
): Step | null {
  const { order } = state;
  if (order === null || order.status !== 'open' || now >= (fromRfc3339(order.order.expiresAt) ?? 0))
    return null;
  const last = state.dispatches.findLast(({ workflow }) => workflow === 'launch');
  const pauseMs = mayHaveEnded ? DISPATCH_MS_MIN : LAUNCH_MS_MIN;
  if (last === undefined || now - (fromRfc3339(last.at) ?? 0) < pauseMs) return null;
  const run = facts.workflowRuns.get(last.workflowRun);
  if (run === undefined) return need({ fact: 'workflowRuns', of: last.workflowRun });
  if (run.kind === 'unknown' || run.value === null || run.value.status === 'in_progress') return null;
  // A lapsed order's workflow run still blocks the next one.
  if (run.value.status !== 'completed') return waiting(state, order, run.value, now);
  const left = limits.dispatchesPerOrderMax - dispatchesFor(state.dispatches, 'launch', order.digest).length;
  return last.subject === order.digest ? failed(state, order, { last: run.value, left, facts }) : null;
}

/** Reported at the first failure of an order, and when no dispatch is left. */
function failed(
  state: RunState,
  order: IssuedOrder,
  { last, left, facts }: { readonly last: WorkflowRunFacts; readonly left: number; readonly facts: RunFacts },
): Step | null {
  const told = incidentsWith(state.incidents, 'launch-failed').filter(
    ({ detail }) => detail.orderDigest === order.digest,
  );
  const unread = incidentsWith(state.incidents, 'launch-unreadable').some(
    ({ detail }) => detail.orderDigest === order.digest,
  );
  if (left > 0 && (told.length > 0 || unread)) return null;
  const reason = facts.failedJobs?.get(last.id);
  if (reason === undefined) return need({ fact: 'failedJobs', of: last.id });
  const why =
    reason.kind === 'known' ? reason.value : `the workflow run ended with ${last.conclusion ?? 'nothing'}`;
  return append(
    incidentDraft('control', 'launch-failed', {
      orderDigest: order.digest,
      attempt: order.order.attempt,
      url: last.url,
      why,
      left,
    }),
  );
}

/** Reported once per order. */
function waiting(state: RunState, order: IssuedOrder, last: WorkflowRunFacts, now: Instant): Step | null {
  const isTold = incidentsWith(state.incidents, 'launch-waiting').some(
    ({ detail }) => detail.orderDigest === order.digest,
  );
  if (isTold || now - last.createdAt < WAITING_TOLD_MS) return null;
  const { attempt } = order.order;
  return append(
    incidentDraft('control', 'launch-waiting', { orderDigest: order.digest, attempt, url: last.url }),
  );
}
