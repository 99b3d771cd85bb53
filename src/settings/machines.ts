/** Keys of a cluster of TPU VMs on Google Cloud: their location, and the handling of bad ones. */

import { z } from 'zod';
import { isMountPoint } from '../domain/care/machines.ts';
import {
  type ConfigIssue,
  checkReservedName,
  checkWrittenSecret,
  errorIf,
  type KeyPath,
  templateIssues,
} from './problem.ts';
import { argumentArray, orNull, path, setting, variable } from './words.ts';

const gcp = z.strictObject({
  project: z
    .string()
    .regex(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'the id of a project')
    .describe('Project that the TPU VMs are in.'),
  zones: z
    .array(z.string().regex(/^[a-z]+-[a-z]+\d+-[a-z]$/, 'a zone such as us-central1-a'))
    .min(1)
    .max(20)
    .describe('Zones to search for workers of this cluster.'),
});

const badNodes = z
  .strictObject({
    approval: setting(
      z.enum(['ask', 'pre-approved']),
      'ask',
      'ask: a bad TPU VM is deleted when a person consents in the thread; pre-approved: also by this entry, once the job has failed.',
    ),
    deletesPerDayMax: setting(
      z.int().min(1).max(20),
      2,
      'pre-approved: more deletions on this cluster within 24 hours take a person.',
    ),
    replacementWaitMinutes: setting(
      z.int().min(1).max(240),
      30,
      'How long a replacement is waited for before the job is started again.',
    ),
  })
  .prefault({})
  .describe('What becomes of a TPU VM that the log shows to be bad.');

export const gcpKeys = {
  gcp: orNull(gcp, 'Where the TPU VMs of this cluster are; null: nothing is proposed for them.'),
  badNodes,
};

export type GcpConfig = z.infer<typeof gcp>;
export type BadNodesConfig = z.infer<typeof badNodes>;

const check = z.strictObject({
  command: argumentArray.describe('Argument array of a program that only reads; {clusterFile} is filled in.'),
  expect: z
    .string()
    .min(1)
    .max(300)
    .refine(isPattern, 'a regular expression')
    .describe('Regular expression that its output matches where all is well.'),
});

const CLUSTER_PY = ['uv', 'run', 'scripts/ray/cluster.py', '--config', '{clusterFile}'];

/** Marin's scripts/ray/cleanup_workers.py replaced cleanup_disk.py. */
const MARIN_DEFAULTS =
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
    'The issue of the cluster reports a worker with at most this much free disk.',
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
    `Finds workers with little free disk and changes nothing; {clusterFile}, {threshold}. The default is the policy's; Marin uses another script since 17 December 2025: ${MARIN_DEFAULTS}`,
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
  cleanupAlive: orNull(check, 'How to check that the cleanup job on the head node is alive; null: no check.'),
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

type Rule = (at: KeyPath, disk: DiskConfig) => readonly ConfigIssue[];

const warningComesFirst: Rule = (at, { thresholdPercent, warnPercent }) =>
  errorIf(
    warnPercent < thresholdPercent,
    'thresholds-order',
    [...at, 'warnPercent'],
    `less than the threshold of ${thresholdPercent}`,
  );

const COMMANDS = [
  { key: 'scan', may: ['clusterFile', 'threshold'], must: ['threshold'] },
  { key: 'initWorker', may: ['clusterFile', 'worker'], must: ['worker'] },
  { key: 'startCleanup', may: ['clusterFile'], must: [] },
] as const;

const commandsAreComplete: Rule = (at, disk) => [
  ...COMMANDS.flatMap(({ key, may, must }) => templateIssues([...at, key], disk[key], may, must)),
  ...templateIssues([...at, 'pythonWithoutUv'], disk.pythonWithoutUv ?? [], [], []),
  ...templateIssues([...at, 'cleanupAlive', 'command'], disk.cleanupAlive?.command ?? [], ['clusterFile'], []),
];

/** Without this option the script restarts workers. */
const scanIsDry: Rule = (at, { scan }) =>
  errorIf(
    !scan.includes('--dry-run'),
    'scan-not-dry',
    [...at, 'scan'],
    '--dry-run has to stand in it: without it workers are restarted',
  );

const nothingOfOursIsPassed: Rule = (at, disk) => [
  ...disk.passVariables.flatMap((name, index) => checkReservedName([...at, 'passVariables', index], name)),
  ...COMMANDS.flatMap(({ key }) => disk[key].flatMap((text, index) => checkWrittenSecret([...at, key, index], text))),
];

/** The issues of one cluster; `hasPlace`: its project and zones are configured. */
export function diskIssues(at: KeyPath, disk: DiskConfig | null, hasPlace: boolean): readonly ConfigIssue[] {
  if (disk === null) return [];
  return [
    ...errorIf(!hasPlace, 'disk-nowhere', at, 'needs gcp beside it: project and zones of the workers'),
    ...RULES.flatMap((rule) => rule(at, disk)),
  ];
}

const RULES: readonly Rule[] = [warningComesFirst, commandsAreComplete, scanIsDry, nothingOfOursIsPassed];
