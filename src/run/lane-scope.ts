/** The config as a run sees it: what belongs to the whole lab, the settings of its lane alone, and what its own issue asks for. */

import { kindOf } from '../config/lane-kind.ts';
import { type LaneOfRun, lanesOfFile } from '../config/lane-of-file.ts';
import type { LabConfig as ConfigOf } from '../config/schema.ts';
import type { ConfigHealth } from '../domain/facts.ts';
import type { Kind } from './kind.ts';

/** The lab's config where its lanes are asked for everything that their kinds decide. */
export type LabConfig = ConfigOf<Kind>;

/** Everything that decides about a run of the lane reads this, so that no other lane's settings can be meant. */
export type LaneScopedConfig = LaneOfRun<Kind>;

/** The lanes of the lab in the order of the config. */
export function lanesOf(config: LabConfig): readonly LaneScopedConfig[] {
  return lanesOfFile(config).map((lane) => ({
    ...lane,
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
