/** `/help [command]`: what can be said here and who may say it. */

import { answer, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { commandWord } from './values.ts';

export const help: CommandDefinition = {
  name: 'help',
  positional: { name: 'command', required: false, value: commandWord },
  keys: {},
  who: () => null,
  summary: 'Lists the commands, or explains one.',
  example: '/help approve-launch',
  decide,
  decideWithoutRun: decide,
};

function decide({ args }: PlaceContext): ReturnType<typeof answer> {
  return answer('help-shown', { command: (args['command'] ?? '').replace(/^\//, '') });
}
