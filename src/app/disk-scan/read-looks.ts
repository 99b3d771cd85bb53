/** What the commands on one worker printed, read: each part is known, or unknown with the reason. */

import { readDiskUsage } from '../../care/disk/disk-usage.ts';
import { readFolderSizes } from '../../care/disk/folder-sizes.ts';
import { readMounts } from '../../care/disk/mounts.ts';
import type { Looks } from '../../care/disk/scan-record.ts';
import { folderOf, type WorkerAnswers } from '../../clouds/gcp/ssh.ts';
import type { MountPoint } from '../../domain/care/worker-disk.ts';
import { type Observed, unknown } from '../../domain/observed.ts';

/** Reads all three answers. */
export function readLooks({ disk, mounts, folders }: WorkerAnswers, mountPoint: MountPoint): Looks {
  return {
    disk: parsed(disk, readDiskUsage),
    mounts: parsed(mounts, readMounts),
    folders: parsed(folders, (text) => readFolderSizes(text, folderOf(mountPoint))),
  };
}

function parsed<Value>(answer: Observed<string>, read: (text: string) => Observed<Value>): Observed<Value> {
  return answer.kind === 'known' ? read(answer.value) : unknown(answer.why);
}
