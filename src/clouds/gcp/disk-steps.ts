/** The exact calls of a disk clean-up, as they are proposed, consented to and made (policy AG-18 and AG-19). */

import type { MutationStep } from '../../domain/care/mutation.ts';
import type { MountPoint, TpuWorker } from '../../domain/care/worker-disk.ts';
import { cleanCommand } from './clean-script.ts';
import { sshArguments } from './ssh.ts';

/** Clears the mount point on one worker, or does nothing and says why (`cleanCommand`). */
export function cleanStep(project: string, worker: TpuWorker, mountPoint: MountPoint): MutationStep {
  return {
    does: 'clean-disk',
    command: ['gcloud', ...sshArguments(project, worker, cleanCommand(mountPoint))],
  };
}
