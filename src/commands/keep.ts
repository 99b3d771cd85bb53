/** `/keep until=… reason="…"`: keeps a rented machine within the approved limits. */

import { isHolding } from '../domain/logbook/liveness.ts';
import { keepLatestMs } from '../domain/logbook/renting.ts';
import { toRfc3339 } from '../domain/time.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { momentOf } from './moment.ts';
import { reasonText, timeWord } from './values.ts';

const answerKeep = answering({
  kept: { until: 'text', reason: 'text' },
  'keep-too-long': { until: 'text', latest: 'text' },
});

export const keep = {
  name: 'keep',
  answers: answerKeep.vocabulary,
  keys: {
    until: { required: true, value: timeWord },
    reason: { required: true, value: reasonText },
  },
  who: (policy) => policy.permissions.watch,
  summary:
    'Keeps the rented machine of the run until a time (UTC), though its job has ended or makes no step; never past what was approved for it.',
  example: '/keep until=18:30 reason="I look at the checkpoint"',
  decide: decideKeep,
} as const satisfies CommandDefinition;

function decideKeep({ state, args, now, actor }: CommandContext): CommandDecision {
  const latest = keepLatestMs(state, now);
  if (latest === null || !isHolding(state)) return answerKeep('nothing-rented');
  const wanted = momentOf(args['until'] ?? '', now);
  const until = toRfc3339(wanted);
  if (wanted <= now) return answerKeep('point-past', { what: until });
  if (wanted > latest) return answerKeep('keep-too-long', { until, latest: toRfc3339(latest) });
  const reason = args['reason'] ?? '';
  return answerKeep('kept', { until, reason }, [
    { type: 'machine-kept', role: 'control', actor, data: { until, reason } },
  ]);
}
