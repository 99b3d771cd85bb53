/** Keeps an issue for each rented machine without a live run, and closes it when the machine is gone. */

import { limits } from '../../domain/limits.ts';
import type { Orphan } from '../../domain/logbook/orphans.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { orphanMarker, orphanTitle, renderOrphan } from '../../render/issue-card.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import { keepIssue } from './outbox.ts';

const MACHINE_LABEL = 'ferrybot-machine';

/** What each issue showed when this process last saw it. */
export type OrphanCache = Map<string, string>;

/** Failures are retried the next time. Machines that ended long ago are ignored. */
export async function publishOrphans(open: OpenLab, memory: OrphanCache, troubles: Trouble[]): Promise<void> {
  const since = after(open.lab.now(), -limits.overLookMs);
  const owed = open.store.current().journal.orphans.filter((orphan) => {
    const isNew = orphan.endedAt === null || (fromRfc3339(orphan.endedAt) ?? 0) >= since;
    return isNew && memory.get(keyOf(orphan)) !== renderOrphan(orphan);
  });
  for (const orphan of owed.slice(0, limits.journalThreadsPerTriggerMax))
    await contained(open, troubles, inCluster(orphan.cluster), async () => {
      const kept = await keepIssue(open, {
        label: MACHINE_LABEL,
        marker: keyOf(orphan),
        title: orphanTitle(orphan),
        body: renderOrphan(orphan),
        state: orphan.endedAt === null ? null : 'closed',
        isOpened: true,
      });
      if (kept.kind === 'known') memory.set(keyOf(orphan), renderOrphan(orphan));
    });
}

function keyOf(orphan: Orphan): string {
  return markerIdentity(orphanMarker(orphan));
}
