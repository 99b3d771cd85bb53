/** `/status`: where the run stands, on what evidence, and what is wanted from whom. */

import { answer } from './decision.ts';
import type { CommandDefinition } from './definition.ts';

export const status: CommandDefinition = {
  name: 'status',
  keys: {},
  who: () => null,
  summary: 'Says where the run stands, on what evidence, and what is missing.',
  example: '/status',
  decide: () => answer('status-shown'),
};
