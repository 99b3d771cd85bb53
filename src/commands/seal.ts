/** `/seal [accept="…"]`: the run becomes a tagged, sealed record; one that did not simply pass needs a person's reason. */

import { permits } from '../domain/actor.ts';
import { underWay } from '../domain/care/mutation-state.ts';
import { isHolding } from '../domain/logbook/liveness.ts';
import { answer, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { reasonText } from './values.ts';

export const seal: CommandDefinition = {
  name: 'seal',
  keys: { accept: { required: false, value: reasonText } },
  who: (policy) => policy.sealPermission,
  summary: 'Verifies the ended run, tags the launch commit and opens the closure PR.',
  example: '/seal accept="stopped on purpose, metrics complete"',
  decide,
};

function decide({ state, policy, permission, args, verdict }: CommandContext): CommandDecision {
  if (!permits(permission, policy.sealPermission))
    return answer('not-permitted', { needs: policy.sealPermission });
  if (state.end === null || isHolding(state)) return answer('seal-not-ended');
  if (underWay(state.mutations).length > 0) return answer('close-under-way');
  if (state.end.status === 'FAILED') return { kind: 'close', outcome: 'failed', reason: state.end.message };
  const accept = args['accept'] ?? null;
  if (state.end.status === 'SUCCEEDED' && verdict === 'pass')
    return { kind: 'seal', verdict: 'pass', accept };
  if (accept === null) return answer('seal-needs-accept', { status: state.end.status, verdict });
  return { kind: 'seal', verdict: 'accepted', accept };
}
