/** `/accept`: exactly the person to whom the watch was offered takes it; incidents mention them from then on. */

import { permits } from '../domain/actor.ts';
import { openOffer } from '../domain/logbook/ownership.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { watchedIn } from './direct-watch.ts';

const answer = answering({
  accepted: { from: 'text?' },
  'accept-nothing': {},
  'accept-not-yours': { login: 'text' },
  'accept-too-late': { until: 'text' },
});

export const accept = {
  name: 'accept',
  answers: answer.vocabulary,
  keys: {},
  who: (policy) => policy.permissions.watch,
  summary: 'Takes the watch of a job that `/handoff` has offered to you.',
  example: '/accept',
  decide,
} as const satisfies CommandDefinition;

function decide(context: CommandContext): CommandDecision {
  const { permission, policy, actor, comment } = context;
  if (!permits(permission, policy.permissions.watch))
    return answer('not-permitted', { needs: policy.permissions.watch });
  const watched = watchedIn(context);
  if ('kind' in watched) return watched;
  const { offer } = watched.watch;
  if (offer === null || offer.state === 'accepted') return answer('accept-nothing');
  const { to, until, by } = offer;
  if (to.id !== actor.id) return answer('accept-not-yours', { login: to.login });
  // What was said in time counts, however late it is read.
  if (openOffer(watched, comment.createdAt) === null) return answer('accept-too-late', { until });
  return answer('accepted', by === null ? {} : { from: by.login }, [
    { type: 'handoff', role: 'control', actor, data: { state: 'accepted', to, until } },
  ]);
}
