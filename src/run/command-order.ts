/** The order of waiting commands. */

import { policyOf } from '../commands/policy.ts';
import { definitionOf } from '../commands/registry.ts';
import type { Permission } from '../domain/actor.ts';
import type { LabConfig } from './lane-scope.ts';
import type { PendingItem } from './pending-commands.ts';

/**
 * Whether `item` may be decided while earlier items wait for a fact. Read-only commands always may. Stops and holds may, unless the same
 * author has an earlier command waiting. Everything else waits behind a stop or hold whose author's permission is unknown.
 */
export function mayOvertake(item: PendingItem, waiting: readonly PendingItem[], config: LabConfig): boolean {
  if (waiting.length === 0 || neededFor(item, config) === null) return true;
  return waiting.every(
    (earlier) =>
      earlier.comment.author.id !== item.comment.author.id && (!holdsBack(earlier) || holdsBack(item)),
  );
}

/** The permission that a command requires; null for none or for other text. Throws for a command that is not registered. */
export function neededFor({ said }: PendingItem, config: LabConfig): Permission | null {
  if (said.kind !== 'command') return null;
  const definition = definitionOf(said.name);
  if (definition === null) throw new Error(`the registry read ${said.name} and does not know it`);
  return definition.who(policyOf(config));
}

function holdsBack({ said }: PendingItem): boolean {
  // An unread comment may contain a stop.
  return said.kind === 'unread' || (said.kind === 'command' && definitionOf(said.name)?.holdsBack === true);
}
