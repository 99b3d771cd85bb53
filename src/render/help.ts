/** `/help`: the commands from their own definitions, and who may give them in this lab. */

import type { CommandDefinition } from '../commands/definition.ts';
import { policyOf } from '../commands/policy.ts';
import { COMMAND_DEFINITIONS, definitionOf } from '../commands/registry.ts';
import type { LabConfig } from '../config/schema.ts';
import { code, table } from './words.ts';

/** All commands, or one. Without a config (a thread of no run) it is left out who may. */
export function renderHelp(name: string, config: LabConfig | null): string {
  const one = definitionOf(name.replace(/^\//, ''));
  const shown = one === null ? COMMAND_DEFINITIONS : [one];
  const rows = shown.map((definition) => [
    code(definition.example),
    definition.summary,
    ...(config === null ? [] : [whoMay(definition, config)]),
  ]);
  const head = ['Command', 'What it does', ...(config === null ? [] : ['Who may'])];
  return `${table(head, rows)}\n\nA command stands alone at the start of a line, outside quotes, lists and code.`;
}

function whoMay(definition: CommandDefinition, config: LabConfig): string {
  const least = definition.who(policyOf(config));
  return least === null ? 'everybody' : `${least} permission or more`;
}
