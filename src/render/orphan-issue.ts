/** The issue about a rented machine of ours for which no live run is known: found, destroyed, seen to be gone. */

import type { Orphan } from '../domain/logbook/orphans.ts';
import type { Marker } from '../domain/marker.ts';
import { comment } from './comment.ts';
import { code, paragraphs, text, utc } from './words.ts';

/** Marker of the one issue of such a machine. */
export function orphanMarker({ cluster, instance }: Orphan): Marker {
  return { run: 'journal', kind: 'issue', key: `machine-${cluster}-${instance}`, fields: {} };
}

/** Its title, whatever became of the machine. */
export function orphanTitle({ cluster, instance }: Orphan): string {
  return `Rented machine ${instance} of ${text(cluster)} had no live run`;
}

/** The source of its description. */
export function renderOrphan(orphan: Orphan): string {
  const { instance, jobId, cluster, since, endedAt, microdollars } = orphan;
  const cost = `$${(microdollars / 1_000_000).toFixed(2)}`;
  return comment(
    orphanMarker(orphan),
    paragraphs(
      `**Machine ${instance} on ${code(cluster)} carried our label with the job ${code(jobId)}, for which no live run is known.**`,
      `- Found: ${utc(since)}, by a whole read of the account\n- Cost until then: about ${cost}, as if it had done since its creation what it did then; one that had stopped, as if it had run`,
      endedAt === null
        ? '**It is being destroyed**, and asked to go at every look. As long as this issue is open the account has not been seen without it: who wants to be sure destroys it in the console.'
        : `**Destroyed**: a whole read of the account at ${utc(endedAt)} has it no more. Nothing has to be done.`,
      'A creation whose answer came late, or a run that was given up while its machine was there, leaves one behind.',
    ),
  );
}
