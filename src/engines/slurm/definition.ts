/** The engine `slurm`: jobs of a Slurm cluster, through its own commands. */

import { z } from 'zod';
import { error } from '../../settings/problem.ts';
import { orNull, setting } from '../../settings/words.ts';
import { CLUSTER_KEYS, type EngineDefinition, place, timeoutMs } from '../definition.ts';

/** A name in Slurm. A leading dash would make it an option. */
const slurmName = z
  .string()
  .max(100)
  .regex(/^\w[\w.@-]*$/, 'letters, digits and . _ @ -, not - first');

const named = (about: string): z.ZodDefault<z.ZodNullable<typeof slurmName>> =>
  orNull(slurmName, `${about}; null: what Slurm takes by itself.`);

const count = (about: string, max: number): z.ZodDefault<z.ZodNullable<z.ZodInt>> =>
  orNull(z.int().min(1).max(max), `${about}; null: what Slurm takes by itself.`);

const modules = z.strictObject({
  init: setting(place, '/etc/profile.d/modules.sh', 'File of the compute nodes that brings the command `module`.'),
  load: z.array(slurmModule()).min(1).max(30).describe('Modules, loaded in this order.'),
});

function slurmModule(): z.ZodString {
  return z
    .string()
    .max(200)
    .regex(/^\w[\w.+/@-]*$/, 'such as cuda/12.4');
}

export const slurmSchema = z.strictObject({
  engine: z.literal('slurm').describe('Jobs of a Slurm cluster, through its commands on the runner, a login node.'),
  folder: place.describe(
    'Folder of job records, logs and shipped files on a file system that the runner and all compute nodes have under this path.',
  ),
  bin: orNull(place, 'Folder of sbatch, squeue, scancel, sinfo, sacct and scontrol; null: by PATH.'),
  conf: orNull(place, "SLURM_CONF for these commands; null: Slurm's default."),
  partition: named('Partition'),
  account: named('Account that is charged'),
  qos: named('Quality of service'),
  reservation: named('Reservation'),
  timeLimit: orNull(
    z
      .string()
      .max(20)
      .regex(/^(\d+-)?\d+(:\d{2}){0,2}$/, 'such as "1-12:00:00", "12:00:00" or "90" (minutes)'),
    'Time limit of a job; null: that of the partition.',
  ),
  gres: orNull(
    z
      .string()
      .max(200)
      .regex(/^\w[\w:,.-]*$/, 'such as gpu:8'),
    'Generic resources on each node, such as gpu:8; null: none.',
  ),
  constraint: orNull(
    z
      .string()
      .max(200)
      .regex(/^[\w([][\w&|()[\]*,.-]*$/, 'such as a100&nvlink'),
    'Features that the nodes have to have; null: any.',
  ),
  nodes: count('Nodes', 100_000),
  cpusPerTask: count('Processors of the task', 10_000),
  memoryMb: count('Memory on each node, in MB', 100_000_000),
  modules: orNull(modules, 'Environment modules for the command; null: none.'),
  containerImage: orNull(
    z
      .string()
      .max(300)
      .regex(/^[\w/][\w./:@#+-]*$/, 'such as nvcr.io#nvidia/pytorch:24.10-py3'),
    'Image in which the job runs, by the plugin pyxis (`--container-image`), with the job’s folder mounted; it needs bash 4.4. A hero contract that names a container has to name this one. Null: none.',
  ),
  mayRequeue: setting(
    z.boolean(),
    false,
    'Whether Slurm itself may restart the job after a preemption or a lost node; the watch reports such a restart of the same attempt. The file with the environment then remains until the end.',
  ),
  commandTimeoutMs: timeoutMs('one command of Slurm', 60_000),
  ...CLUSTER_KEYS,
});

export type SlurmCluster = z.infer<typeof slurmSchema>;

export const slurmEngine: EngineDefinition<typeof slurmSchema> = {
  schema: slurmSchema,
  configIssues: (at, { modules, containerImage }) =>
    modules !== null && containerImage !== null
      ? [error('bad-value', [...at, 'modules'], 'modules of the nodes are not in a container: choose one of both')]
      : [],
  traits: (cluster) => ({
    jobsRunHere: false,
    buildsChange: false,
    leavesOut: [],
    launcher: describeLauncher(cluster),
    ...(cluster.containerImage === null ? {} : { image: normalizeImage(cluster.containerImage) }),
    secretVariables: [],
    machines: null,
  }),
};

/** Pyxis writes `user@registry#name`. The user who pulls the image does not change the image. */
function normalizeImage(written: string): string {
  const [before = '', ...rest] = written.split('#');
  if (rest.length === 0) return written;
  const registry = before.replace(/^docker:\/\//, '').replace(/^[^@]*@/, '');
  return [registry, ...rest].join('/');
}

/** Everything that decides where and how a job runs, but not the paths of the commands and the folder. */
function describeLauncher(cluster: SlurmCluster): string {
  const { partition, account, qos, reservation, timeLimit, gres, constraint } = cluster;
  const { nodes, cpusPerTask, memoryMb, modules, containerImage, mayRequeue } = cluster;
  return JSON.stringify({
    ...{ partition, account, qos, reservation, timeLimit, gres, constraint },
    ...{ nodes, cpusPerTask, memoryMb, modules, containerImage, mayRequeue },
  });
}
