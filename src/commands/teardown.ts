/** `/teardown`: destroys a run's rented machines and stops its job. */

import { isHolding } from '../domain/logbook/liveness.ts';
import { rentalTerms } from '../domain/logbook/renting.ts';
import { type AnswerDecision, answering, type NamedContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { stopDraft } from './stop.ts';
import { runWord } from './values.ts';

const answerTeardown = answering({
  'teardown-asked': { by: 'text', runs: 'integer?', run: 'text?' },
});

export const teardown = {
  name: 'teardown',
  answers: answerTeardown.vocabulary,
  keys: { run: { required: false, value: runWord } },
  who: (policy) => policy.permissions.stop,
  summary:
    'Destroys the rented machines of the run now, whatever they do; a job that runs is stopped with it. With `run=`, in any thread, those of the run of this name.',
  example: '/teardown',
  holdsBack: true,
  decide: decideTeardown,
  decideNamed: decideTeardown,
} as const satisfies CommandDefinition;

/** Also stops the job, so that it is not relaunched on another machine. */
function decideTeardown(context: NamedContext): AnswerDecision {
  const { state, actor, comment, args } = context;
  const named = args['run'] === undefined ? {} : { run: state.run };
  if (rentalTerms(state) === null || !isHolding(state)) return answerTeardown('nothing-rented', named);
  const asked = { type: 'tear-down-asked', role: 'control', actor, data: { comment: comment.id } } as const;
  const { asked: before, keep } = state.rental;
  if (before !== null && before.seq > (keep?.seq ?? -1))
    return answerTeardown('teardown-asked', { by: before.actor.login, ...named });
  const runs = state.end === null;
  const facts = { by: actor.login, ...(runs ? { runs: 1 } : {}), ...named };
  return answerTeardown(
    'teardown-asked',
    facts,
    runs && state.stop === null ? [asked, stopDraft(context)] : [asked],
  );
}
