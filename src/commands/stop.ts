/** `/stop`: the job is stopped within a minute; before the launch it takes back the order. */

import { permits } from '../domain/actor.ts';
import { incidentsWith } from '../domain/incidents.ts';
import { approvalsBeforehand, mayBeRelaunched } from '../domain/launch/response.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import { standingApprovals } from '../domain/logbook/run-state.ts';
import { type AnswerDecision, answering, type NamedContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { mayDirect, withoutJob } from './direct-watch.ts';
import { runWord } from './values.ts';

const answer = answering({
  'stop-requested': { by: 'text', missingCluster: 'text?', run: 'text?' },
  'stop-before-launch': { by: 'text', missingCluster: 'text?', run: 'text?' },
  'stop-before-restart': { by: 'text', missingCluster: 'text?', run: 'text?' },
  'stop-not-running': { status: 'text', run: 'text?' },
});

export const stop = {
  name: 'stop',
  answers: answer.vocabulary,
  keys: { run: { required: false, value: runWord } },
  who: (policy) => policy.permissions.stop,
  summary:
    'Stops the job, or takes back a launch that was ordered and has not happened; with `run=`, in any thread, that of the run of this name.',
  example: '/stop',
  holdsBack: true,
  decide,
  decideNamed: decide,
} as const satisfies CommandDefinition;

/** A launcher was quicker than control: it met the stop in the thread, and the order ended with its refusal. */
function wasHeldBack({ order, incidents }: NamedContext['state']): boolean {
  return incidentsWith(incidents, 'runner-refused').some(
    ({ role, detail }) =>
      role === 'runner' && detail.reason === 'stop-requested' && detail.orderDigest === order?.digest,
  );
}

function decide(context: NamedContext): AnswerDecision {
  const { state, missingCluster, policy, permission, actor, comment, args } = context;
  const named = args['run'] === undefined ? {} : { run: state.run };
  if (!permits(permission, policy.permissions.stop))
    return answer('not-permitted', { needs: policy.permissions.stop });
  if (state.end !== null && !mayBeRelaunched(state))
    return answer('stop-not-running', { status: state.end.status, ...named });
  // Nobody here has launched it: that it ends is for who answers for it.
  const notTheirs = isAdopted(state) ? mayDirect(context) : null;
  if (notTheirs !== null) return notTheirs;
  const missing = { ...named, ...(missingCluster === null ? {} : { missingCluster }) };
  if (state.stop !== null) return answer('stop-requested', { by: state.stop.actor.login, ...missing });
  const isOrdered = state.order?.status === 'open' || state.order?.status === 'claimed';
  // An approval of the same moment may not have been ordered yet: a stop after it stops that launch.
  const isApproved = standingApprovals(state).length > 0 || approvalsBeforehand(state).length > 0;
  const isStanding = isOrdered || isApproved || wasHeldBack(state);
  if (state.submission === null && !isStanding)
    return answer('stop-not-running', { status: withoutJob(state) ?? '', ...named });
  const draft = {
    type: 'stop-requested',
    role: 'control',
    actor,
    data: { comment: comment.id, surface: comment.surface },
  } as const;
  // The job is over, and another attempt would follow it, or is ordered.
  const isBetween = state.submission === null ? state.attempts.length > 0 : state.end !== null;
  const ofJob = state.submission === null ? 'stop-before-launch' : 'stop-requested';
  return answer(isBetween ? 'stop-before-restart' : ofJob, { by: actor.login, ...missing }, [draft]);
}
