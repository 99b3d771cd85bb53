/** Which of two waiting commands may be taken first: order is kept where it could change what happens, and nowhere else. */

import { policyOf } from '../commands/policy.ts';
import { definitionOf } from '../commands/registry.ts';
import type { Permission } from '../domain/actor.ts';
import type { LabConfig } from './lane-scope.ts';
import type { PendingItem } from './pending-commands.ts';

/**
 * Whether `item` may be decided though earlier ones still wait for a fact. What only reads may always, and so may what
 * takes something back, unless its author has an earlier command waiting: nobody overtakes themselves. Everything
 * else waits behind a stop or hold whose author's permission is not known yet, because unknown never lets a launch pass.
 */
export function mayOvertake(item: PendingItem, waiting: readonly PendingItem[], config: LabConfig): boolean {
  if (waiting.length === 0 || neededFor(item, config) === null) return true;
  return waiting.every(
    (earlier) =>
      earlier.comment.author.id !== item.comment.author.id && (!holdsBack(earlier) || holdsBack(item)),
  );
}

/** The permission that a command takes; null where it takes none, or is no command. Throws for a name that the registry does not have. */
export function neededFor({ said }: PendingItem, config: LabConfig): Permission | null {
  if (said.kind !== 'command') return null;
  const definition = definitionOf(said.name);
  if (definition === null) throw new Error(`the registry read ${said.name} and does not know it`);
  return definition.who(policyOf(config));
}

function holdsBack({ said }: PendingItem): boolean {
  // What nobody has read yet may be a stop.
  return said.kind === 'unread' || (said.kind === 'command' && definitionOf(said.name)?.holdsBack === true);
}
