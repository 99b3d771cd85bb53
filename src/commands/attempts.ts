/**
 * Commands for attempts and checkpoints: relaunch, rollback, reject-checkpoint, resume-as and cleanup-checkpoints. Within the approved
 * restarts, `/relaunch` needs the stop permission; beyond them it counts as an approval and must name the digest.
 */

import { z } from 'zod';
import { chooseNamedCheckpoint } from '../checkpoints/choose.ts';
import { listClaimedActions } from '../domain/actions/action.ts';
import { permits } from '../domain/actor.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { contractDri } from '../domain/launch/contract.ts';
import {
  activeRollback,
  endedAttemptWithoutSuccessor,
  furthestStep,
  isFixEvaluated,
  lastEnded,
  restartsFor,
  restartsLeft,
} from '../domain/launch/next-attempt.ts';
import { compareDigest } from '../domain/launch/order.ts';
import { canBeRelaunched, findManualBar, newApprovals, pendingRelaunchRequest } from '../domain/launch/response.ts';
import { unknownReason } from '../domain/launch/verdict.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import { isBilled } from '../domain/logbook/job-state.ts';
import { isOver, type PastAttempt, type RunState } from '../domain/logbook/run-state.ts';
import { request } from '../domain/reconcile-request.ts';
import { assertNever, shortDigestHex } from '../domain/values.ts';
import { approvedDraft, approverNeeds, checkApprover, isOwnWork, refuseSecondCard } from './approving.ts';
import {
  answer,
  type CommandContext,
  type CommandDecision,
  type CommandDefinition,
  NO_JOB,
  NOT_ON_A_LINE,
} from './decision.ts';
import { contractText, digestPrefix, reasonText, runWord, stepNumber } from './values.ts';
import { explainNoJob } from './watching.ts';

/** 0 is the start of training. */
const stepBack = z.string().regex(/^(?:0|[1-9]\d{0,8})$/, 'a step, in digits');

const keptSteps = z.string().regex(/^[1-9]\d{0,3}$/, 'how many of the newest steps stay, 1 to 9999');

export const relaunch = {
  name: 'relaunch',
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: { reason: { required: false, value: reasonText } },
  permission: (policy) => policy.permissions.stop,
  summary:
    'Has a job that failed started again as it was approved. Beyond the restarts that were approved it takes who may approve, and the digest.',
  example: '/relaunch reason="the cluster is back"',
  confusedWith: ['restart', 'retry', 'rerun', 'resume'],
  decide: decideRelaunch,
} as const satisfies CommandDefinition;

function decideRelaunch(context: CommandContext): CommandDecision {
  const { state, comment } = context;
  const last = lastEnded(state);
  if (last === null || last.end.status === 'SUCCEEDED' || state.stop !== null)
    return answer('not-now', { status: state.stop === null ? describeStatus(context) : 'stopped for good' });
  if (comment.surface === 'review-comment') return NOT_ON_A_LINE;
  const { attempt } = last.submission;
  if (isAdopted(last)) return answer('relaunch-adopted');
  if (isFixEvaluated(state)) return answer('relaunch-fix', { attempt });
  const bar = findManualBar(state, last);
  if (bar !== null) return answer('relaunch-never', { attempt, ...bar });
  const left = restartsLeft(state);
  // Beyond the approved restarts, a repeated command is one more approval.
  if (canBeRelaunched(state) && (left > 0 || pendingRelaunchRequest(state) === null))
    return answer('not-now', { status: `attempt ${attempt + 1} is about to follow by itself` });
  return left > 0 ? answer('relaunch-asked', { attempt: attempt + 1, left }) : relaunchBeyondEnvelope(context, last);
}

function describeStatus({ state }: CommandContext): string {
  return state.end?.status ?? explainNoJob(state) ?? 'the job has not ended';
}

