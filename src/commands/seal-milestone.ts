/** `/seal-milestone name="…"`: seals the newest checkpoint of a running job (policy HR-76). */

import { answering, type CommandContext, type CommandDecision, NO_JOB } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { milestoneName } from './values.ts';

const answerSealMilestone = answering({
  'milestone-sealed': { name: 'text', tag: 'text', path: 'text', step: 'integer', unseen: 'text' },
  'milestone-taken': { name: 'text', step: 'integer' },
  'milestone-missing': { missing: 'text' },
});

export const sealMilestone = {
  name: 'seal-milestone',
  answers: answerSealMilestone.vocabulary,
  keys: { name: { required: true, value: milestoneName } },
  who: (policy) => policy.permissions.seal,
  summary:
    'Seals a moment of a hero run that goes on: the newest complete checkpoint of its lineage is tagged, and deleted no more.',
  example: '/seal-milestone name="cooldown-begins"',
  decide: decideSealMilestone,
} as const satisfies CommandDefinition;

const WELL = ['RUNNING', 'PENDING', 'SUCCEEDED'];

function decideSealMilestone({ state, args, artefacts }: CommandContext): CommandDecision {
  const { name = '' } = args;
  if (state.submission === null) return NO_JOB;
  const taken = state.milestones.find((one) => one.name === name);
  if (taken !== undefined)
    return answerSealMilestone('milestone-taken', { name, step: taken.checkpoint.step });
  const status = state.end?.status ?? state.observation?.status ?? 'PENDING';
  if (!WELL.includes(status)) return answerSealMilestone('not-now', { status });
  const found = artefacts();
  if (found === null)
    return answerSealMilestone('not-now', { status: 'runs of this kind have no milestones' });
  if ('kind' in found) return found;
  const missing = [
    ...found.missing,
    ...(found.checkpoint === null && found.missing.length === 0 ? found.unseen : []),
  ];
  if (missing.length > 0 || found.checkpoint === null)
    return answerSealMilestone('milestone-missing', { missing: missing.join('; ') });
  return { kind: 'milestone', name, checkpoint: found.checkpoint };
}
