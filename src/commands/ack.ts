/**
 * `/ack` acknowledges incidents, the end of a watch, or the end of a run (policy ML-04). `lost=` closes a run whose job cannot be found,
 * `reject=` one whose result does not count; both free the lane without a seal.
 */

import { underWay } from '../domain/actions/action-state.ts';
import { permits } from '../domain/actor.ts';
import { failedAttempt } from '../domain/launch/next-attempt.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { Taken } from '../domain/logbook/events/watch-events.ts';
import { isHolding, isLive } from '../domain/logbook/liveness.ts';
import { untakenWatchEnd } from '../domain/logbook/ownership.ts';
import {
  type Ending,
  incidentsSinceTaken,
  type RunState,
  untakenIncidents,
} from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import {
  type AnswerDecision,
  answering,
  type CommandContext,
  type CommandDecision,
  type NamedContext,
} from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { reasonText, runWord } from './values.ts';

/** How long a claim or an unobserved job must last before a person can give up the run. */
export const GIVE_UP_PATIENCE_MS = 10 * 60 * 1_000;

const answerAck = answering({
  acknowledged: { status: 'text', run: 'text?' },
  'ack-before-end': { status: 'text' },
  'incident-taken': { count: 'integer', run: 'text?', watched: 'integer?' },
  'watch-end-taken': { count: 'integer', run: 'text?' },
  closed: { closurePull: 'integer?' },
  'closes-in-its-thread': { run: 'text' },
  'lost-not-lost': { minutes: 'integer' },
});

export const ack = {
  name: 'ack',
  answers: answerAck.vocabulary,
  keys: {
    lost: { required: false, value: reasonText },
    reject: { required: false, value: reasonText },
    run: { required: false, value: runWord },
  },
  who: (policy) => policy.permissions.ack,
  summary:
    'Says that you took what has gone wrong, so that nobody else is called for it, or took note of the end of a watch; once the run has ended, acknowledges how. A failed run is closed by it; with `reject="…"` one whose result does not count; with `lost="…"` one whose job cannot be found any more. With `run=`, in any thread, takes it of the run of this name; what closes a run is said in its own thread.',
  example: '/ack',
  decide: decideAck,
  decideNamed,
} as const satisfies CommandDefinition;

type Drafts = readonly EventDraft[];

const ADOPTED_ENDED = 'somebody took note that the adopted job ended';

function decideAck(context: CommandContext): CommandDecision {
  const { state, args } = context;
  const lost = args['lost'];
  if (lost !== undefined && state.end === null) return giveUp(context, lost);
  const end = endOf(state);
  if (end === null || isHolding(state)) return taken(state, {});
  if (isOlder(context.comment, end))
    return incidentsSinceTaken(state).length > 0
      ? taken({ ...state, end: null }, {})
      : answerAck('ack-before-end', { status: end.status });
  const { reject } = args;
  if (reject !== undefined && end.status !== 'FAILED') return rejected(context, reject);
  if (end.status === 'FAILED' && underWay(state.actions).length > 0) return answerAck('close-under-way');
  if (end.status === 'FAILED') return { kind: 'close', outcome: 'failed', reason: end.message };
  // An adopted job has no launch to seal.
  if (isAdopted(state))
    return { kind: 'close', outcome: 'unsealed', reason: `${ADOPTED_ENDED} ${end.status}` };
  return answerAck('acknowledged', { status: end.status });
}

/** Acknowledges incidents, or the end of the watch, of a run that continues. */
function taken(state: RunState, named: { readonly run?: string }, drafts: Drafts = []): AnswerDecision {
  const { length: count } = state.end === null ? incidentsSinceTaken(state) : untakenIncidents(state);
  if (untakenWatchEnd(state) !== null) return answerAck('watch-end-taken', { count, ...named }, drafts);
  const watched = state.submission === null ? { watched: 0 } : {};
  return count === 0
    ? answerAck('not-now', { status: 'the run has not ended', ...named })
    : answerAck('incident-taken', { count, ...named, ...watched }, drafts);
}

/** Closing commands must be written in the run's own thread, where its record is visible. */
function decideNamed(context: NamedContext): AnswerDecision {
  const { state, args, actor, comment } = context;
  const named = { run: state.run };
  const end = endOf(state);
  const isClosing = args['lost'] !== undefined || args['reject'] !== undefined;
  const draftOf = (what: Taken): Drafts => [
    { type: 'taken', role: 'control', actor, data: { what, comment: comment.id, surface: comment.surface } },
  ];
  if (!isClosing && (end === null || isHolding(state)))
    return taken(state, named, draftOf(untakenWatchEnd(state) === null ? 'incidents' : 'watch-end'));
  if (isClosing || end === null || end.status === 'FAILED' || isAdopted(state))
    return answerAck('closes-in-its-thread', named);
  const said = { status: end.status, ...named };
  return answerAck('acknowledged', said, state.acknowledged === null ? draftOf('end') : []);
}

/** The run's end; without a next launch or open incidents, the last attempt's end. */
function endOf(state: RunState): Ending | null {
  if (state.end !== null) return state.end;
  return isLive(state) || untakenIncidents(state).length > 0 ? null : (failedAttempt(state)?.end ?? null);
}

/** The comment predates the end, so it cannot refer to it. GitHub's times are whole seconds. */
function isOlder({ createdAt }: CommandContext['comment'], { at }: Ending): boolean {
  const endedAt = fromRfc3339(at) ?? createdAt;
  return createdAt < endedAt - (endedAt % 1_000);
}

/** Requires the seal permission, because it is the opposite decision. */
function rejected({ state, policy, permission }: CommandContext, reason: string): CommandDecision {
  if (!permits(permission, policy.permissions.seal))
    return answerAck('not-permitted', { needs: policy.permissions.seal, held: permission });
  if (underWay(state.actions).length > 0) return answerAck('close-under-way');
  return { kind: 'close', outcome: 'rejected', reason };
}

/** Requires the seal permission: the lane becomes free, and only a person can know that no job is left. */
function giveUp({ state, policy, permission, now }: CommandContext, reason: string): CommandDecision {
  if (!permits(permission, policy.permissions.seal))
    return answerAck('not-permitted', { needs: policy.permissions.seal, held: permission });
  if (underWay(state.actions).length > 0) return answerAck('close-under-way');
  const since = unaccountedSince(state);
  if (since === null) return answerAck('lost-not-lost', { minutes: 0 });
  const waitMs = since + GIVE_UP_PATIENCE_MS - now;
  return waitMs > 0
    ? answerAck('lost-not-lost', { minutes: Math.ceil(waitMs / 60_000) })
    : { kind: 'close', outcome: 'lost', reason };
}

/** Since when the job's state is unknown; null if it is known. */
function unaccountedSince(state: RunState): number | null {
  if (!isLive(state) || state.order === null || state.order.status === 'open') return null;
  const { submission, observation, order } = state;
  if (submission === null) return fromRfc3339(order.claim?.at ?? order.at);
  if (observation === null) return fromRfc3339(submission.at);
  return observation.status === 'UNKNOWN' ? fromRfc3339(submission.at) : null;
}