/** The same rules as for the first approval. */
function relaunchBeyondEnvelope(context: CommandContext, last: PastAttempt): CommandDecision {
  const { state, quorum, actor, args } = context;
  const refused = checkApprover(context);
  if (refused !== null) return refused;
  if (context.unread.length > 0) return request(...context.unread);
  const authors = context.gates?.verdicts.find(({ gate }) => gate === 'authors-known');
  if (authors?.outcome === 'unknown') return answer('permission-unknown', { why: unknownReason(authors) });
  if (isOwnWork(context)) return answer('approval-by-author');
  const { digest } = last.order.order;
  const { gate } = state;
  if (gate === null || gate.digest !== digest || compareDigest(args['digest'], digest) !== 'named')
    return answer('approval-line-needed', {
      why: 'restarts-used',
      about: String(restartsFor(last)),
      lines: `relaunch ${shortDigestHex(digest)}`,
    });
  const second = refuseSecondCard(context, digest);
  if (second !== null) return second;
  const others = newApprovals(state, last).filter((given) => given.actor.id !== actor.id);
  const people = new Set(others.map((given) => given.actor.id)).size + 1;
  const facts = { attempt: last.submission.attempt + 1, left: 0 };
  const missing = quorum - people;
  return answer('relaunch-asked', missing > 0 ? { ...facts, missing } : facts, [
    approvedDraft(context, digest, gate.body),
  ]);
}

export const rollback = {
  name: 'rollback',
  keys: { step: { required: true, value: stepBack }, reason: { required: true, value: reasonText } },
  permission: approverNeeds,
  summary:
    'After a failed attempt, restarts from an earlier checkpoint, or from the beginning with `step=0`. Later checkpoints are not used. The card shows the new manifest, which needs a new approval.',
  example: '/rollback step=1200 reason="the loss had diverged after it"',
  confusedWith: ['revert', 'goback', 'reset'],
  decide: decideRollback,
} as const satisfies CommandDefinition;

function decideRollback(context: CommandContext): CommandDecision {
  const { state, actor, comment, args } = context;
  const refused = checkApprover(context);
  if (refused !== null) return refused;
  const status = findRelaunchObstacle(state);
  if (status !== null) return answer('rollback-not-now', { status });
  const before = activeRollback(state);
  const step = Number(args['step']);
  if (before !== null && (before.checkpoint?.step ?? 0) === step)
    return answer('reject-already', { step, by: before.actor.login });
  const search = context.search();
  if (search === null) return answer('rollback-unseen');
  if ('kind' in search) return search;
  const { reason = '' } = args;
  const asked = step === 0 ? null : chooseNamedCheckpoint(search, { step });
  if (asked?.kind === 'refused') {
    const dri = contractDri(state.contract) ?? '';
    return answer('rollback-refused', { step, why: asked.code }, [
      incidentDraft('control', 'start-refused', { why: asked.code, path: `step ${step}`, dri, asked: 'rollback' }),
    ]);
  }
  const path = asked?.checkpoint.stored.path;
  const data = { step: step + 1, reason, comment: comment.id, surface: comment.surface };
  return answer('rolled-back', { step, reason, ...(path === undefined ? {} : { path }) }, [
    { type: 'checkpoint-rejected', role: 'control', actor, data },
  ]);
}

/** Null if the newest attempt failed and no job followed yet. */
function findRelaunchObstacle(state: RunState): string | null {
  if (isOver(state)) return 'it is over';
  if (state.stop !== null) return 'stopped for good';
  const last = endedAttemptWithoutSuccessor(state);
  if (last === null) return explainNoJob(state) ?? 'the job has not ended';
  return last.end.status === 'FAILED' ? null : last.end.status;
}

export const rejectCheckpoint = {
  name: 'reject-checkpoint',
  keys: { step: { required: true, value: stepNumber }, reason: { required: true, value: reasonText } },
  permission: approverNeeds,
  summary:
    'Rejects the checkpoints from this step on that the attempts so far have written: no attempt resumes from them.',
  example: '/reject-checkpoint step=1200 reason="the loss had diverged by then"',
  decide: decideRejectCheckpoint,
} as const satisfies CommandDefinition;

