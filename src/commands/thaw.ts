/** `/thaw`: lifts every freeze that stands. Approvals that fell stay fallen. */

import { answer, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';

export const thaw: CommandDefinition = {
  name: 'thaw',
  keys: {},
  who: (policy) => policy.freezePermission,
  summary: 'Lifts the freeze of the lane and of the repository.',
  example: '/thaw',
  confusedWith: ['unfreeze', 'unlock'],
  decide,
  decideWithoutRun: decide,
};

function decide({ laneHolds, actor }: PlaceContext): ReturnType<typeof answer> {
  if (laneHolds.kind === 'unknown') return answer('logbook-broken');
  const freezes = laneHolds.value.filter((hold) => hold.kind === 'freeze');
  if (freezes.length === 0) return answer('thaw-nothing');
  const lifted = freezes.map(({ kind, scope, date }) => {
    const data = { kind, scope, date };
    return { type: 'released', role: 'control', actor, data } as const;
  });
  return answer('thawed', { scopes: freezes.map((one) => one.scope).join(' and ') }, [], lifted);
}
