/** Rented machines without a known live run, in the repository journal. */

import type { EventDraft, LogbookEvent } from './event.ts';
import type { TearDown } from './events/rental-events.ts';

/** `endedAt` null: no complete listing without it yet. */
export type Orphan = TearDown & {
  readonly seq: number;
  readonly since: string;
  readonly endedAt: string | null;
};

/** The orphans after one more journal event. */
export function orphansAfter(orphans: readonly Orphan[], event: LogbookEvent): readonly Orphan[] {
  if (event.type === 'tear-down-begun')
    return [...orphans, { ...event.data, seq: event.seq, since: event.at, endedAt: null }];
  if (event.type !== 'tear-down-ended') return orphans;
  return orphans.map((one) =>
    isOpen(one, event) ? { ...one, endedAt: event.at, microdollars: event.data.microdollars } : one,
  );
}

/** The rule that the event breaks, or null. */
export function illegalOrphan(orphans: readonly Orphan[], event: EventDraft): string | null {
  if (event.type !== 'tear-down-begun' && event.type !== 'tear-down-ended') return null;
  const isBegun = orphans.some((one) => isOpen(one, event));
  if (event.type === 'tear-down-begun') return isBegun ? 'a machine is torn down once' : null;
  return isBegun ? null : 'tear-down-ended of what was not begun';
}

/** Orphans that may still exist. */
export function openOrphans(orphans: readonly Orphan[]): readonly Orphan[] {
  return orphans.filter(({ endedAt }) => endedAt === null);
}

function isOpen(one: Orphan, { data }: { readonly data: Pick<TearDown, 'instance' | 'cluster'> }): boolean {
  return one.endedAt === null && one.instance === data.instance && one.cluster === data.cluster;
}