function decideRejectCheckpoint(context: CommandContext): CommandDecision {
  const { state, actor, comment, args } = context;
  const refused = checkApprover(context);
  if (refused !== null) return refused;
  const step = Number(args['step']);
  const { reason = '' } = args;
  if (state.submission === null && state.attempts.length === 0) return NO_JOB;
  const { attempts, observation, end } = state;
  const reached = furthestStep([...attempts, { observation, end }]);
  if (reached !== null && step > reached) return answer('reject-not-reached', { step, reached });
  const begun = state.order?.claim?.at ?? '';
  // A rejection after the newest attempt's start covers all earlier checkpoints; a later attempt needs a new one.
  const earlier = state.rejections.find((one) => one.step <= step && one.at >= begun);
  if (earlier !== undefined) return answer('reject-already', { step: earlier.step, by: earlier.actor.login });
  const data = { step, reason, comment: comment.id, surface: comment.surface };
  return answer('checkpoint-rejected', { step, reason }, [
    { type: 'checkpoint-rejected', role: 'control', actor, data },
  ]);
}

export const resumeAs = {
  name: 'resume-as',
  keys: {
    id: { required: true, value: runWord },
    from: { required: true, value: contractText },
    root: { required: false, value: contractText },
    reason: { required: true, value: reasonText },
  },
  permission: (policy) => policy.permissions.ack,
  summary:
    'After the end of an attempt: closes the run and continues as another run with this name and tracker id, from a checkpoint of the old run (its path, or a root for its newest one), in another output root. The new run has its own card and needs its own approval.',
  example:
    '/resume-as id=grug-moe-1e23-b from=gs://lab/grug/checkpoints/step-1200 root=gs://lab/grug-b reason="the router was fixed"',
  confusedWith: ['resume', 'fork', 'continue-as'],
  decide: decideResumeAs,
  decideWithoutRun: () => ({ kind: 'hand-over' }),
} as const satisfies CommandDefinition;

/**
 * Needs the permission of `/ack` or `/ack reject`, because it closes the run. Another person approves the new run. Refused during a hold,
 * which would not apply to the new run.
 */
function decideResumeAs({ state, policy: { permissions }, permission }: CommandContext): CommandDecision {
  const needs = permissions[(state.end?.status ?? 'FAILED') === 'FAILED' ? 'ack' : 'seal'];
  if (!permits(permission, needs)) return answer('not-permitted', { needs, held: permission });
  if (isBilled(state)) return answer('not-now', { status: 'the job has not ended' });
  if (state.holds.length > 0) return answer('not-now', { status: 'it is on hold' });
  return { kind: 'hand-over' };
}

export const cleanupCheckpoints = {
  name: 'cleanup-checkpoints',
  keys: { keep: { required: false, value: keptSteps } },
  permission: () => 'write',
  summary:
    'Lists the checkpoints of the run that nothing protects, with their sizes, and why the others are protected. It deletes nothing: another person approves exactly that list.',
  example: '/cleanup-checkpoints keep=20',
  decide: decideCleanupCheckpoints,
} as const satisfies CommandDefinition;

function decideCleanupCheckpoints({ state, args, cleanup }: CommandContext): CommandDecision {
  if (state.submission === null && state.attempts.length === 0) return NO_JOB;
  if (listClaimedActions(state.actions).length > 0) return answer('close-under-way');
  const found = cleanup(args['keep'] === undefined ? null : Number(args['keep']));
  switch (found.kind) {
    case 'need':
      return found;
    case 'no-depth':
      return answer('cleanup-no-depth');
    case 'unreadable':
      return answer('cleanup-unreadable', { why: found.why });
    case 'nothing':
      return answer('cleanup-nothing', { kept: found.kept });
    case 'open':
      return answer('cleanup-listed-already', { digest: shortDigestHex(found.record.digest) });
    case 'list': {
      const { draft, more, kept } = found;
      return answer('cleanup-listed', { count: draft.data.proposal.steps.length, more, kept }, [draft]);
    }
    default:
      return assertNever(found);
  }
}
