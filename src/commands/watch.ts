/** `/watch`: a job whose watch somebody ended is watched again. */

import { ownerOf } from '../domain/logbook/ownership.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { mayDirect, running } from './direct-watch.ts';

const answer = answering({ 'watch-resumed': {}, 'watch-goes-on': { owner: 'text?' } });

export const watch = {
  name: 'watch',
  answers: answer.vocabulary,
  keys: {},
  who: (policy) => policy.permissions.watch,
  summary: 'Has a job watched again whose watch has ended. By its owner, or who may approve.',
  example: '/watch',
  decide,
} as const satisfies CommandDefinition;

function decide(context: CommandContext): CommandDecision {
  const run = running(context);
  if ('kind' in run) return run;
  const refused = mayDirect(context);
  if (refused !== null) return refused;
  if (run.watch.ended === null) {
    const owner = ownerOf(run);
    return answer('watch-goes-on', owner === null ? {} : { owner: owner.login });
  }
  const { attempt } = run.submission;
  return answer('watch-resumed', {}, [
    { type: 'watch-resumed', role: 'control', actor: context.actor, data: { attempt } },
  ]);
}
