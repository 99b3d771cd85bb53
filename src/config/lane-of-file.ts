/** The config as one lane of it sees it: what belongs to the whole lab, and the settings of that lane alone. */

import {
  CHECKPOINT,
  type CheckpointPlan,
  type Contract,
  type MachineFit,
  type PinnedSource,
} from '../domain/launch/contract.ts';
import type { RunId } from '../domain/values.ts';
import { kindOf, type LaneKind } from './lane-kind.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

export type LaneOfFile<K extends LaneKind = LaneKind> = LabConfig<K> & {
  readonly laneName: string;
  readonly lane: LaneConfig;
  /** What its runs are: asked for everything that not all runs have in common. */
  readonly kind: K;
};

/** The same as a run of the lane sees it, with what its own issue asks for. */
export type LaneOfRun<K extends LaneKind = LaneKind> = LaneOfFile<K> & {
  /** False for a run whose lane was taken out of the config: nothing of it may be launched any more. */
  readonly isLaneConfigured: boolean;
  /** What the run's issue asks for; null for the lane itself, and for a run that began from none. */
  readonly contract: Contract | null;
  /** Whether the machine that the contract asks for is rented here at all; left out where it asks for none. */
  readonly machine?: MachineFit;
  /** The contract says that the run costs more than the table of its cluster: what it says counts. */
  readonly costIsOfContract?: true;
  /** The commit that the contract of the run names; null for the lane itself, and where the run is of a branch. */
  readonly pinned: PinnedSource | null;
  /** Where the run begins and writes; null for the lane itself, and for a run that has no contract. */
  readonly checkpoints: CheckpointPlan | null;
};

/** The lanes of the lab in the order of the config. */
export function lanesOfFile<K extends LaneKind>(config: LabConfig<K>): readonly LaneOfFile<K>[] {
  return Object.entries(config.lanes).map(([laneName, lane]) => ({
    ...config,
    laneName,
    lane,
    kind: kindOf(config.kinds, lane),
  }));
}

/** What the placeholders stand for. `{outputRoot}` is filled first, so that the command can carry it. */
export type Filling = {
  readonly run: RunId;
  readonly date: string;
  /** What the attempt goes on from, null = nothing; left out before there is an attempt: then its place stays open. */
  readonly checkpoint?: string | null;
};

export type FilledLane = {
  readonly runName: string;
  readonly outputRoot: string;
  readonly metricsFile: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** The lane's templates for one run. Unknown placeholders cannot occur: the config's rules refuse them. */
export function fillLane(lane: LaneConfig, filling: Filling): FilledLane {
  const runName = filled(lane.runName, { run: filling.run, date: filling.date });
  const outputRoot = filled(lane.outputRoot, { run: filling.run, date: filling.date, runName });
  const { checkpoint } = filling;
  const known = { run: filling.run, date: filling.date, runName, outputRoot };
  const all = checkpoint == null ? known : { ...known, checkpoint };
  // An argument about a checkpoint says nothing where there is none.
  const isUsed = (part: string): boolean => checkpoint !== null || !part.includes(CHECKPOINT);
  return {
    runName,
    outputRoot,
    metricsFile: filled(lane.metricsFile, all),
    command: lane.command.filter(isUsed).map((part) => filled(part, all)),
    environment: Object.fromEntries(
      Object.entries(lane.environment)
        .filter(([, value]) => isUsed(value))
        .map(([name, value]) => [name, filled(value, all)]),
    ),
  };
}

/** Where the checkpoints of a run lie, by what its manifest says of it. */
export function checkpointRoots(
  { checkpointRoots }: Pick<LaneConfig, 'checkpointRoots'>,
  values: Readonly<Record<'run' | 'date' | 'runName' | 'outputRoot', string>>,
): readonly string[] {
  return checkpointRoots.map((template) => filled(template, values));
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
