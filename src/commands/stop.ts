/** `/stop`: stops the job, or cancels the order before the launch. */

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

/** The launcher read the stop before control did and refused the order. */
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
  // An adopted job may be stopped only by its owner or an approver.
  const notTheirs = isAdopted(state) ? mayDirect(context) : null;
  if (notTheirs !== null) return notTheirs;
  const missing = { ...named, ...(missingCluster === null ? {} : { missingCluster }) };
  if (state.stop !== null) return answer('stop-requested', { by: state.stop.actor.login, ...missing });
  const isOrdered = state.order?.status === 'open' || state.order?.status === 'claimed';
  // A concurrent approval may not have been ordered yet.
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
  // The job ended, and another attempt would follow or is ordered.
  const isBetween = state.submission === null ? state.attempts.length > 0 : state.end !== null;
  const ofJob = state.submission === null ? 'stop-before-launch' : 'stop-requested';
  return answer(isBetween ? 'stop-before-restart' : ofJob, { by: actor.login, ...missing }, [draft]);
}
