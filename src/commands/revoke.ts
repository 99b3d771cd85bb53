/**
 * `/revoke`: a person takes back their own approval, as long as something may be started on it, also once more (architecture, D4);
 * who gave none and may, takes back everybody's, and so does who may where the others' would be enough for a launch.
 */

import { permits } from '../domain/actor.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { mayStartAgain, restingOn } from '../domain/launch/response.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type AnswerDecision, answering, type NamedContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropOf } from './drop-of.ts';
import { runWord } from './values.ts';

const answer = answering({
  revoked: { digest: 'text', count: 'integer', attempt: 'integer?', run: 'text?' },
  'revoke-nothing': { run: 'text?' },
  'revoke-too-late': { jobId: 'text?', run: 'text?' },
});

export const revoke = {
  name: 'revoke',
  answers: answer.vocabulary,
  keys: { run: { required: false, value: runWord } },
  // Whoever gave an approval may take it back, also after they lost the right to give one.
  who: () => null,
  summary:
    "Takes back your approval (a maintainer: everybody's), and the order that rests on it. With `run=`, in any thread, of the run of this name.",
  example: '/revoke',
  holdsBack: true,
  confusedWith: ['unapprove', 'disapprove', 'withdraw'],
  decide,
  decideNamed: decide,
} as const satisfies CommandDefinition;

function decide({ state, actor, permission, policy, args }: NamedContext): AnswerDecision {
  const named = args['run'] === undefined ? {} : { run: state.run };
  const isAgain = !isBeforeLaunch(state) && mayStartAgain(state);
  if (isStarted(state) && !isAgain)
    return answer('revoke-too-late', { jobId: state.submission?.jobId ?? '', ...named });
  const standing = restingOn(state);
  const own = standing.filter((approval) => approval.actor.id === actor.id);
  // It holds the launch back: where the approvals of the others are enough for one, they fall too.
  const isAll =
    permits(permission, policy.permissions.revoke) &&
    (own.length === 0 || standing.length - own.length >= policy.quorum);
  const drop = dropOf(isAll ? standing : own, 'revoked');
  if (drop === null) return answer('revoke-nothing', named);
  const facts = { digest: drop.data.digest.slice(7, 19), count: drop.data.users.length, ...named };
  return answer('revoked', isAgain ? { ...facts, attempt: state.submission?.attempt ?? 1 } : facts, [drop]);
}

/** From the claim on the runner may be submitting: what it started is ended by `/stop`. */
function isStarted(state: RunState): boolean {
  return !isBeforeLaunch(state) || state.order?.status === 'claimed';
}
