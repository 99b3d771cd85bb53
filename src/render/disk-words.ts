/** The sentence for each finding of a disk scan, and for each state of the cleanup job. */

import type { CleanupState, DiskFinding, RecordedScan, ScannedWorker } from '../domain/care/disk-scan.ts';
import type { MutationKind } from '../domain/care/mutation.ts';
import { code, text } from './words.ts';

type Place = Pick<RecordedScan, 'mountPoint'>;

/** Why a worker is short, for its row. */
export const FINDING_WORDS: Readonly<Record<DiskFinding, (worker: ScannedWorker, place: Place) => string>> = {
  'mount-missing': ({ detail }, { mountPoint }) =>
    `nothing is mounted on ${code(mountPoint)}, and ${gigabytes(Number(detail['misplacedBytes'] ?? 0))} stand there on the boot disk; without them ${text(String(detail['percentFreeAfter'] ?? ''))}% would be free`,
  'mount-missing-empty': (_worker, { mountPoint }) =>
    `nothing is mounted on ${code(mountPoint)}, but nothing stands there either: something else fills the disk`,
  'mount-there': ({ detail }, { mountPoint }) =>
    `${code(mountPoint)} is mounted (${text(String(detail['type'] ?? ''))}): something else fills the disk`,
  'mount-below': ({ detail }, { mountPoint }) =>
    `${code(mountPoint)} is not mounted, but ${code(String(detail['at'] ?? ''))} below it is: a person has to look`,
  'other-disk': ({ detail }, { mountPoint }) =>
    `${code(mountPoint)} is not on the boot disk but on what is mounted on ${code(String(detail['at'] ?? ''))}: something else fills the disk`,
  'disk-unread': ({ detail }) =>
    `unknown: its disk could not be read again: ${text(String(detail['why'] ?? ''))}`,
  'mounts-unread': ({ detail }) =>
    `unknown: its mounts could not be read: ${text(String(detail['why'] ?? ''))}`,
  'folders-unread': ({ detail }) =>
    `unknown: what takes the room could not be read: ${text(String(detail['why'] ?? ''))}`,
  'vm-unknown': () => 'unknown: the cloud lists no such TPU VM, or could not be asked',
  'not-inspected': () => 'unknown: more workers are short than one scan looks at',
};

/** What a step does, for people. */
export const STEP_WORDS: Readonly<Record<MutationKind, string>> = {
  'clean-disk':
    'clear the mount point on one worker, or do nothing if anything is mounted there by then; what is in the bucket is not reached',
  'init-worker': 'initialise Ray on the TPU VM again, then look at its disk, its mount and at Ray',
  'start-cleanup-cron': 'start the cleanup job on the head node, then look whether it is alive',
  'delete-tpu-vm': 'delete the TPU VM',
  'delete-checkpoint': 'delete one checkpoint, then look whether it is gone',
};

/** How the cleanup job of the head node was found. */
export const CLEANUP_WORDS: Readonly<Record<Exclude<CleanupState, 'not-asked'>, string>> = {
  alive: 'The cleanup job of the head node is alive.',
  'not-seen':
    'The cleanup job of the head node was not seen: the look answered, and not as it does when the job is alive.',
  unknown: 'Whether the cleanup job of the head node is alive is unknown: the look gave no answer.',
};

/** `62.1 GB`, powers of ten as the clouds count. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
