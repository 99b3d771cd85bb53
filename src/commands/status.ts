/** `/status`: where the run stands, on what evidence, and what is wanted from whom. */

import { isLive } from '../domain/logbook/liveness.ts';
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
function decideWithoutRun({ journalHolds, recordedRuns }: PlaceContext): ReturnType<typeof answer> {
  if (journalHolds.kind === 'unknown' || recordedRuns.kind === 'unknown') return answer('logbook-broken');
  const live = recordedRuns.value.filter(isLive);
  const newest = recordedRuns.value[0];
  return answer('lane-shown', {
    live: live.map(({ run }) => run).join(', '),
    last: newest?.run ?? '',
    issue: newest?.proposal.issue ?? 0,
    holds: journalHolds.value.map((hold) => hold.kind).join(', '),
  });
}
