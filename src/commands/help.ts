/** `/help [command]`. */

import { type AnswerDecision, answering, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { commandWord } from './values.ts';

const answer = answering({ 'help-shown': { command: 'text?' } });

export const help = {
  name: 'help',
  answers: answer.vocabulary,
  positional: { name: 'command', required: false, value: commandWord },
  keys: {},
  who: () => null,
  summary: 'Lists the commands, or explains one.',
  example: '/help approve-launch',
  decide,
  decideWithoutRun: decide,
} as const satisfies CommandDefinition;

function decide({ args }: PlaceContext): AnswerDecision {
  return answer('help-shown', { command: (args['command'] ?? '').replace(/^\//, '') });
}
