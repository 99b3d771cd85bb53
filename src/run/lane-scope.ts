/** The config as one run sees it: the lab's settings, its own lane, and its contract. */

import { kindOf } from '../config/lane-kind.ts';
import { type LaneOfRun, lanesOfFile } from '../config/lane-of-file.ts';
import type { LabConfig as ConfigOf } from '../config/schema.ts';
import type { ConfigHealth } from '../domain/facts.ts';
import type { Kind } from './kind.ts';

export type LabConfig = ConfigOf<Kind>;

/** Decisions about a run read only this, so they cannot use another lane's settings. */
export type LaneScopedConfig = LaneOfRun<Kind>;

/** In config order. */
export function lanesOf(config: LabConfig): readonly LaneScopedConfig[] {
  return lanesOfFile(config).map((lane) => ({
    ...lane,
    isLaneConfigured: true,
    contract: null,
    pinned: null,
    checkpoints: null,
  }));
}

/** Names of the lanes in which runs can be proposed; adoption lanes are excluded. */
export function proposingLanes(config: LabConfig): readonly string[] {
  return lanesOf(config).flatMap(({ laneName, kind }) => (kind.adopts === undefined ? [laneName] : []));
}

/** For settings that all lanes share, such as the branch whose workflows are dispatched. */
export function anyLane(config: LabConfig): LaneScopedConfig {
  const [first] = lanesOf(config);
  if (first === undefined) throw new Error('a valid config has a lane');
  return first;
}

/** Null if the lane does not exist. */
export function configOfLane(config: LabConfig, laneName: string): LaneScopedConfig | null {
  return lanesOf(config).find((one) => one.laneName === laneName) ?? null;
}

/** Without its lane, no current rules apply to the run. */
export function healthFor(
  { isLaneConfigured, laneName }: LaneScopedConfig,
  health: ConfigHealth,
): ConfigHealth {
  return isLaneConfigured ? health : { ...health, missingLane: laneName };
}

/** What the run's record contains about its lane. */
export type RunOfLane = {
  readonly lane: string;
  /** Empty if not recorded: the default kind. */
  readonly kind: string;
  readonly experiment: string;
  /** Its name in the tracker, as proposed. */
  readonly runName: string;
  /** The cluster of its job; null before a manifest. */
  readonly cluster: string | null;
};

/**
 * The config for an existing run. If its lane was removed, the run is still watched, stopped and closed with default settings and its
 * recorded values.
 */
export function configOfRun(config: LabConfig, run: RunOfLane): LaneScopedConfig {
  const configured = configOfLane(config, run.lane);
  if (configured !== null) return configured;
  const kind = kindOf(config.kinds, run);
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
