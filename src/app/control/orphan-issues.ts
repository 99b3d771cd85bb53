/** Keeps an issue for each rented machine without a live run, and closes it when the machine is gone. */

import { limits } from '../../domain/limits.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { orphanMarker, orphanTitle, renderOrphan } from '../../render/issue-card.ts';
import { keepIssue } from '../outbox.ts';
import { inCluster } from '../trouble.ts';
import type { Turn, Work } from './turn.ts';

const MACHINE_LABEL = 'ferrybot-machine';

/** Machines that are or were recently there. Failures are retried the next time. */
export function orphanIssues({ open }: Turn): readonly Work[] {
  const since = after(open.lab.now(), -limits.overLookMs);
  return open.store
    .current()
    .journal.orphans.filter(({ endedAt }) => endedAt === null || (fromRfc3339(endedAt) ?? 0) >= since)
    .map((orphan) => ({
      where: inCluster(orphan.cluster),
      reconcile: async () => {
        await keepIssue(open, {
          label: MACHINE_LABEL,
          marker: markerIdentity(orphanMarker(orphan)),
          title: orphanTitle(orphan),
          body: renderOrphan(orphan),
          state: orphan.endedAt === null ? null : 'closed',
        });
      },
    }));
}
