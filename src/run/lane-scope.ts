/** The config as one run sees it: the lab's settings, its own lane, and its contract. */

import { fitted } from '../config/clusters.ts';
import { kindOf } from '../config/lane-kind.ts';
import { type LaneOfRun, lanesOfFile } from '../config/lane-of-file.ts';
import type { LabConfig as ConfigOf } from '../config/schema.ts';
import { compareDecimals } from '../domain/decimal.ts';
import type { ConfigHealth } from '../domain/facts.ts';
import type { Contract, PinnedSource } from '../domain/launch/contract.ts';
import { fixBranch, ownFix } from '../domain/launch/small-fix.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Kind } from './kind.ts';

export type LabConfig = ConfigOf<Kind>;

/** Decisions about a run read only this, so they cannot use another lane's settings. */
export type LaneScopedConfig = LaneOfRun<Kind>;

/** In config order. */
export function lanesOf(config: LabConfig): readonly LaneScopedConfig[] {
  return lanesOfFile(config).map((lane) => ({ ...lane, ...BARE, isLaneConfigured: true }));
}

/** A lane asks for nothing of its own. */
const BARE = { contract: null, pinned: null, checkpoints: null } as const;

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

/**
 * The config for an existing run, without its contract. If its lane was removed, the run is still watched, stopped and closed with default
 * settings and its recorded values.
 */
function configOfRun(config: LabConfig, { proposal, submission }: RunState): LaneScopedConfig {
  const { lane: laneName, experiment, runName } = proposal;
  const configured = configOfLane(config, laneName);
  if (configured !== null) return configured;
  const kind = kindOf(config.kinds, { kind: proposal.kind ?? '' });
  const lane = kind.settings.parse({
    kind: kind.name,
    cluster: submission?.cluster ?? Object.keys(config.clusters)[0] ?? 'none',
    runName,
    command: ['none'],
    ships: [experiment],
    outputRoot: '{run}',
    tracker: { kind: 'none', entity: '', project: '' },
    finalStep: null,
    ...kind.settingsOf({ experiment }),
  });
  return { ...config, ...BARE, laneName, lane, kind, isLaneConfigured: false };
}

/** The run's config: its lane (even if removed since) with its contract or the cluster's description. */
export function configFor(config: LabConfig, state: RunState): LaneScopedConfig {
  const { contract, description } = state;
  const scoped = configOfRun(config, state);
  const { adopts } = scoped.kind;
  if (adopts !== undefined && description !== null)
    return {
      ...scoped,
      lane: adopts.settings(scoped.lane, description),
      pinned: sourceOf(state, adopts.source(description)),
    };
  return contract === null ? scoped : configWith(scoped, contract);
}

/** The fix's commit replaces the one that the job ran. */
function sourceOf(state: RunState, told: PinnedSource | null): PinnedSource | null {
  const fix = ownFix(state);
  return told === null || fix === null ? told : { commit: fix.commit, branch: fixBranch(state).name };
}

/** A lane's config with a contract applied. */
export function configWith(config: LaneScopedConfig, contract: Contract): LaneScopedConfig {
  const { kind, lane } = config;
  const { contracts } = kind;
  if (contracts === undefined) return config;
  const [settings, pinned] = [contracts.settings(lane, contract), contracts.source(contract)];
  const needs = contracts.machine?.(contract);
  const rented: Partial<ReturnType<typeof fitted>> =
    needs === undefined ? {} : fitted(config, settings.cluster, needs);
  const checkpoints = contracts.checkpoints?.(contract, settings) ?? null;
  const cost = dearer(
    rented.clusters ?? config.clusters,
    settings.cluster,
    contracts.cost?.(contract) ?? null,
  );
  return { ...config, ...rented, ...cost, lane: settings, contract, pinned, checkpoints };
}

/** A contract cannot lower the configured cost. */
function dearer(
  clusters: LaneScopedConfig['clusters'],
  name: string,
  hours: string | null,
): Partial<Pick<LaneScopedConfig, 'clusters' | 'costIsOfContract'>> {
  const cluster = Object.hasOwn(clusters, name) ? clusters[name] : undefined;
  if (cluster === undefined || hours === null) return {};
  if (compareDecimals(hours, cluster.acceleratorHoursPerRun) <= 0) return {};
  return {
    clusters: { ...clusters, [name]: { ...cluster, acceleratorHoursPerRun: hours } },
    costIsOfContract: true,
  };
}

/** Lanes that adopt jobs on a cluster that allows it, in config order. */
export function adoptingLanes(config: LabConfig): readonly LaneScopedConfig[] {
  return lanesOf(config).filter(
    ({ kind, lane }) => kind.adopts !== undefined && mayAdoptOn(config, lane.cluster),
  );
}

/** Whether the config allows adoption on the cluster. */
export function mayAdoptOn({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster) && clusters[cluster]?.adoption === true;
}
