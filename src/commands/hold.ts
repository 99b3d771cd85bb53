/** `/hold reason="…"`: this run is not launched until somebody lifts the hold; approvals fall. */

import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { type AnswerDecision, answering, type NamedContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropByBrake } from './drop-of.ts';
import { reasonText, runWord } from './values.ts';

const answer = answering({
  held: { reason: 'text', dropped: 'integer', jobId: 'text?', run: 'text?' },
  'hold-too-late': { jobId: 'text?', run: 'text?' },
});

export const hold = {
  name: 'hold',
  answers: answer.vocabulary,
  keys: {
    reason: { required: true, value: reasonText },
    run: { required: false, value: runWord },
  },
  who: (policy) => policy.permissions.hold,
  summary:
    'Keeps this run from being launched until `/unhold`; approvals fall. With `run=`, in any thread, the run of this name.',
  example: '/hold reason="the tokenizer changes today"',
  holdsBack: true,
  confusedWith: ['pause', 'wait', 'block'],
  decide,
  decideNamed: decide,
} as const satisfies CommandDefinition;

function decide({ state, actor, args }: NamedContext): AnswerDecision {
  const named = args['run'] === undefined ? {} : { run: state.run };
  // What was proposed for the cluster and not begun is kept back by a hold as a launch is, and so is another attempt.
  const isOpen = state.mutations.some(({ begun, ended }) => begun === null && ended === null);
  const isLaunched = !isBeforeLaunch(state) || state.order?.status === 'claimed';
  if (isLaunched && !isOpen && !mayGoOn(state))
    return answer('hold-too-late', { jobId: state.submission?.jobId ?? '', ...named });
  const reason = args['reason'] ?? '';
  const drop = dropByBrake(state);
  const held = {
    type: 'held',
    role: 'control',
    actor,
    data: { kind: 'hold', scope: 'run', reason, date: null },
  } as const;
  const running = state.submission !== null && state.end === null ? { jobId: state.submission.jobId } : {};
  const facts = { reason, dropped: drop?.data.users.length ?? 0, ...running, ...named };
  return answer('held', facts, [...(drop === null ? [] : [drop]), held]);
}

/** Whatever was launched may fail and be followed by another attempt; a launcher heeds a hold of before as well. */
function mayGoOn({ submission, end, stop }: NamedContext['state']): boolean {
  return submission !== null && end?.status !== 'SUCCEEDED' && stop === null;
}
