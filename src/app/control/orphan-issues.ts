/** Tells people of rented machines that had no live run: an issue for each, closed when the machine is seen to be gone. */

import { limits } from '../../domain/limits.ts';
import type { Orphan } from '../../domain/logbook/orphans.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { orphanMarker, orphanTitle, renderOrphan } from '../../render/issue-card.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import { keepIssue } from './outbox.ts';

/** Label by which the issues are found again. */
const MACHINE_LABEL = 'ferrybot-machine';

/** What each issue was seen to say last by this process; it grows. */
export type OrphanCache = Map<string, string>;

/** What GitHub does not take now is done at the next look; of machines that went long ago nobody speaks any more. */
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
