/** `/unhold`: lifts the hold on this run, and the skip of its day. Approvals that fell stay fallen. */

import type { Hold } from '../domain/launch/hold.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { dateOf } from '../domain/time.ts';
import { answer, type CommandContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';

export const unhold: CommandDefinition = {
  name: 'unhold',
  keys: {},
  who: (policy) => policy.holdPermission,
  summary: 'Lifts the hold on this run, and the skip of its day.',
  example: '/unhold',
  confusedWith: ['release', 'resume', 'continue', 'unskip'],
  decide: (context) => decide(context, context.state.holds, context.state.proposal.date),
  decideWithoutRun: (context) => decide(context, [], dateOf(context.now)),
};

function decide(
  { laneHolds, actor }: PlaceContext | CommandContext,
  own: readonly Hold[],
  date: string,
): ReturnType<typeof answer> {
  if (laneHolds.kind === 'unknown') return answer('logbook-broken');
  const skips = laneHolds.value.filter((hold) => hold.kind === 'skip' && hold.date === date);
  if (own.length === 0 && skips.length === 0) return answer('unhold-nothing');
  const lifted = ({ kind, scope, date: day }: Hold): EventDraft => ({
    type: 'released',
    role: 'control',
    actor,
    data: { kind, scope, date: day },
  });
  return answer('unheld', { count: own.length + skips.length }, own.map(lifted), skips.map(lifted));
}
