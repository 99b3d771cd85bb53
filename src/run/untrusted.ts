/** People without a role in the repository get one answer per thread, up to ten people. */

import { type Actor, type Permission, permits } from '../domain/actor.ts';
import { commentName, isQuiet, isToUntrusted } from '../domain/answer-key.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import type { PendingItem } from './pending-commands.ts';

/** `quiet` 1 = recorded and answered only by a reaction. */
export type UntrustedDetail = { readonly stranger: 1; readonly quiet: 0 | 1 };

/** Keeps a flood of accounts from exhausting GitHub's hourly write limit. */
export const UNTRUSTED_ANSWERS_PER_THREAD_MAX = 10;

/** False while the permission is unknown. */
export function isUntrusted(held: Observed<Permission> | undefined): boolean {
  return held?.kind === 'known' && !permits(held.value, 'triage');
}

/**
 * Whether another comment of this person was answered in this thread, or the thread reached its limit. `answered`: the thread's recorded
 * commands.
 */
export function wasToldBefore(answered: Iterable<SeenCommand>, { comment }: PendingItem): boolean {
  const others = new Set<number>();
  for (const seen of answered) {
    if (seen.thread !== comment.thread || !isToUntrusted(seen) || isQuiet(seen)) continue;
    if (commentName({ surface: seen.surface, id: seen.comment }) === commentName(comment)) continue;
    if (seen.actor.id === comment.author.id) return true;
    others.add(seen.actor.id);
  }
  return others.size >= UNTRUSTED_ANSWERS_PER_THREAD_MAX;
}

/** Moves items of outsiders to the end. */
export function colleaguesFirst(
  items: readonly PendingItem[],
  permissions: ReadonlyMap<number, Observed<Permission>>,
): readonly PendingItem[] {
  const isOfUntrusted = ({ comment }: PendingItem): boolean =>
    isUntrusted(permissions.get(comment.author.id));
  return [...items.filter((item) => !isOfUntrusted(item)), ...items.filter(isOfUntrusted)];
}

/** Authors with the fewest waiting items first, so that a flood does not delay others. */
export function quietFirst(items: readonly PendingItem[]): readonly Actor[] {
  const theirs = Map.groupBy(items, ({ comment }) => comment.author.id);
  return [...theirs.values()]
    .toSorted((a, b) => a.length - b.length)
    .flatMap(([first]) => (first === undefined ? [] : [first.comment.author]));
}

/** Marks an answer to an outsider. */
export function untrustedDetail(wereTold: boolean): UntrustedDetail {
  return { stranger: 1, quiet: wereTold ? 1 : 0 };
}
