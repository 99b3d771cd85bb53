/** What was said to hold a launch back and stands answered in no record that the reader has. */

import { definitionOf } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import { type PendingItem, type PendingOptions, pendingItems } from './pending-commands.ts';

/** A brake of somebody who may pull it. */
export type Brake = { readonly name: string; readonly login: string; readonly thread: number };

/** The commands that a record has, and from when on comments can be commands of it. */
export type Unanswered = { readonly commands: ReadonlyMap<string, SeenCommand>; readonly since: Instant };

/**
 * The comments of the run's own threads that hold something back (`/stop`, `/hold`, `/revoke`, `/freeze`, …) and that the
 * record does not have as answered; one that it has is governed by it, since it may have been lifted. `name` null: a long
 * comment of somebody whose permission is not given, which may be one.
 */
export function openBrakes(
  { commands, since }: Unanswered,
  elsewhere: ReadonlyMap<string, SeenCommand>,
  comments: readonly CommentFacts[],
  { otherBots, permissions }: Pick<PendingOptions, 'otherBots' | 'permissions'>,
): readonly (PendingItem & { readonly name: string | null })[] {
  const known = new Map([...elsewhere, ...commands]);
  return pendingItems(known, comments, { since, otherBots, permissions }).flatMap(
    (item): readonly (PendingItem & { readonly name: string | null })[] => {
      const { said } = item;
      if (said.kind === 'unread') return [{ ...item, name: null }];
      const name = said.kind === 'command' || said.kind === 'edited' ? said.name : null;
      return name !== null && definitionOf(name)?.holdsBack === true ? [{ ...item, name }] : [];
    },
  );
}
