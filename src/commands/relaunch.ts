/**
 * Requests a relaunch of a failed job. Within the approved restarts it needs the stop permission; beyond them it counts as an approval and
 * must name the digest.
 */

import { bindingHex, namingOf } from '../domain/approval-binding.ts';
import { INCIDENTS } from '../domain/incidents.ts';
import { isFixGated, pastAttempt } from '../domain/launch/next-attempt.ts';
import { restartsLeft } from '../domain/launch/relaunch.ts';
import { approvalsSinceEnd, askedFor, barByHand, mayBeRelaunched } from '../domain/launch/response.ts';
import { whyUnknown } from '../domain/launch/verdict.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { PastAttempt } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { approvedDraft, isOwnWork, unlessApprover } from './approving.ts';
import { answering, type CommandContext, type CommandDecision, NOT_ON_A_LINE } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { withoutJob } from './direct-watch.ts';
import { secondCardRefusal } from './second-card.ts';
import { digestPrefix, reasonText } from './values.ts';

const answerRelaunch = answering({
  'relaunch-asked': { attempt: 'integer', left: 'integer', missing: 'integer?' },
  'relaunch-fix': { attempt: 'integer' },
  'relaunch-never': INCIDENTS['relaunch-refused'],
  'relaunch-adopted': {},
});

export const relaunch = {
  name: 'relaunch',
  answers: answerRelaunch.vocabulary,
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: { reason: { required: false, value: reasonText } },
  who: (policy) => policy.permissions.stop,
  summary:
    'Has a job that failed started again as it was approved. Beyond the restarts that were approved it takes who may approve, and the digest.',
  example: '/relaunch reason="the cluster is back"',
  confusedWith: ['restart', 'retry', 'rerun', 'resume'],
  decide: decideRelaunch,
} as const satisfies CommandDefinition;

function decideRelaunch(context: CommandContext): CommandDecision {
  const { state, comment } = context;
  const last = pastAttempt(state);
  if (last === null || last.end.status === 'SUCCEEDED' || state.stop !== null)
    return answerRelaunch('not-now', {
      status: state.stop === null ? statusOf(context) : 'stopped for good',
    });
  if (comment.surface === 'review-comment') return NOT_ON_A_LINE;
  const { attempt } = last.submission;
  if (isAdopted(last)) return answerRelaunch('relaunch-adopted');
  if (isFixGated(state)) return answerRelaunch('relaunch-fix', { attempt });
  const bar = barByHand(state, last);
  if (bar !== null) return answerRelaunch('relaunch-never', { attempt, ...bar });
  const left = restartsLeft(state);
  // Beyond the approved restarts, a repeated command is one more approval.
  if (mayBeRelaunched(state) && (left > 0 || askedFor(state) === null))
    return answerRelaunch('not-now', { status: `attempt ${attempt + 1} is about to follow by itself` });
  return left > 0 ? answerRelaunch('relaunch-asked', { attempt: attempt + 1, left }) : beyond(context, last);
}

function statusOf({ state }: CommandContext): string {
  return state.end?.status ?? withoutJob(state) ?? 'the job has not ended';
}

/** The same rules as for the first approval. */
function beyond(context: CommandContext, last: PastAttempt): CommandDecision {
  const { state, policy, actor, args } = context;
  const refused = unlessApprover(context);
  if (refused !== null) return refused;
  if (context.unread.length > 0) return need(...context.unread);
  const authors = context.gates?.verdicts.find(({ gate }) => gate === 'authors-known');
  if (authors?.outcome === 'unknown')
    return answerRelaunch('permission-unknown', { why: whyUnknown(authors) });
  if (isOwnWork(context)) return answerRelaunch('approval-by-author');
  const { digest } = last.order.order;
  const { gate } = state;
  const restarts = last.order.manifest?.envelope.restarts ?? 0;
  if (gate === null || gate.digest !== digest || namingOf(args['digest'], digest) !== 'named')
    return answerRelaunch('approval-line-needed', {
      why: 'restarts-used',
      about: String(restarts),
      lines: `relaunch ${bindingHex(digest)}`,
    });
  const second = secondCardRefusal(context, digest);
  if (second !== null) return second;
  const others = approvalsSinceEnd(state, last).filter((given) => given.actor.id !== actor.id);
  const people = new Set(others.map((given) => given.actor.id)).size + 1;
  const facts = { attempt: last.submission.attempt + 1, left: 0 };
  const missing = policy.quorum - people;
  return answerRelaunch('relaunch-asked', missing > 0 ? { ...facts, missing } : facts, [
    approvedDraft(context, digest, gate.body),
  ]);
}
