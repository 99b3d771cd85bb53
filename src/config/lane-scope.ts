/** The config as one lane sees it: what belongs to the whole lab, and the settings of that lane alone. */

import type { ConfigHealth } from '../domain/facts.ts';
import type { CheckpointPlan, Contract, PinnedSource } from '../domain/launch/contract.ts';
import type { MachineFit } from '../domain/launch/machine-needs.ts';
import type { Kind } from '../run/kind.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

/** Everything that decides about a run of the lane reads this, so that no other lane's settings can be meant. */
export type LaneScopedConfig = LabConfig & {
  readonly laneName: string;
  readonly lane: LaneConfig;
  /** What its runs are: asked for everything that not all runs have in common. */
  readonly kind: Kind;
  /** False for a run whose lane was taken out of the config: nothing of it may be launched any more. */
  readonly isLaneConfigured: boolean;
  /** What the run's issue asks for; null for the lane itself, and for a run that began from none. */
  readonly contract: Contract | null;
  /** Whether the machine that the contract asks for is rented here at all; left out where it asks for none. */
  readonly machine?: MachineFit;
  /** The commit that the contract of the run names; null for the lane itself, and where the run is of a branch. */
  readonly pinned: PinnedSource | null;
  /** Where the run begins and writes; null for the lane itself, and for a run that has no contract. */
  readonly checkpoints: CheckpointPlan | null;
};

/** The lanes of the lab in the order of the config. */
export function lanesOf(config: LabConfig): readonly LaneScopedConfig[] {
  return Object.entries(config.lanes).map(([laneName, lane]) => ({
    ...config,
    laneName,
    lane,
    kind: config.kindOf(lane),
    isLaneConfigured: true,
    contract: null,
    pinned: null,
    checkpoints: null,
  }));
}

/** The lanes in which a run can be proposed, by name: a job that is taken over was launched by somebody else. */
export function proposingLanes(config: LabConfig): readonly string[] {
  return lanesOf(config).flatMap(({ laneName, kind }) => (kind.adopts === undefined ? [laneName] : []));
}

/** Some lane, for what is the same in all of them, such as the branch whose workflows are dispatched. */
export function anyLane(config: LabConfig): LaneScopedConfig {
  const [first] = lanesOf(config);
  if (first === undefined) throw new Error('a valid config has a lane');
  return first;
}

/** The config for one lane; null where there is no such lane. */
export function configOfLane(config: LabConfig, laneName: string): LaneScopedConfig | null {
  return lanesOf(config).find((one) => one.laneName === laneName) ?? null;
}

/** How the config is for a run of this lane: where the lane is gone, no rules that are in force judge it. */
export function healthFor(
  { isLaneConfigured, laneName }: LaneScopedConfig,
  health: ConfigHealth,
): ConfigHealth {
  return isLaneConfigured ? health : { ...health, missingLane: laneName };
}

/** What a run knows of its lane by its own record. */
export type RunOfLane = {
  readonly lane: string;
  /** Empty where its record does not say: then it is of the kind that a lane is of which does not say. */
  readonly kind: string;
  readonly experiment: string;
  /** Its name in the tracker, as it was proposed. */
  readonly runName: string;
  /** Where its job went or was to go; null before a manifest was made. */
  readonly cluster: string | null;
};

/**
 * The config for a run that is there. Where its lane was taken out of the config since, it is still watched, stopped and
 * closed, by the defaults of a lane and by what the run's own record says.
 */
export function configOfRun(config: LabConfig, run: RunOfLane): LaneScopedConfig {
  const configured = configOfLane(config, run.lane);
  if (configured !== null) return configured;
  const kind = config.kindOf({ kind: run.kind });
  const lane = kind.settings.parse({
    kind: kind.name,
    cluster: run.cluster ?? Object.keys(config.clusters)[0] ?? 'none',
    runName: run.runName,
    command: ['none'],
    ships: [run.experiment],
    outputRoot: '{run}',
    tracker: { kind: 'none', entity: '', project: '' },
    finalStep: null,
    ...kind.settingsOf(run),
  });
  return {
    ...config,
    laneName: run.lane,
    lane,
    kind,
    isLaneConfigured: false,
    contract: null,
    pinned: null,
    checkpoints: null,
  };
}
