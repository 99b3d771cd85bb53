/** Rules for disk care: the thresholds stand in order, the commands name what they have to, and no secret of ours goes there. */

import type { KeyPath, Misfit } from '../config-problem.ts';
import type { DiskConfig } from '../disk-schema.ts';
import { templateMisfits } from './argument-template.ts';
import { error, type Rule } from './rule.ts';
import { reservedName, writtenSecret } from './secret-words.ts';

function ofEachDisk(misfitsOf: (at: KeyPath, disk: DiskConfig) => readonly Misfit[]): Rule {
  return {
    reads: ['clusters'],
    misfits: ({ clusters }) =>
      Object.entries(clusters).flatMap(([name, cluster]) =>
        cluster.engine === 'ray' && cluster.disk !== null
          ? misfitsOf(['clusters', name, 'disk'], cluster.disk)
          : [],
      ),
  };
}

const workersCanBeFound: Rule = {
  reads: ['clusters'],
  misfits: ({ clusters }) =>
    Object.entries(clusters).flatMap(([name, cluster]) =>
      cluster.engine === 'ray' && cluster.disk !== null && cluster.gcp === null
        ? [
            error(
              'disk-nowhere',
              ['clusters', name, 'disk'],
              'needs gcp beside it: project and zones of the workers',
            ),
          ]
        : [],
    ),
};

const warningComesFirst = ofEachDisk((at, { thresholdPercent, warnPercent }) =>
  warnPercent < thresholdPercent
    ? [error('thresholds-order', [...at, 'warnPercent'], `less than the threshold of ${thresholdPercent}`)]
    : [],
);

const COMMANDS = [
  { key: 'scan', may: ['clusterFile', 'threshold'], must: ['threshold'] },
  { key: 'initWorker', may: ['clusterFile', 'worker'], must: ['worker'] },
  { key: 'startCleanup', may: ['clusterFile'], must: [] },
] as const;
const CHECKS = [
  { key: 'cleanupAlive', may: ['clusterFile'], must: [] },
  { key: 'workerSeen', may: ['clusterFile', 'worker'], must: [] },
] as const;

const commandsAreComplete = ofEachDisk((at, disk) => [
  ...COMMANDS.flatMap(({ key, may, must }) => templateMisfits([...at, key], disk[key], may, must)),
  ...templateMisfits([...at, 'pythonWithoutUv'], disk.pythonWithoutUv ?? [], [], []),
  ...CHECKS.flatMap(({ key, may, must }) =>
    templateMisfits([...at, key, 'command'], disk[key]?.command ?? [], may, must),
  ),
]);

/** The scan looks and changes nothing: without this word the script restarts workers. */
const scanIsDry = ofEachDisk((at, { scan }) =>
  scan.includes('--dry-run')
    ? []
    : [
        error(
          'scan-not-dry',
          [...at, 'scan'],
          '--dry-run has to stand in it: without it workers are restarted',
        ),
      ],
);

const nothingOfOursIsPassed = ofEachDisk((at, disk) => [
  ...disk.passVariables.flatMap((name, index) => reservedName([...at, 'passVariables', index], name)),
  ...COMMANDS.flatMap(({ key }) =>
    disk[key].flatMap((text, index) => writtenSecret([...at, key, index], text)),
  ),
]);

export const DISK_RULES: readonly Rule[] = [
  workersCanBeFound,
  warningComesFirst,
  commandsAreComplete,
  scanIsDry,
  nothingOfOursIsPassed,
];
