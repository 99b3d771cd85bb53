/** `/status`: where the run stands, on what evidence, and what is wanted from whom. */

import { isLive } from '../domain/logbook/run-state.ts';
import { answer, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';

export const status: CommandDefinition = {
  name: 'status',
  keys: {},
  who: () => null,
  summary: 'Says where the run stands, on what evidence, and what is missing.',
  example: '/status',
  decide: () => answer('status-shown'),
  decideWithoutRun,
};

/** Where no run is, the lane's own state is what there is to tell. */
function decideWithoutRun({ laneHolds, laneRuns }: PlaceContext): ReturnType<typeof answer> {
  if (laneHolds.kind === 'unknown' || laneRuns.kind === 'unknown') return answer('logbook-broken');
  const live = laneRuns.value.find(isLive);
  const newest = laneRuns.value[0];
  return answer('lane-shown', {
    live: live?.run ?? '',
    last: newest?.run ?? '',
    issue: newest?.proposal.issue ?? 0,
    holds: laneHolds.value.map((hold) => hold.kind).join(', '),
  });
}
