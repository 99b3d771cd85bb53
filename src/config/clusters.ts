/** What the config says of a cluster: whether it is there, what follows from its engine, and the links to a job on it. */

import type { MachineFit, MachineNeeds } from '../domain/launch/contract.ts';
import type { Hold } from '../domain/launch/hold.ts';
import { WHOLE_TREE } from '../domain/launch/manifest.ts';
import { watchedClusters } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/values.ts';
import type { EngineTraits } from '../engines/definition.ts';
import { type ClusterConfig, engineDefinition } from '../engines/registry.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

/** What a lane that ships the whole tree does not ship all the same; nothing where it names its folders. */
export function leftOutOfLane(
  config: Pick<LabConfig, 'clusters'> & { readonly lane: Pick<LaneConfig, 'ships' | 'cluster'> },
): readonly string[] {
  const { lane } = config;
  return lane.ships.includes(WHOLE_TREE) ? (traitsOf(config, lane.cluster)?.leavesOut ?? []) : [];
}

/** The clusters for a run that asks for such a machine of this one. */
export function fitted<Config extends Pick<LabConfig, 'clusters'>>(
  config: Config,
  name: string,
  needs: MachineNeeds,
): { readonly clusters: LabConfig['clusters']; readonly machine: MachineFit } {
  const { clusters } = config;
  const cluster = Object.hasOwn(clusters, name) ? clusters[name] : undefined;
  const fit = cluster === undefined ? undefined : engineDefinition(cluster).fit?.(cluster, needs);
  if (fit === undefined) return { clusters, machine: { terms: null, beyond: [] } };
  const all = { ...clusters, [name]: fit.cluster as ClusterConfig };
  const terms = traitsOf({ clusters: all }, name)?.rental ?? null;
  return { clusters: all, machine: { terms, beyond: fit.beyond } };
}

/** Null where the config has no such cluster. */
export function traitsOf({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): EngineTraits | null {
  const found = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  return found === undefined ? null : engineDefinition(found).traits(found);
}

/** The cluster of the run's job that is not in the config; null where it is there, or no job is under way. */
export function missingCluster(state: RunState, config: Pick<LabConfig, 'clusters'>): string | null {
  return watchedClusters(state).find((cluster) => !hasCluster(config, cluster)) ?? null;
}

/** Whether the config says where this cluster is. */
export function hasCluster({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster);
}

/** By name, filled in. */
export function linksOf(
  { clusters }: Pick<LabConfig, 'clusters'>,
  { cluster, run, jobId }: { readonly cluster: string; readonly run: string; readonly jobId: string },
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(clusters[cluster]?.links ?? {}).map(([name, link]) => [
      name,
      link.replaceAll('{jobId}', jobId).replaceAll('{run}', run),
    ]),
  );
}

export type LeftBehind =
  | { readonly kind: 'job'; readonly run: string; readonly cluster: string }
  | { readonly kind: 'hold'; readonly hold: StrayHold }
  /** What the record says could not be read. */
  | { readonly kind: 'unknown'; readonly why: string };

/** A hold on one lane, of which the config knows nothing: it holds nothing back. */
export type StrayHold = Hold & { readonly lane: string };

/** What nobody could watch, stop or be held back by under this config. `today` is YYYY-MM-DD. */
export function leftBehind(
  config: Pick<LabConfig, 'clusters' | 'lanes'>,
  runs: Observed<readonly RunState[]>,
  holds: Observed<readonly Hold[]>,
  today: string,
): readonly LeftBehind[] {
  const unknown = [runs, holds].flatMap((all) =>
    all.kind === 'unknown' ? [{ kind: 'unknown', why: all.why } as const] : [],
  );
  const jobs = (runs.kind === 'known' ? runs.value : []).flatMap((state) => {
    const cluster = missingCluster(state, config);
    return cluster === null ? [] : [{ kind: 'job', run: state.run, cluster } as const];
  });
  const stray = strayOf(holds.kind === 'known' ? holds.value : [], Object.keys(config.lanes), today);
  return [...unknown, ...jobs, ...stray.map((hold) => ({ kind: 'hold', hold }) as const)];
}

/** The holds that stand from today on and whose lane is none of these. */
export function strayOf(
  holds: readonly Hold[],
  lanes: readonly string[],
  today: string,
): readonly StrayHold[] {
  return holds.flatMap((hold) => {
    const { lane, date } = hold;
    return lane === null || lanes.includes(lane) || (date !== null && date < today)
      ? []
      : [{ ...hold, lane }];
  });
}
