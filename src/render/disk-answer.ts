/** What the scan found that a job asked for by dying of a full disk, in that run's own thread. */

import type { FullDisk } from '../care/disk/scan-for-full.ts';
import type { RecordedScan } from '../domain/care/disk-scan.ts';
import type { Marker } from '../domain/marker.ts';
import { toRfc3339 } from '../domain/time.ts';
import { comment } from './comment.ts';
import { diskHeadline } from './disk-issue.ts';
import { code, paragraphs, utc } from './words.ts';

/** One answer for each time that a job of the run said so. */
export function diskAnswerMarker({ run, since }: FullDisk): Marker {
  return { run: run.run, kind: 'disk-answer', key: String(since), fields: {} };
}

/** `issue`: that of the cluster's disks; null where there is none, because nobody is short. */
export function renderDiskAnswer(full: FullDisk, scan: RecordedScan, issue: number | null): string {
  return comment(
    diskAnswerMarker(full),
    paragraphs(
      `**The job said that a disk is full (${utc(toRfc3339(full.since))}), and the workers of ${code(full.cluster)} were looked at.**`,
      `Scan of ${utc(scan.at)}: ${diskHeadline(scan)}`,
      whereNext(scan, issue),
    ),
  );
}

function whereNext({ workers, reading }: RecordedScan, issue: number | null): string {
  if (workers.length > 0 && issue !== null)
    return `Who is short, why, and what can be approved stands in #${issue}.`;
  return reading === 'whole'
    ? 'No boot disk of a worker explains it now: look at what else the job writes to, such as its output root and mounted shares.'
    : 'It may be one of the workers that could not be asked.';
}
