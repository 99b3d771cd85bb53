/** `/seal [accept="…"]`: seals an ended run; without a pass, a reason is required. */

import { underWay } from '../domain/actions/action-state.ts';
import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import { isHolding } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { reasonText } from './values.ts';

const answerSeal = answering({
  sealed: { tag: 'text', closurePull: 'integer?' },
  'seal-adopted': {},
  'seal-failed': {},
  'seal-needs-accept': { status: 'text', verdict: 'text' },
  'seal-refused': { code: 'text', message: 'text' },
  'seal-incomplete': { missing: 'text' },
});

export const seal = {
  name: 'seal',
  answers: answerSeal.vocabulary,
  keys: { accept: { required: false, value: reasonText } },
  who: (policy) => policy.permissions.seal,
  summary: 'Verifies the ended run, tags the launch commit and opens the closure PR.',
  example: '/seal accept="stopped on purpose, metrics complete"',
  decide: decideSeal,
} as const satisfies CommandDefinition;

function decideSeal({ state, args, verdict, artefacts }: CommandContext): CommandDecision {
  if (state.end === null || isHolding(state))
    return answerSeal('not-now', { status: 'the run has not ended' });
  if (underWay(state.actions).length > 0) return answerSeal('close-under-way');
  if (isAdopted(state)) return answerSeal('seal-adopted');
  const accept = args['accept'] ?? null;
  const found = artefacts();
  // rule HR-64
  if (state.end.status === 'FAILED') return afterFailure(state, found !== null);
  if (found !== null && 'kind' in found) return found;
  // A success needs complete artefacts; an accepted end may lack some.
  // rule HR-49
  if (found !== null && found.missing.length > 0 && state.end.status === 'SUCCEEDED')
    return incomplete(state, found.missing.join('; '));
  const unproven = found?.unproven ?? [];
  if (unproven.length > 0 && accept === null) return incomplete(state, unproven.join('; '));
  const checkpoint = found?.checkpoint == null ? {} : { checkpoint: found.checkpoint };
  if (state.end.status === 'SUCCEEDED' && verdict === 'pass' && unproven.length === 0)
    return { kind: 'seal', verdict: 'pass', accept, ...checkpoint };
  if (accept === null) return answerSeal('seal-needs-accept', { status: state.end.status, verdict });
  return { kind: 'seal', verdict: 'accepted', accept, ...checkpoint };
}

/** A run with checkpoints may continue, so a seal does not close it; `/ack` does. */
function afterFailure({ end }: RunState, hasCheckpoints: boolean): CommandDecision {
  return hasCheckpoints
    ? answerSeal('seal-failed')
    : { kind: 'close', outcome: 'failed', reason: end?.message ?? '' };
}

/** Reports the same missing artefacts only once. */
function incomplete({ incidents }: RunState, missing: string): CommandDecision {
  const isTold = incidentsWith(incidents, 'artefacts-missing').some(
    ({ detail }) => detail.message === missing,
  );
  const drafts = isTold ? [] : [incidentDraft('control', 'artefacts-missing', { message: missing })];
  return answerSeal('seal-incomplete', { missing }, drafts);
}
