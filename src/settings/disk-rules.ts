/** Rules for disk maintenance: ordered thresholds, complete commands, no secrets. */

import { templateIssues } from './argument-template.ts';
import type { DiskConfig } from './disk-schema.ts';
import { type ConfigIssue, errorIf, type KeyPath } from './problem.ts';
import { reservedName, writtenSecret } from './secret-words.ts';

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
const CHECKS = [
  { key: 'cleanupAlive', may: ['clusterFile'], must: [] },
  { key: 'workerSeen', may: ['clusterFile', 'worker'], must: [] },
] as const;

const commandsAreComplete: Rule = (at, disk) => [
  ...COMMANDS.flatMap(({ key, may, must }) => templateIssues([...at, key], disk[key], may, must)),
  ...templateIssues([...at, 'pythonWithoutUv'], disk.pythonWithoutUv ?? [], [], []),
  ...CHECKS.flatMap(({ key, may, must }) =>
    templateIssues([...at, key, 'command'], disk[key]?.command ?? [], may, must),
  ),
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
  ...disk.passVariables.flatMap((name, index) => reservedName([...at, 'passVariables', index], name)),
  ...COMMANDS.flatMap(({ key }) =>
    disk[key].flatMap((text, index) => writtenSecret([...at, key, index], text)),
  ),
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
