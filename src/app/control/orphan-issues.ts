/** Tells people of rented machines that had no live run: an issue for each, closed when the machine is seen to be gone. */

import { limits } from '../../domain/limits.ts';
import type { Orphan } from '../../domain/logbook/orphans.ts';
import { markerIdentity, saysTheSame } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { findIssue } from '../../github/issues.ts';
import { orphanMarker, orphanTitle, renderOrphan } from '../../render/orphan-issue.ts';
import { issueMarkerReader } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import { perform } from './perform.ts';

/** Label by which the issues are found again. */
const MACHINE_LABEL = 'ferrybot-machine';

/** What each issue was seen to say last by this process; it grows. */
export type OrphanMemory = Map<string, string>;

/** What GitHub does not take now is done at the next look; of machines that went long ago nobody speaks any more. */
export async function tellOrphans(open: OpenLab, memory: OrphanMemory, troubles: Trouble[]): Promise<void> {
  const since = after(open.lab.now(), -limits.overLookMs);
  const owed = open.store.current().journal.orphans.filter((orphan) => {
    const isNew = orphan.endedAt === null || (fromRfc3339(orphan.endedAt) ?? 0) >= since;
    return isNew && memory.get(keyOf(orphan)) !== renderOrphan(orphan);
  });
  for (const orphan of owed.slice(0, limits.journalThreadsPerTriggerMax))
    await contained(open, troubles, inCluster(orphan.cluster), async () => {
      if (await tell(open, orphan)) memory.set(keyOf(orphan), renderOrphan(orphan));
    });
}

function keyOf(orphan: Orphan): string {
  return markerIdentity(orphanMarker(orphan));
}

async function tell(open: OpenLab, orphan: Orphan): Promise<boolean> {
  const { lab, config } = open;
  const marker = keyOf(orphan);
  const markerOf = issueMarkerReader(lab, config);
  const found = await findIssue(lab.client, MACHINE_LABEL, (number, text) => {
    const standing = markerOf(number, text);
    return standing !== null && markerIdentity(standing) === marker;
  });
  if (found.kind === 'unknown') return false;
  const body = renderOrphan(orphan);
  if (found.value === null) {
    const title = orphanTitle(orphan);
    const opened = await perform(open, { kind: 'open-issue', marker, title, body, labels: [MACHINE_LABEL] });
    if (opened.kind !== 'done' || opened.number === null) return false;
    // One that was over before it could be told is told all the same, and closed by the next look.
    return orphan.endedAt === null;
  }
  const { number, isOpen, body: said } = found.value;
  const state = orphan.endedAt !== null && isOpen ? 'closed' : null;
  if (saysTheSame(said, body) && state === null) return true;
  const done = await perform(open, { kind: 'edit-issue', issue: number, expected: null, body, state });
  return done.kind === 'done';
}
