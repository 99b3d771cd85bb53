/** The arguments of `sbatch` for one job: settings of the cluster and paths of ours, never a value of the job. Pure. */

import type { JobMetadata } from '../../domain/engine.ts';
import { commentOf } from './comment.ts';
import { type JobPaths, messagesOf } from './job-folder.ts';
import type { SlurmCluster } from './schema.ts';

/** No array and no heterogeneous job can come of them; `singleton` lets one job of the name run at a time. */
export function sbatchArguments(
  cluster: SlurmCluster,
  paths: JobPaths,
  submissionId: string,
  metadata: JobMetadata,
): readonly string[] {
  const { containerImage, mayRequeue } = cluster;
  const asked = {
    partition: cluster.partition,
    account: cluster.account,
    qos: cluster.qos,
    reservation: cluster.reservation,
    time: cluster.timeLimit,
    gres: cluster.gres,
    constraint: cluster.constraint,
    nodes: cluster.nodes,
    'cpus-per-task': cluster.cpusPerTask,
    mem: cluster.memoryMb === null ? null : `${cluster.memoryMb}M`,
    'container-image': containerImage,
    'container-mounts': containerImage === null ? null : `${paths.folder}:${paths.folder}`,
  };
  return [
    '--parsable',
    `--job-name=${submissionId}`,
    `--comment=${commentOf(metadata)}`,
    '--dependency=singleton',
    '--export=NIL',
    '--input=/dev/null',
    `--chdir=${paths.folder}`,
    `--output=${messagesOf(paths, '%j')}`,
    mayRequeue ? '--requeue' : '--no-requeue',
    ...Object.entries(asked).flatMap(([name, value]) => (value === null ? [] : [`--${name}=${value}`])),
    paths.wrapper,
    paths.folder,
    mayRequeue ? 'restarts' : 'once',
  ];
}
