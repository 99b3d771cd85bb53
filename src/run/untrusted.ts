/** Untrusted commenters: each person without a role in the repository is answered once in a thread, the first ten of them. */

import { type Actor, type Permission, permits } from '../domain/actor.ts';
import { commentName, isQuiet, isToUntrusted } from '../domain/answer-key.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import type { PendingItem } from './pending-commands.ts';

/** What an answer to a stranger records beside its own detail: `quiet` 1 = recorded, and answered by a reaction alone. */
export type UntrustedDetail = { readonly stranger: 1; readonly quiet: 0 | 1 };

/** People without a role who are answered in one thread. A flood of accounts must not use up what the bot may write in an hour. */
export const UNTRUSTED_ANSWERS_PER_THREAD_MAX = 10;

/** Somebody without a role here. Who could not be asked about is nobody's stranger and nobody's colleague. */
export function isUntrusted(held: Observed<Permission> | undefined): boolean {
  return held?.kind === 'known' && !permits(held.value, 'triage');
}

/**
 * Whether this commenter has had their answer in this thread, to another comment than this one, or the thread has had all
 * answers that it gives. All lines of one comment are answered together. `answered`: the commands of the thread's record.
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

/** The items in their order, but for those of strangers, which come last: what they say changes nothing, and there may be thousands. */
export function colleaguesFirst(
  items: readonly PendingItem[],
  permissions: ReadonlyMap<number, Observed<Permission>>,
): readonly PendingItem[] {
  const isOfUntrusted = ({ comment }: PendingItem): boolean =>
    isUntrusted(permissions.get(comment.author.id));
  return [...items.filter((item) => !isOfUntrusted(item)), ...items.filter(isOfUntrusted)];
}

/** The authors of what waits, those with the least of it first: one who floods a thread keeps nobody else from being asked about. */
export function quietFirst(items: readonly PendingItem[]): readonly Actor[] {
  const theirs = Map.groupBy(items, ({ comment }) => comment.author.id);
  return [...theirs.values()]
    .toSorted((a, b) => a.length - b.length)
    .flatMap(([first]) => (first === undefined ? [] : [first.comment.author]));
}

/** The addition to a stranger's answer. */
export function untrustedDetail(wereTold: boolean): UntrustedDetail {
  return { stranger: 1, quiet: wereTold ? 1 : 0 };
}
