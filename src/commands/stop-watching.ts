/** `/stop-watching`: ends the watch, not the job (policy ML-16). */

import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { directed } from './direct-watch.ts';
import { reasonText } from './values.ts';

const answerStopWatching = answering({ 'watch-stopped': {} });

export const stopWatching = {
  name: 'stop-watching',
  answers: answerStopWatching.vocabulary,
  keys: { reason: { required: false, value: reasonText } },
  who: (policy) => policy.permissions.watch,
  summary:
    'Ends the watch of a job, which goes on: no alarm, and nothing is started again by itself. By its owner, or who may approve.',
  example: '/stop-watching reason="I look at it by hand"',
  confusedWith: ['unwatch'],
  decide: decideStopWatching,
} as const satisfies CommandDefinition;

function decideStopWatching(context: CommandContext): CommandDecision {
  const watched = directed(context);
  if ('kind' in watched) return watched;
  const { attempt } = watched.submission;
  const reason = context.args['reason'] ?? null;
  return answerStopWatching('watch-stopped', {}, [
    {
      type: 'watch-ended',
      role: 'control',
      actor: context.actor,
      data: { attempt, cause: 'person', reason },
    },
  ]);
}
