/** The config as one lane of it sees it: what belongs to the whole lab, and the settings of that lane alone. */

import type { CheckpointPlan, Contract, PinnedSource } from '../domain/launch/contract.ts';
import type { MachineFit } from '../domain/launch/machine-needs.ts';
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
