/** `/freeze reason="…" [scope=lane|repository] [lane=…]`: nothing of the lane, or of the repository, is launched until `/thaw`. */

import { type AnswerDecision, answering, type CommandContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropByBrake } from './drop-of.ts';
import { laneUnclear, meantLane, severally } from './meant-lane.ts';
import { frozenScope, laneWord, reasonText } from './values.ts';

const answer = answering({
  frozen: { scope: 'text', lane: 'text?', reason: 'text' },
});

export const freeze = {
  name: 'freeze',
  answers: answer.vocabulary,
  keys: {
    reason: { required: true, value: reasonText },
    scope: { required: false, value: frozenScope },
    lane: { required: false, value: laneWord },
  },
  who: (policy) => policy.permissions.freeze,
  summary: 'Nothing of the lane (or with `scope=repository` of the repository) is launched until `/thaw`.',
  example: '/freeze reason="a bad node eats jobs"',
  holdsBack: true,
  confusedWith: ['lock', 'lockdown', 'halt'],
  decide: (context) => {
    const { lane = context.laneHere, scope } = context.args;
    const concernsThis = scope === 'repository' || lane === context.laneHere;
    const drop = concernsThis ? dropByBrake(context.state) : null;
    return decide(context, drop === null ? [] : [drop]);
  },
  decideWithoutRun: (context) => decide(context, []),
} as const satisfies CommandDefinition;

function decide(context: PlaceContext | CommandContext, drafts: AnswerDecision['drafts']): AnswerDecision {
  const { actor, args, journalHolds } = context;
  if (journalHolds.kind === 'unknown') return answer('logbook-broken');
  const scope = args['scope'] === 'repository' ? 'repository' : 'lane';
  const meant = scope === 'repository' ? null : meantLane(args['lane'], context);
  if (meant !== null && meant.kind !== 'lane') return laneUnclear(meant);
  const reason = args['reason'] ?? '';
  const lane = meant === null ? {} : { lane: meant.lane };
  const held = {
    type: 'held',
    role: 'control',
    actor,
    data: { kind: 'freeze', scope, ...lane, reason, date: null },
  } as const;
  return answer('frozen', { scope, ...severally(context, meant?.lane), reason }, drafts, [held]);
}
