/** `/ack`: a person has seen how the run ended; the monitoring loop may let go (policy/job-monitoring-loop.md, ownership). */

import { permits } from '../domain/actor.ts';
import { answer, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';

export const ack: CommandDefinition = {
  name: 'ack',
  keys: {},
  who: (policy) => policy.ackPermission,
  summary: 'Acknowledges how the run ended. A failed run is closed by it.',
  example: '/ack',
  decide,
};

function decide({ state, policy, permission }: CommandContext): CommandDecision {
  if (!permits(permission, policy.ackPermission))
    return answer('not-permitted', { needs: policy.ackPermission });
  if (state.end === null) return answer('acknowledged-nothing');
  if (state.end.status === 'FAILED') return { kind: 'close', outcome: 'failed' };
  return answer(state.acknowledged === null ? 'acknowledged' : 'acknowledged-already', {
    status: state.end.status,
  });
}
