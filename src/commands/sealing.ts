/**
 * Commands for the end of a run: ack, seal and seal-milestone. `/ack` acknowledges incidents, or the end of a watch or run (policy ML-04).
 * `lost=` closes a run if its job cannot be found, `reject=` if its result does not count; both free the lane without a seal.
 */

import { z } from 'zod';
import { listClaimedActions } from '../domain/actions/action.ts';
import { permits } from '../domain/actor.ts';
import { filterIncidents, incidentDraft } from '../domain/incidents.ts';
import { lastFailure } from '../domain/launch/next-attempt.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { Acknowledgement } from '../domain/logbook/events/watch-events.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import { isBilled, isLive } from '../domain/logbook/job-state.ts';
import { findUnacknowledgedWatchEnd } from '../domain/logbook/ownership.ts';
import {
  type Ending,
  listIncidentsSinceAck,
  listUnacknowledgedIncidents,
  type RunState,
} from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/values.ts';
import {
  type AnswerDecision,
  answer,
  type CommandContext,
  type CommandDecision,
  type CommandDefinition,
  type NamedRunContext,
  NO_JOB,
} from './decision.ts';
import { reasonText, runWord } from './values.ts';

/** Becomes part of a tag. */
const milestoneName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'at most 40 lower-case letters, digits and dashes, and no blanks');

/** How long a claim or an unobserved job must last before a person can give up the run. */
export const GIVE_UP_PATIENCE_MS = 10 * 60 * 1_000;

export const ack = {
  name: 'ack',
  keys: {
    lost: { required: false, value: reasonText },
    reject: { required: false, value: reasonText },
    run: { required: false, value: runWord },
  },
  permission: (policy) => policy.permissions.ack,
  summary:
    'Confirms that you respond to an incident, or that you saw the end of a watch or a run. Closes a failed run; with `reject="…"` a run with a result that does not count; with `lost="…"` a run with a job that cannot be found. With `run=`, in any thread, responds for that run; close a run in its own thread.',
  example: '/ack',
  decide: decideAck,
  decideNamed: decideNamedAck,
} as const satisfies CommandDefinition;

type Drafts = readonly EventDraft[];

const ADOPTED_ENDED = 'somebody took note that the adopted job ended';

function decideAck(context: CommandContext): CommandDecision {
  const { state, args } = context;
  const lost = args['lost'];
  if (lost !== undefined && state.end === null) return giveUpLostJob(context, lost);
  const end = currentEnding(state);
  if (end === null || isBilled(state)) return acknowledge(state);
  if (isOlderThanEnd(context.comment, end))
    return listIncidentsSinceAck(state).length > 0
      ? acknowledge({ ...state, end: null })
      : answer('ack-before-end', { status: end.status });
  const { reject } = args;
  if (reject !== undefined && end.status !== 'FAILED') return rejectEnd(context, reject);
  if (end.status === 'FAILED' && listClaimedActions(state.actions).length > 0) return answer('close-under-way');
  if (end.status === 'FAILED') return { kind: 'close', outcome: 'failed', reason: end.message };
  // An adopted job has no launch to seal.
  if (isAdopted(state)) return { kind: 'close', outcome: 'unsealed', reason: `${ADOPTED_ENDED} ${end.status}` };
  return answer('acknowledged', { status: end.status });
}

/** Acknowledges incidents, or the end of the watch, of a run that continues. */
function acknowledge(state: RunState, drafts: Drafts = []): AnswerDecision {
  const { length: count } = state.end === null ? listIncidentsSinceAck(state) : listUnacknowledgedIncidents(state);
  if (findUnacknowledgedWatchEnd(state) !== null) return answer('watch-end-taken', { count }, drafts);
  const watched = state.submission === null ? { watched: 0 } : {};
  return count === 0
    ? answer('not-now', { status: 'the run has not ended' })
    : answer('incident-taken', { count, ...watched }, drafts);
}

/** Closing commands must be written in the run's own thread, where its record is visible. */
function decideNamedAck(context: NamedRunContext): AnswerDecision {
  const { state, args, actor, comment } = context;
  const end = currentEnding(state);
  const isClosing = args['lost'] !== undefined || args['reject'] !== undefined;
  const takenDrafts = (what: Acknowledgement): Drafts => [
    { type: 'taken', role: 'control', actor, data: { what, comment: comment.id, surface: comment.surface } },
  ];
  if (!isClosing && (end === null || isBilled(state)))
    return acknowledge(state, takenDrafts(findUnacknowledgedWatchEnd(state) === null ? 'incidents' : 'watch-end'));
  if (isClosing || end === null || end.status === 'FAILED' || isAdopted(state)) return answer('closes-in-its-thread');
  const said = { status: end.status };
  return answer('acknowledged', said, state.acknowledged === null ? takenDrafts('end') : []);
}

/** The run's end; without a next launch or open incidents, the last attempt's end. */
function currentEnding(state: RunState): Ending | null {
  if (state.end !== null) return state.end;
  return isLive(state) || listUnacknowledgedIncidents(state).length > 0 ? null : (lastFailure(state)?.end ?? null);
}

/** Whether the comment predates the end and so cannot refer to it. GitHub's times are whole seconds. */
function isOlderThanEnd({ createdAt }: CommandContext['comment'], { at }: Ending): boolean {
  const endedAt = fromRfc3339(at) ?? createdAt;
  return createdAt < endedAt - (endedAt % 1_000);
}

