/** The files of a private Slurm cluster on this machine: its configuration and its key, in its own folder. */

import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, hostname, totalmem, userInfo } from 'node:os';
import { join } from 'node:path';
import { slurm } from '../../packages/playground/limits/limits.ts';
import type { ClusterRecord } from '../private-cluster.ts';

/** The number of ports that a cluster needs. */
export const PORTS = 2;

/** The file for SLURM_CONF. */
export function configurationPath({ folder }: ClusterRecord): string {
  return join(folder, 'slurm.conf');
}

/** The socket of munge, which authenticates users. */
export function socketPath({ folder }: ClusterRecord): string {
  return join(folder, 'munge.socket');
}

/** Writes missing files. The key belongs to this cluster, and only its owner can read it. */
export async function writeCluster(record: ClusterRecord): Promise<void> {
  const { folder } = record;
  await mkdir(join(folder, 'state'), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'spool'), { recursive: true, mode: 0o755 });
  await writeFile(join(folder, 'munge.key'), randomBytes(slurm.keyBytes), { flag: 'wx', mode: 0o400 }).catch(
    (error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    },
  );
  await writeFile(configurationPath(record), configuration(record), { mode: 0o644 });
}

function configuration(record: ClusterRecord): string {
  const { folder, ports } = record;
  const [controller, node] = ports;
  const user = userInfo().username;
  const settings = {
    ClusterName: 'rehearsal',
    SlurmctldHost: 'localhost(127.0.0.1)',
    SlurmUser: user,
    SlurmdUser: user,
    AuthType: 'auth/munge',
    CredType: 'cred/munge',
    AuthInfo: `socket=${socketPath(record)}`,
    SlurmctldPort: controller,
    SlurmdPort: node,
    StateSaveLocation: join(folder, 'state'),
    SlurmdSpoolDir: join(folder, 'spool'),
    SlurmctldPidFile: join(folder, 'slurmctld.pid'),
    SlurmdPidFile: join(folder, 'slurmd.pid'),
    SlurmctldLogFile: join(folder, 'slurmctld.log'),
    SlurmdLogFile: join(folder, 'slurmd.log'),
    MpiDefault: 'none',
    // No cgroups: they need control of the whole machine.
    ProctrackType: 'proctrack/pgid',
    TaskPlugin: 'task/none',
    SwitchType: 'switch/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_Core',
    ReturnToService: 2,
    AccountingStorageType: 'accounting_storage/none',
    MinJobAge: slurm.minJobAgeS,
    KillWait: slurm.killWaitS,
  };
  const cpus = availableParallelism();
  const memoryMb = Math.floor(totalmem() / 2 ** 20 / 2);
  return [
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    `NodeName=localhost NodeHostname=${hostname()} NodeAddr=127.0.0.1 CPUs=${cpus} RealMemory=${memoryMb}`,
    'PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8',
    '',
  ].join('\n');
}
