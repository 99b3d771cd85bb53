/** `/handoff @who`: offers the watch of a running job to a person (policy ML-07). */

import { permits } from '../domain/actor.ts';
import { isNotAsked, need } from '../domain/need.ts';
import { after, toRfc3339 } from '../domain/time.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { directed } from './direct-watch.ts';
import { mention } from './values.ts';

const answerHandoff = answering({
  'handoff-offered': { to: 'integer', login: 'text', until: 'text' },
  'handoff-not-theirs': { login: 'text', needs: 'text' },
});

export const handoff = {
  name: 'handoff',
  answers: answerHandoff.vocabulary,
  positional: { name: 'who', required: true, value: mention },
  keys: {},
  who: (policy) => policy.permissions.watch,
  summary:
    'Offers the watch of a running job to a person, whose it is after their `/accept`. By its owner, or who may approve.',
  example: '/handoff @ada',
  confusedWith: ['assign', 'handover'],
  decide: decideHandoff,
} as const satisfies CommandDefinition;

function decideHandoff(context: CommandContext): CommandDecision {
  const { people, policy, args, actor, now } = context;
  const watched = directed(context);
  if ('kind' in watched) return watched;
  if (isNotAsked(people)) return need('people');
  if (people.kind === 'unknown') return answerHandoff('permission-unknown', { why: people.why });
  const login = (args['who'] ?? '').slice(1);
  const person = people.value.find((one) => one.actor.login.toLowerCase() === login.toLowerCase());
  const { watch: needs } = policy.permissions;
  if (person === undefined || !permits(person.permission, needs))
    return answerHandoff('handoff-not-theirs', { login, needs });
  const to = person.actor;
  if (watched.watch.owner?.id === to.id)
    return answerHandoff('not-now', { status: `the watch is ${to.login}'s already` });
  const until = toRfc3339(after(now, policy.handoffMs));
  return answerHandoff('handoff-offered', { to: to.id, login: to.login, until }, [
    { type: 'handoff', role: 'control', actor, data: { state: 'offered', to, until } },
  ]);
}
