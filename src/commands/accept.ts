/** `/accept`: takes an offered watch, a run as its DRI, or a job to adopt. */

import { isSameLogin, personInCharge } from '../domain/launch/contract.ts';
import { awaitsAdoption } from '../domain/logbook/adoption.ts';
import { openOffer } from '../domain/logbook/ownership.ts';
import { fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { unlessAdopter, watchedIn } from './direct-watch.ts';

const answerAccept = answering({
  accepted: { from: 'text?' },
  'accept-not-yours': { login: 'text' },
  'accept-too-late': { until: 'text' },
  'job-adopted': {},
  'job-not-told': {},
  'job-told-otherwise': {},
});

export const accept = {
  name: 'accept',
  answers: answerAccept.vocabulary,
  keys: {},
  who: (policy) => policy.permissions.watch,
  summary:
    'Takes the watch of a job that `/handoff` has offered to you, the charge of a run whose contract names you, or the job that `/watch` has asked the cluster about.',
  example: '/accept',
  decide: decideAccept,
} as const satisfies CommandDefinition;

function decideAccept(context: CommandContext): CommandDecision {
  const { actor, comment } = context;
  if (awaitsAdoption(context.state)) return takeOver(context);
  const dri = context.state.attempts.length === 0 ? personInCharge(context.state.contract) : null;
  if (context.state.submission === null && dri !== null) return inCharge(context, dri);
  const watched = watchedIn(context);
  if ('kind' in watched) return watched;
  const { offer } = watched.watch;
  if (offer === null || offer.state === 'accepted')
    return answerAccept('not-now', { status: 'the watch of this run is offered to nobody' });
  const { to, until, by } = offer;
  if (to.id !== actor.id) return answerAccept('accept-not-yours', { login: to.login });
  // Uses the comment's time, not the time of processing.
  if (openOffer(watched, comment.createdAt) === null) return answerAccept('accept-too-late', { until });
  return answerAccept('accepted', by === null ? {} : { from: by.login }, [
    { type: 'handoff', role: 'control', actor, data: { state: 'accepted', to, until } },
  ]);
}

/** The comment must be newer than the description, whose posted text must be unchanged. */
function takeOver(context: CommandContext): CommandDecision {
  const { state, actor, comment } = context;
  const refused = unlessAdopter(context);
  if (refused !== null) return refused;
  const { description } = state;
  const toldAt = description?.found === 'described' ? fromRfc3339(description.at) : null;
  if (description === null || toldAt === null || comment.createdAt < toldAt - SECOND_MS)
    return answerAccept('job-not-told');
  if (!context.isJobShown) return answerAccept('job-told-otherwise');
  return answerAccept('job-adopted', {}, [
    { type: 'adopted', role: 'control', actor, data: { described: description.seq } },
  ]);
}

/** GitHub's times are whole seconds. */
const SECOND_MS = 1_000;

/** Before the launch, the contract acts as the offer. */
function inCharge({ state, actor, comment }: CommandContext, dri: string): CommandDecision {
  if (!isSameLogin(dri, actor.login)) return answerAccept('accept-not-yours', { login: dri });
  if (state.watch.owner?.id === actor.id)
    return answerAccept('not-now', { status: 'you are in charge of this run already' });
  const until = toRfc3339(comment.createdAt);
  return answerAccept('accepted', {}, [
    { type: 'handoff', role: 'control', actor, data: { state: 'accepted', to: actor, until } },
  ]);
}
