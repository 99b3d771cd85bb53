/** Keys of a cluster's disk maintenance: the mount point, the thresholds, and the lab's commands (policy AG-16 to AG-21). */

import { z } from 'zod';
import { isMountPoint } from '../domain/care/worker-disk.ts';
import { argumentArray, path, setting, unset, variable } from './words.ts';

/** A reading command, and the output it gives if all is well. */
const check = z.strictObject({
  command: argumentArray.describe(
    'Argument array of a program that only reads; {clusterFile} and {worker} are filled in.',
  ),
  expect: z
    .string()
    .min(1)
    .max(300)
    .refine(isPattern, 'a regular expression')
    .describe('Regular expression that its output matches where all is well.'),
});

const CLUSTER_PY = ['uv', 'run', 'scripts/ray/cluster.py', '--config', '{clusterFile}'];

/** Marin's scripts/ray/cleanup_workers.py replaced cleanup_disk.py. */
const MARIN_TODAY =
  '[uv, run, scripts/ray/cleanup_workers.py, --config, "{clusterFile}", --threshold, "{threshold}", --dry-run].';

export const diskSchema = z.strictObject({
  mountPoint: z
    .string()
    .refine(
      isMountPoint,
      'an absolute path of at least two plain names outside of the system, such as /tmp/gcsfuse_mount',
    )
    .describe('Where the bucket is mounted on every worker; the only folder that is ever cleared.'),
  clusterFile: path.describe('File of the cluster under infra/, which the scripts take as --config.'),
  thresholdPercent: setting(
    z.int().min(1).max(50),
    10,
    'A worker with no more free disk than this is told in the issue of the cluster.',
  ),
  warnPercent: setting(
    z.int().min(1).max(90),
    20,
    'A worker with no more than this is watched, and the issue stays open for it.',
  ),
  scan: setting(
    argumentArray,
    [
      ...['uv', 'run', 'scripts/ray/cleanup_disk.py', '--config', '{clusterFile}'],
      ...['--threshold', '{threshold}', '--dry-run'],
    ],
    `Looks for workers with little free disk and changes nothing; {clusterFile}, {threshold}. The default is the policy's; Marin has it in another script since 17 December 2025: ${MARIN_TODAY}`,
  ),
  initWorker: setting(
    argumentArray,
    [...CLUSTER_PY, 'init-worker', '{worker}'],
    'Initialises {worker} again after its disk was cleared; {clusterFile}.',
  ),
  startCleanup: setting(
    argumentArray,
    [...CLUSTER_PY, 'start-cleanup'],
    "Starts the cleanup job on the head node; {clusterFile}. The default is the policy's; Marin's cluster.py has no such command since 17 December 2025, and no job on the head in its place: leave cleanupAlive out there, and it is never proposed.",
  ),
  pythonWithoutUv: setting(
    argumentArray.nullable(),
    ['.venv/bin/python'],
    'What takes the place of `uv run` in the commands here where uv itself cannot be started at all; null: nothing.',
  ),
  cleanupAlive: unset(
    check,
    'How to see that the cleanup job on the head node is alive; null: nobody looks.',
  ),
  workerSeen: unset(
    check,
    'How to see that Ray has the worker again; null: only its disk and its mount are looked at.',
  ),
  passVariables: setting(
    z.array(variable).max(20),
    [],
    'Names of runner environment variables that gcloud and the scripts get, such as CLOUDSDK_CONFIG.',
  ),
});

export type DiskConfig = z.infer<typeof diskSchema>;

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
