/** Keeps the comment about an open wait up to date: an unclaimed launch, an unconfirmed stop, or a missing watch. */

import { type Dispatch, dispatchesFor } from '../domain/effect.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Incident, IncidentOf } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { IssuedOrder, RunState } from '../domain/logbook/run-state.ts';
import { request } from '../domain/reconcile-request.ts';
import { fromRfc3339, type Instant, toRfc3339 } from '../domain/values.ts';
import { link, utc } from '../render/words.ts';
import { listWatchDispatches, needsWatch } from './decide-dispatches.ts';
import { type AttemptCache, canTry, perform, type Step } from './step.ts';

export const WAIT_UPDATE_MS = 10 * 60 * 1_000;

/** The prefix that marks the final edit. */
const CLOSED = '\n- Closed: ';

/** Whether a launch is still unclaimed, a stop unconfirmed, or a watch missing. */
export function isWaitOpen(state: RunState, incident: Incident, now: Instant): boolean {
  if (incident.code === 'launch-waiting') return findWaitingOrder(state, incident)?.status === 'open';
  if (!isWaitIncident(state, incident) || state.end !== null) return false;
  return incident.code === 'stop-unconfirmed' || (needsWatch(state, now) && !isObservedSince(state, incident));
}

/** The next edit of a wait's comment: periodically while the wait is open (less and less often for a launch), and once at the end. */
export function decideWaitEdit(input: {
  readonly state: RunState;
  readonly facts: Pick<RunFacts, 'recordedRuns' | 'workflowRuns'>;
  readonly ownComments: readonly CommentFacts[];
  readonly textOf: (incident: Incident) => string | null;
  readonly now: Instant;
  readonly memory: AttemptCache;
}): Step | null {
  const { state, now, memory } = input;
  for (const incident of state.incidents.filter((one) => isWaitIncident(state, one))) {
    const comment = input.ownComments.find(
      ({ marker }) => marker?.kind === 'incident' && marker.run === state.run && marker.key === String(incident.seq),
    );
    const text = input.textOf(incident);
    if (comment === undefined || text === null) continue;
    const isOpen = isWaitOpen(state, incident, now);
    if (isOpen ? now - comment.updatedAt < editPauseMs(incident, comment) : comment.body.includes(CLOSED)) continue;
    const key = `wait:${incident.seq}:${isOpen ? Math.floor(now / WAIT_UPDATE_MS) : 'closed'}`;
    if (!canTry(memory, key, limits.effectTriesMax)) continue;
    const line = isOpen ? describeOpenWait(input, incident) : describeClosedWait(state, incident);
    if (typeof line !== 'string') return line;
    return perform(key, { kind: 'edit-comment', thread: comment.thread, comment: comment.id, body: `${text}${line}` });
  }
  return null;
}

function editPauseMs({ code, at }: Incident, { updatedAt }: CommentFacts): number {
  const openMs = updatedAt - (fromRfc3339(at) ?? 0);
  return code === 'launch-waiting' ? Math.max(WAIT_UPDATE_MS, openMs) : WAIT_UPDATE_MS;
}

function findWaitingOrder({ order }: RunState, { detail }: IncidentOf<'launch-waiting'>): IssuedOrder | null {
  return order?.digest === detail.orderDigest ? order : null;
}

/** Whether the incident is a wait of the newest attempt. An open stop takes precedence over a missing watch. */
function isWaitIncident({ stop, submission, end }: RunState, { code, seq }: Incident): boolean {
  return (
    code === 'launch-waiting' ||
    (code === 'stop-unconfirmed' && stop !== null && seq > stop.seq) ||
    (code === 'monitor-stale' && (stop === null || end !== null) && submission !== null && seq > submission.seq)
  );
}

function isObservedSince({ observation }: RunState, { seq }: Incident): boolean {
  return observation !== null && observation.seq > seq;
}

/** The expected workflow run and its current status. */
function describeOpenWait(
  { state, facts, now }: Parameters<typeof decideWaitEdit>[0],
  { code }: Incident,
): string | Step {
  const { dispatches, stop } = state;
  const last =
    code === 'launch-waiting'
      ? dispatches.findLast(({ workflow }) => workflow === 'launch')
      : code === 'stop-unconfirmed'
        ? dispatchesFor(dispatches, 'stop', String(stop?.seq)).at(-1)
        : listWatchDispatches(state, facts).at(-1);
  const checked = `\n- Checked last: ${utc(toRfc3339(now))}.`;
  if (last === undefined) return `${checked} No workflow run of ferrybot is recorded for it.`;
  const run = facts.workflowRuns.get(last.workflowRun);
  return run === undefined
    ? request({ fact: 'workflowRuns', of: last.workflowRun })
    : `${checked} ${describeWorkflowRun(last, run)}`;
}

function describeWorkflowRun(
  { workflow, workflowRun }: Dispatch,
  run: NonNullable<ReturnType<RunFacts['workflowRuns']['get']>>,
): string {
  const label = `workflow run ${workflowRun}`;
  if (run.kind === 'unknown') return `Our ${workflow} ${label} could not be read.`;
  const linked = run.value === null ? label : link(label, run.value.url);
  const status = run.value?.status.replace('_', ' ') ?? 'deleted';
  const isOver = run.value === null || run.value.status === 'completed';
  return `Our ${workflow} ${linked} is ${status}; ferrybot dispatches it again ${isOver ? 'now' : 'as soon as it is over'}.`;
}

function describeClosedWait(state: RunState, incident: Incident): string {
  const { end } = state;
  if (incident.code === 'launch-waiting') {
    const isTaken = (findWaitingOrder(state, incident)?.claim ?? null) !== null;
    return `${CLOSED}${isTaken ? 'a runner took the order' : 'the order is over'}.`;
  }
  return end === null
    ? `${CLOSED}a watch looks at the job again.`
    : `${CLOSED}the job ended as ${end.status} at ${utc(end.at)}.`;
}
