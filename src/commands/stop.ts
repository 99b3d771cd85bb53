/** `/stop`: stops the job, or cancels the order before the launch. */

import { incidentsWith } from '../domain/incidents.ts';
import { approvalsBeforehand, mayBeRelaunched } from '../domain/launch/response.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { standingApprovals } from '../domain/logbook/run-state.ts';
import { type AnswerDecision, answering, type NamedContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { mayDirect, withoutJob } from './direct-watch.ts';
import { runWord } from './values.ts';

const answerStop = answering({
  'stop-requested': { by: 'text', missingCluster: 'text?', run: 'text?' },
  'stop-before-launch': { by: 'text', run: 'text?' },
});

export const stop = {
  name: 'stop',
  answers: answerStop.vocabulary,
  keys: { run: { required: false, value: runWord } },
  who: (policy) => policy.permissions.stop,
  summary:
    'Stops the job, or takes back a launch that was ordered and has not happened; with `run=`, in any thread, that of the run of this name.',
  example: '/stop',
  holdsBack: true,
  decide: decideStop,
  decideNamed: decideStop,
} as const satisfies CommandDefinition;

/** The launcher read the stop before control did and refused the order. */
function wasHeldBack({ order, incidents }: NamedContext['state']): boolean {
  return incidentsWith(incidents, 'runner-refused').some(
    ({ role, detail }) =>
      role === 'runner' && detail.reason === 'stop-requested' && detail.orderDigest === order?.digest,
  );
}

/** The record of a request to stop the job. */
export function stopDraft({ actor, comment: { id, surface } }: NamedContext): EventDraft {
  return { type: 'stop-requested', role: 'control', actor, data: { comment: id, surface } };
}

function decideStop(context: NamedContext): AnswerDecision {
  const { state, missingCluster, actor, args } = context;
  const named = args['run'] === undefined ? {} : { run: state.run };
  if (state.end !== null && !mayBeRelaunched(state))
    return answerStop('not-now', { status: state.end.status, ...named });
  // An adopted job may be stopped only by its owner or an approver.
  const notTheirs = isAdopted(state) ? mayDirect(context) : null;
  if (notTheirs !== null) return notTheirs;
  const missing = { ...named, ...(missingCluster === null ? {} : { missingCluster }) };
  if (state.stop !== null) return answerStop('stop-requested', { by: state.stop.actor.login, ...missing });
  const isOrdered = state.order?.status === 'open' || state.order?.status === 'claimed';
  // A concurrent approval may not have been ordered yet.
  const isApproved = standingApprovals(state).length > 0 || approvalsBeforehand(state).length > 0;
  const isStanding = isOrdered || isApproved || wasHeldBack(state);
  if (state.submission === null && !isStanding)
    return answerStop('not-now', { status: withoutJob(state) ?? '', ...named });
  const draft = stopDraft(context);
  // No job runs: the first attempt, or another one, would follow or is ordered.
  return state.submission === null || state.end !== null
    ? answerStop('stop-before-launch', { by: actor.login, ...named }, [draft])
    : answerStop('stop-requested', { by: actor.login, ...missing }, [draft]);
}
