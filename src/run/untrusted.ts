/** A stranger's flood: whoever has no role in the repository gets at most one answer a thread and hour (docs/decisions/0046-a-flooded-thread.md). */

import { type Actor, type Permission, permits } from '../domain/actor.ts';
import { commentName, isQuiet, isToUntrusted } from '../domain/answer-key.ts';
import type { Instant } from '../domain/ids.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { PendingItem } from './pending-commands.ts';

/** A stranger's commands get at most one answer a thread in this time. */
const UNTRUSTED_ANSWER_PERIOD_MS = 60 * 60 * 1_000;

/** What an answer to a stranger records beside its own detail: `quiet` 1 = recorded, and answered by a reaction alone. */
export type UntrustedDetail = { readonly stranger: 1; readonly quiet: 0 | 1 };

/** Somebody without a role here. Who could not be asked about is nobody's stranger and nobody's colleague. */
export function isUntrusted(held: Observed<Permission> | undefined): boolean {
  return held?.kind === 'known' && !permits(held.value, 'triage');
}

/**
 * Whether the thread has had its answer to a stranger within the last hour, in another comment than this one: all
 * lines of one comment are answered together. `answered` are the commands of the thread's record.
 */
export function untrustedWereAnswered(
  answered: Iterable<SeenCommand>,
  item: PendingItem,
  now: Instant,
): boolean {
  for (const seen of answered) {
    if (seen.thread !== item.comment.thread || seen.answer === null) continue;
    const { at } = seen.answer;
    if (!isToUntrusted(seen) || isQuiet(seen)) continue;
    if (commentName({ surface: seen.surface, id: seen.comment }) === commentName(item.comment)) continue;
    if (now - (fromRfc3339(at) ?? now) < UNTRUSTED_ANSWER_PERIOD_MS) return true;
  }
  return false;
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
