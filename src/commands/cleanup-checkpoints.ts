/** Only lists checkpoints; another person must consent to the deletion (policy HR-63). */

import { underWay } from '../domain/actions/action-state.ts';
import { bindingHex } from '../domain/approval-binding.ts';
import { assertNever } from '../domain/assert.ts';
import { answering, type CommandContext, type CommandDecision, NO_JOB } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { keptSteps } from './values.ts';

const answerCleanupCheckpoints = answering({
  'cleanup-listed': { count: 'integer', more: 'integer', kept: 'integer' },
  'cleanup-listed-already': { digest: 'text' },
  'cleanup-nothing': { kept: 'integer' },
  'cleanup-no-depth': {},
  'cleanup-unreadable': { why: 'text' },
});

export const cleanupCheckpoints = {
  name: 'cleanup-checkpoints',
  answers: answerCleanupCheckpoints.vocabulary,
  keys: { keep: { required: false, value: keptSteps } },
  who: () => 'write',
  summary:
    'Lists the checkpoints of the run that nothing protects, with their sizes, and what protects the others. It deletes none: somebody else consents to exactly that list.',
  example: '/cleanup-checkpoints keep=20',
  decide: decideCleanupCheckpoints,
} as const satisfies CommandDefinition;

function decideCleanupCheckpoints({ state, args, cleanup }: CommandContext): CommandDecision {
  if (state.submission === null && state.attempts.length === 0) return NO_JOB;
  if (underWay(state.actions).length > 0) return answerCleanupCheckpoints('close-under-way');
  const found = cleanup(args['keep'] === undefined ? null : Number(args['keep']));
  switch (found.kind) {
    case 'need':
      return found;
    case 'no-depth':
      return answerCleanupCheckpoints('cleanup-no-depth');
    case 'unreadable':
      return answerCleanupCheckpoints('cleanup-unreadable', { why: found.why });
    case 'nothing':
      return answerCleanupCheckpoints('cleanup-nothing', { kept: found.kept });
    case 'open':
      return answerCleanupCheckpoints('cleanup-listed-already', { digest: bindingHex(found.record.digest) });
    case 'list': {
      const { draft, more, kept } = found;
      return answerCleanupCheckpoints(
        'cleanup-listed',
        { count: draft.data.proposal.steps.length, more, kept },
        [draft],
      );
    }
    default:
      return assertNever(found);
  }
}
