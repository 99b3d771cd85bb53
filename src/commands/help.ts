/** `/help [command]`. */

import { type AnswerDecision, answering, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { commandWord } from './values.ts';

const answerHelp = answering({ 'help-shown': { command: 'text?' } });

export const help = {
  name: 'help',
  answers: answerHelp.vocabulary,
  positional: { name: 'command', required: false, value: commandWord },
  keys: {},
  who: () => null,
  summary: 'Lists the commands, or explains one.',
  example: '/help approve-launch',
  decide: decideHelp,
  decideWithoutRun: decideHelp,
} as const satisfies CommandDefinition;

function decideHelp({ args }: PlaceContext): AnswerDecision {
  return answerHelp('help-shown', { command: (args['command'] ?? '').replace(/^\//, '') });
}
