/** `/freeze reason="…" [scope=lane|repository]`: nothing of the lane, or of the repository, is launched until `/thaw`. */

import { answer, type CommandContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropByBrake } from './drop-of.ts';
import { frozenScope, reasonText } from './values.ts';

export const freeze: CommandDefinition = {
  name: 'freeze',
  keys: {
    reason: { required: true, value: reasonText },
    scope: { required: false, value: frozenScope },
  },
  who: (policy) => policy.freezePermission,
  summary: 'Nothing of the lane (or with `scope=repository` of the repository) is launched until `/thaw`.',
  example: '/freeze reason="a bad node eats jobs"',
  holdsBack: true,
  confusedWith: ['lock', 'lockdown', 'halt'],
  decide: (context) => {
    const drop = dropByBrake(context.state);
    return decide(context, drop === null ? [] : [drop]);
  },
  decideWithoutRun: (context) => decide(context, []),
};

function decide(
  { actor, args, laneHolds }: PlaceContext | CommandContext,
  drafts: Parameters<typeof answer>[2],
): ReturnType<typeof answer> {
  if (laneHolds.kind === 'unknown') return answer('logbook-broken');
  const scope = args['scope'] === 'repository' ? 'repository' : 'lane';
  const reason = args['reason'] ?? '';
  const held = {
    type: 'held',
    role: 'control',
    actor,
    data: { kind: 'freeze', scope, reason, date: null },
  } as const;
  return answer('frozen', { scope, reason }, drafts, [held]);
}
