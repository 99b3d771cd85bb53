/** The steps of disk maintenance for one cluster, proposed and later run unchanged. */

import { cleanStep } from '../../clouds/gcp/clean-script.ts';
import { scriptCommand } from '../../clouds/gcp/script-command.ts';
import type { ScannedWorker } from '../../domain/care/disk-scan.ts';
import type { MutationStep } from '../../domain/care/mutation.ts';
import { isTpuName, isZone } from '../../domain/care/worker-disk.ts';
import { branded } from '../../domain/ids.ts';
import type { DiskPlace } from './disk-port.ts';

type DiskSteps = {
  readonly clean: (worker: Pick<ScannedWorker, 'tpu' | 'worker' | 'vm'>) => MutationStep;
  readonly initialise: (tpu: string) => MutationStep;
  readonly startCleanup: () => MutationStep;
};

export function diskStepsOf({ disk, mountPoint, gcp }: DiskPlace): DiskSteps {
  const { clusterFile } = disk;
  return {
    clean: ({ tpu, worker, vm }) => {
      // The scan has checked these names.
      const place = { tpu: branded(tpu, isTpuName), zone: branded(vm?.zone ?? '', isZone), worker };
      return cleanStep(gcp.project, place, mountPoint);
    },
    initialise: (tpu) => ({
      does: 'init-worker',
      ...scriptCommand(
        disk.initWorker,
        { clusterFile, worker: branded(tpu, isTpuName) },
        disk.pythonWithoutUv,
      ),
    }),
    startCleanup: () => ({
      does: 'start-cleanup-cron',
      ...scriptCommand(disk.startCleanup, { clusterFile }, disk.pythonWithoutUv),
    }),
  };
}
