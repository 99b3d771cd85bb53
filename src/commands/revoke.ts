/**
 * Takes back approvals while something may still start on them (architecture, D4). People with the revoke permission take back all of them
 * if they gave none, or if the others' approvals would still suffice.
 */

import { permits } from '../domain/actor.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { mayStartAgain, restingOn } from '../domain/launch/response.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type AnswerDecision, answering, type NamedContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropOf } from './drop-of.ts';
import { runWord } from './values.ts';

const answerRevoke = answering({
  revoked: { digest: 'text', count: 'integer', attempt: 'integer?', run: 'text?' },
  'revoke-nothing': { run: 'text?' },
});

export const revoke = {
  name: 'revoke',
  answers: answerRevoke.vocabulary,
  keys: { run: { required: false, value: runWord } },
  // Approvers can revoke even after losing their permission.
  who: () => null,
  summary:
    "Takes back your approval (a maintainer: everybody's), and the order that rests on it. With `run=`, in any thread, of the run of this name.",
  example: '/revoke',
  holdsBack: true,
  confusedWith: ['unapprove', 'disapprove', 'withdraw'],
  decide: decideRevoke,
  decideNamed: decideRevoke,
} as const satisfies CommandDefinition;

function decideRevoke({ state, actor, permission, policy, args }: NamedContext): AnswerDecision {
  const named = args['run'] === undefined ? {} : { run: state.run };
  const isAgain = !isBeforeLaunch(state) && mayStartAgain(state);
  if (isStarted(state) && !isAgain)
    return answerRevoke('too-late', { jobId: state.submission?.jobId ?? '', ...named });
  const standing = restingOn(state);
  const own = standing.filter((approval) => approval.actor.id === actor.id);
  // The remaining approvals would suffice for a launch, so they are dropped too.
  const isAll =
    permits(permission, policy.permissions.revoke) &&
    (own.length === 0 || standing.length - own.length >= policy.quorum);
  const drop = dropOf(isAll ? standing : own, 'revoked');
  if (drop === null) return answerRevoke('revoke-nothing', named);
  const facts = { digest: drop.data.digest.slice(7, 19), count: drop.data.users.length, ...named };
  return answerRevoke('revoked', isAgain ? { ...facts, attempt: state.submission?.attempt ?? 1 } : facts, [
    drop,
  ]);
}

/** A claimed order may already be submitting; `/stop` ends that job. */
function isStarted(state: RunState): boolean {
  return !isBeforeLaunch(state) || state.order?.status === 'claimed';
}
