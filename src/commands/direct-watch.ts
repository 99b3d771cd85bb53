/** Who says how a watch goes on: whose it is, and who may approve launches. */

import { mayApprove } from '../config/may-approve.ts';
import { permits } from '../domain/actor.ts';
import { ownerOf } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type AnswerDecision, answerCommon, type CommandContext } from './decision.ts';

/** A run whose job runs and is watched. */
export type Watched = RunState & { readonly submission: NonNullable<RunState['submission']> };

/** The run, for somebody who may say how its watch goes on; else the answer that says why not. */
export function directed(context: CommandContext): Watched | AnswerDecision {
  const { permission, policy, actor } = context;
  if (!permits(permission, policy.permissions.watch))
    return answerCommon('not-permitted', { needs: policy.permissions.watch });
  const watched = watchedIn(context);
  if ('kind' in watched) return watched;
  const owner = ownerOf(watched);
  const approvers = { permission: policy.approvePermission, users: policy.approveUsers };
  if (owner?.id !== actor.id && !mayApprove(permission, actor.id, approvers))
    return answerCommon('watch-not-yours', owner === null ? {} : { owner: owner.login });
  return watched;
}

/** The run, where its job runs and is watched. */
export function watchedIn({ state }: CommandContext): Watched | AnswerDecision {
  const { submission, end, watch } = state;
  if (submission === null) return answerCommon('watch-none', { status: 'not launched' });
  if (end !== null) return answerCommon('watch-none', { status: end.status });
  return watch.ended === null
    ? { ...state, submission }
    : answerCommon('watch-none', { status: 'the watch has ended before' });
}
