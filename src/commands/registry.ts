/** All commands: what is read, what help lists, what is decided. A new command is one new file and one line here. */

import { ack } from './ack.ts';
import { approveLaunch } from './approve-launch.ts';
import type { CommandDefinition } from './definition.ts';
import { help } from './help.ts';
import { seal } from './seal.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';

export const COMMAND_DEFINITIONS: readonly CommandDefinition[] = [
  approveLaunch,
  status,
  stop,
  ack,
  seal,
  help,
];

/** The definition of a command by its name without the slash, or null. */
export function definitionOf(name: string): CommandDefinition | null {
  return COMMAND_DEFINITIONS.find((definition) => definition.name === name) ?? null;
}