/** Requires the seal permission, because it is the opposite decision. */
function rejectEnd({ state, policy, permission }: CommandContext, reason: string): CommandDecision {
  if (!permits(permission, policy.permissions.seal))
    return answer('not-permitted', { needs: policy.permissions.seal, held: permission });
  if (listClaimedActions(state.actions).length > 0) return answer('close-under-way');
  return { kind: 'close', outcome: 'rejected', reason };
}

/** Requires the seal permission: the lane becomes free, and only a person can know that no job is left. */
function giveUpLostJob({ state, policy, permission, now }: CommandContext, reason: string): CommandDecision {
  if (!permits(permission, policy.permissions.seal))
    return answer('not-permitted', { needs: policy.permissions.seal, held: permission });
  if (listClaimedActions(state.actions).length > 0) return answer('close-under-way');
  const since = jobUnknownSinceMs(state);
  if (since === null) return answer('lost-not-lost', { minutes: 0 });
  const waitMs = since + GIVE_UP_PATIENCE_MS - now;
  return waitMs > 0
    ? answer('lost-not-lost', { minutes: Math.ceil(waitMs / 60_000) })
    : { kind: 'close', outcome: 'lost', reason };
}

/** The time (epoch ms) since which the job's state is unknown; null if it is known. */
function jobUnknownSinceMs(state: RunState): number | null {
  if (!isLive(state) || state.order === null || state.order.status === 'open') return null;
  const { submission, observation, order } = state;
  if (submission === null) return fromRfc3339(order.claim?.at ?? order.at);
  if (observation === null) return fromRfc3339(submission.at);
  return observation.status === 'UNKNOWN' ? fromRfc3339(submission.at) : null;
}

export const seal = {
  name: 'seal',
  keys: { accept: { required: false, value: reasonText } },
  permission: (policy) => policy.permissions.seal,
  summary: 'Verifies the ended run, tags the launch commit and opens the closure PR.',
  example: '/seal accept="stopped on purpose, metrics complete"',
  decide: decideSeal,
} as const satisfies CommandDefinition;

function decideSeal({ state, args, verdict, artefacts }: CommandContext): CommandDecision {
  if (state.end === null || isBilled(state)) return answer('not-now', { status: 'the run has not ended' });
  if (listClaimedActions(state.actions).length > 0) return answer('close-under-way');
  if (isAdopted(state)) return answer('seal-adopted');
  const accept = args['accept'] ?? null;
  const found = artefacts();
  // rule HR-64
  if (state.end.status === 'FAILED') return sealFailedRun(state, found !== null);
  if (found !== null && 'kind' in found) return found;
  // A success needs complete artefacts; an accepted end may lack some.
  // rule HR-49
  if (found !== null && found.missing.length > 0 && state.end.status === 'SUCCEEDED')
    return reportMissingArtefacts(state, found.missing.join('; '));
  const unproven = found?.unproven ?? [];
  if (unproven.length > 0 && accept === null) return reportMissingArtefacts(state, unproven.join('; '));
  const checkpoint = found?.checkpoint == null ? {} : { checkpoint: found.checkpoint };
  if (state.end.status === 'SUCCEEDED' && verdict === 'pass' && unproven.length === 0)
    return { kind: 'seal', verdict: 'pass', accept, ...checkpoint };
  if (accept === null) return answer('seal-needs-accept', { status: state.end.status, verdict });
  return { kind: 'seal', verdict: 'accepted', accept, ...checkpoint };
}

/** A run with checkpoints may continue, so a seal does not close it; `/ack` does. */
function sealFailedRun({ end }: RunState, hasCheckpoints: boolean): CommandDecision {
  return hasCheckpoints ? answer('seal-failed') : { kind: 'close', outcome: 'failed', reason: end?.message ?? '' };
}

/** Reports the same missing artefacts only once. */
function reportMissingArtefacts({ incidents }: RunState, missing: string): CommandDecision {
  const isTold = filterIncidents(incidents, 'artefacts-missing').some(({ detail }) => detail.message === missing);
  const drafts = isTold ? [] : [incidentDraft('control', 'artefacts-missing', { message: missing })];
  return answer('seal-incomplete', { missing }, drafts);
}

export const sealMilestone = {
  name: 'seal-milestone',
  keys: { name: { required: true, value: milestoneName } },
  permission: (policy) => policy.permissions.seal,
  summary:
    'Seals a milestone of a running hero run: tags the newest complete checkpoint of its lineage, which is then never deleted.',
  example: '/seal-milestone name="cooldown-begins"',
  decide: decideSealMilestone,
} as const satisfies CommandDefinition;

const WELL = ['RUNNING', 'PENDING', 'SUCCEEDED'];

function decideSealMilestone({ state, args, artefacts }: CommandContext): CommandDecision {
  const { name = '' } = args;
  if (state.submission === null) return NO_JOB;
  const taken = state.milestones.find((one) => one.name === name);
  if (taken !== undefined) return answer('milestone-taken', { name, step: taken.checkpoint.step });
  const status = state.end?.status ?? state.observation?.status ?? 'PENDING';
  if (!WELL.includes(status)) return answer('not-now', { status });
  const found = artefacts();
  if (found === null) return answer('not-now', { status: 'runs of this kind have no milestones' });
  if ('kind' in found) return found;
  const missing = [...found.missing, ...(found.checkpoint === null && found.missing.length === 0 ? found.unseen : [])];
  if (missing.length > 0 || found.checkpoint === null)
    return answer('milestone-missing', { missing: missing.join('; ') });
  return { kind: 'milestone', name, checkpoint: found.checkpoint };
}
