/** All commands: what is read, what help lists, what is decided. A new command is one new file and one line here. */

import { ack } from './ack.ts';
import { approveDiskCleanup } from './approve-disk-cleanup.ts';
import { approveLaunch } from './approve-launch.ts';
import { approveNodeDelete } from './approve-node-delete.ts';
import { approveStartCleanup } from './approve-start-cleanup.ts';
import type { CommandDefinition } from './definition.ts';
import { freeze } from './freeze.ts';
import { help } from './help.ts';
import { hold } from './hold.ts';
import { propose } from './propose.ts';
import { revoke } from './revoke.ts';
import { seal } from './seal.ts';
import { skip } from './skip.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { thaw } from './thaw.ts';
import { unhold } from './unhold.ts';
import { why } from './why.ts';

export const COMMAND_DEFINITIONS: readonly CommandDefinition[] = [
  approveLaunch,
  revoke,
  hold,
  unhold,
  skip,
  freeze,
  thaw,
  status,
  why,
  stop,
  ack,
  seal,
  propose,
  approveNodeDelete,
  approveDiskCleanup,
  approveStartCleanup,
  help,
];

/** The definition of a command by its name without the slash, or null. */
export function definitionOf(name: string): CommandDefinition | null {
  return COMMAND_DEFINITIONS.find((definition) => definition.name === name) ?? null;
}
