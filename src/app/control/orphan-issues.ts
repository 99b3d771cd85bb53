/** Keeps an issue for each rented machine without a live run, and closes it when the machine is gone. */

import { limits } from '../../domain/limits.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { orphanMarker, orphanTitle, renderOrphan } from '../../render/issue-card.ts';
import type { OpenLab } from '../open-lab.ts';
import { keepIssue } from '../outbox.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';

const MACHINE_LABEL = 'ferrybot-machine';

/** Failures are retried the next time. Machines that ended long ago are ignored. */
export async function publishOrphans(open: OpenLab, troubles: Trouble[]): Promise<void> {
  const since = after(open.lab.now(), -limits.overLookMs);
  const owed = open.store
    .current()
    .journal.orphans.filter(({ endedAt }) => endedAt === null || (fromRfc3339(endedAt) ?? 0) >= since);
  for (const orphan of owed)
    await contained(open, troubles, inCluster(orphan.cluster), () =>
      keepIssue(open, {
        label: MACHINE_LABEL,
        marker: markerIdentity(orphanMarker(orphan)),
        title: orphanTitle(orphan),
        body: renderOrphan(orphan),
        state: orphan.endedAt === null ? null : 'closed',
      }),
    );
}
