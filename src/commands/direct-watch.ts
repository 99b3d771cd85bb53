/** Checks shared by commands about a watch. */

import { mayApprove } from '../config/approvers.ts';
import { permits } from '../domain/actor.ts';
import { ownerOf } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { unlessApprover } from './approving.ts';
import { type AnswerDecision, answerCommon, type CommandContext, type PlaceContext } from './decision.ts';

export type Running = RunState & { readonly submission: NonNullable<RunState['submission']> };

/** The watched run, or the reason why this person cannot direct its watch. */
export function directed(context: CommandContext): Running | AnswerDecision {
  const watched = watchedIn(context);
  return 'kind' in watched ? watched : (mayDirect(context) ?? watched);
}

/** Null if the person may direct the watch. */
export function mayDirect({
  state,
  permission,
  policy,
  actor,
}: Pick<CommandContext, 'state' | 'permission' | 'policy' | 'actor'>): AnswerDecision | null {
  const owner = ownerOf(state);
  if (owner?.id === actor.id || mayApprove(permission, actor.id, policy.approvals)) return null;
  return answerCommon('watch-not-yours', owner === null ? {} : { owner: owner.login });
}

/** The refusal of a person who may not adopt another person's job; null for one who may. */
export function unlessAdopter({
  permission,
  policy,
  actor,
}: Pick<PlaceContext, 'permission' | 'policy' | 'actor'>): AnswerDecision | null {
  const { adopt } = policy.permissions;
  if (adopt === null) return unlessApprover({ permission, policy, actor });
  return permits(permission, adopt) ? null : answerCommon('not-permitted', { needs: adopt });
}

/** The run if its job is running and watched. */
export function watchedIn(context: CommandContext): Running | AnswerDecision {
  const run = running(context);
  if ('kind' in run || run.watch.ended === null) return run;
  return answerCommon('not-now', { status: 'the watch has ended before' });
}

/** Why the run has no job now, or null. */
export function withoutJob({ submission, attempts, order }: RunState): string | null {
  if (submission !== null) return null;
  if (attempts.length === 0) return 'not launched';
  return order?.status === 'open' || order?.status === 'claimed'
    ? 'another attempt is being launched'
    : 'the next attempt was not launched';
}

/** The run if its job is running. */
export function running({ state }: CommandContext): Running | AnswerDecision {
  const { submission, end } = state;
  if (submission === null) return answerCommon('not-now', { status: withoutJob(state) ?? '' });
  return end === null ? { ...state, submission } : answerCommon('not-now', { status: end.status });
}
