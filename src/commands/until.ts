/** `/until step=… | time=…`: sets where the watch ends (policy ML-16). */

import { toRfc3339 } from '../domain/time.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { directed } from './direct-watch.ts';
import { momentOf } from './moment.ts';
import { stepNumber, timeWord } from './values.ts';

const answerUntil = answering({
  'until-set': { step: 'integer?', time: 'text?', before: 'integer?' },
  'until-what': {},
});

export const until = {
  name: 'until',
  answers: answerUntil.vocabulary,
  keys: {
    step: { required: false, value: stepNumber },
    time: { required: false, value: timeWord },
  },
  who: (policy) => policy.permissions.watch,
  summary:
    'Names where the watch of a job ends: at a step, at a time (UTC), or at whichever comes first. By its owner, or who may approve.',
  example: '/until step=3000',
  decide: decideUntil,
} as const satisfies CommandDefinition;

function decideUntil(context: CommandContext): CommandDecision {
  const { args, now, actor } = context;
  const watched = directed(context);
  if ('kind' in watched) return watched;
  const step = args['step'] === undefined ? null : Number(args['step']);
  const time = args['time'] === undefined ? null : momentOf(args['time'], now);
  if (step === null && time === null) return answerUntil('until-what');
  if (time !== null && time <= now) return answerUntil('point-past', { what: args['time'] ?? '' });
  const { observation } = watched;
  if (step !== null && observation?.stepIsExact === true && (observation.step ?? 0) >= step)
    return answerUntil('point-past', { what: `step ${step}` });
  const data = { step, time: time === null ? null : toRfc3339(time) };
  const told = {
    ...(data.step === null ? {} : { step: data.step }),
    ...(data.time === null ? {} : { time: data.time }),
    ...(watched.watch.bound === null ? {} : { before: watched.watch.bound.seq }),
  };
  return answerUntil('until-set', told, [{ type: 'watch-bounded', role: 'control', actor, data }]);
}
