/** The config from the view of one lane: the settings of the whole lab, and those of this lane only. */

import {
  CHECKPOINT,
  type CheckpointPlan,
  type Contract,
  type MachineFit,
  type MachineNeeds,
  type PinnedSource,
} from '../domain/launch/contract.ts';
import type { Hold } from '../domain/launch/hold.ts';
import { WHOLE_TREE } from '../domain/launch/manifest.ts';
import { listWatchedClusters } from '../domain/logbook/job-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { compareDecimals, type Observed, type RunId } from '../domain/values.ts';
import type { EngineTraits } from '../engines/definition.ts';
import { type ClusterConfig, engineDefinition } from '../engines/registry.ts';
import type { LaneConfig } from './lane-schema.ts';
import { findKind, type LaneKind } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

export type LaneOfFile<K extends LaneKind = LaneKind> = LabConfig<K> & {
  readonly laneName: string;
  readonly lane: LaneConfig;
  /** The kind of the lane's runs. It decides everything in which kinds differ. */
  readonly kind: K;
};

/** The same from the view of one run, with the contract of its issue applied. */
export type LaneOfRun<K extends LaneKind = LaneKind> = LaneOfFile<K> & {
  /** False if the lane was removed from the config. Its runs may no longer launch. */
  readonly isLaneConfigured: boolean;
  /** The contract in the run's issue; null for the lane itself, and for a run without a contract. */
  readonly contract: Contract | null;
  /** Whether the lab can rent the machine that the contract requests; absent if the contract requests none. */
  readonly machine?: MachineFit;
  /** The contract states a higher cost than the cluster's cost table. The contract's cost applies. */
  readonly costIsOfContract?: true;
  /** The commit that the run's contract names; null for the lane itself, and for a run from a branch. */
  readonly pinned: PinnedSource | null;
  /** Where the run starts and stores checkpoints; null for the lane itself, and for a run without a contract. */
  readonly checkpoints: CheckpointPlan | null;
};

/** The lab's lanes in config order. */
export function listLanes<K extends LaneKind>(config: LabConfig<K>): readonly LaneOfFile<K>[] {
  return Object.entries(config.lanes).map(([laneName, lane]) => ({
    ...config,
    laneName,
    lane,
    kind: findKind(config.kinds, lane),
  }));
}

/** Values of the placeholders. `{outputRoot}` is filled before the command, which may contain it. */
export type LaneValues = {
  readonly run: RunId;
  readonly date: string;
  /** The checkpoint that the attempt resumes from, or null. Absent before an attempt exists: the placeholder is kept. */
  readonly checkpoint?: string | null;
};

export type FilledLane = {
  readonly runName: string;
  readonly outputRoot: string;
  readonly metricsFile: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** The argument of a command that the launcher replaces by the lines of the lane's `.args` file. */
export const OVERRIDES = '{overrides}';

/** Fills the lane's templates for one run. The config's rules have already rejected unknown placeholders. */
export function fillLane(lane: LaneConfig, filling: LaneValues): FilledLane {
  const runName = fillTemplate(lane.runName, { run: filling.run, date: filling.date });
  const outputRoot = fillTemplate(lane.outputRoot, { run: filling.run, date: filling.date, runName });
  const { checkpoint } = filling;
  const known = { run: filling.run, date: filling.date, runName, outputRoot };
  const all = checkpoint == null ? known : { ...known, checkpoint };
  // Without a checkpoint, omit the arguments that refer to one.
  const isPlaceholderUsed = (part: string): boolean => checkpoint !== null || !part.includes(CHECKPOINT);
  return {
    runName,
    outputRoot,
    metricsFile: fillTemplate(lane.metricsFile, all),
    command: lane.command.filter(isPlaceholderUsed).map((part) => fillTemplate(part, all)),
    environment: Object.fromEntries(
      Object.entries(lane.environment)
        .filter(([, value]) => isPlaceholderUsed(value))
        .map(([name, value]) => [name, fillTemplate(value, all)]),
    ),
  };
}

/** The run's checkpoint roots, filled with the values of its manifest. */
export function fillCheckpointRoots(
  { checkpointRoots }: Pick<LaneConfig, 'checkpointRoots'>,
  values: Readonly<Record<'run' | 'date' | 'runName' | 'outputRoot', string>>,
): readonly string[] {
  return checkpointRoots.map((template) => fillTemplate(template, values));
}

function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Paths that a lane with `ships: .` still excludes. Empty for a lane that lists its folders. */
export function listExcludedPaths(
  config: Pick<LabConfig, 'clusters'> & { readonly lane: LaneConfig; readonly kind: LaneKind },
): readonly string[] {
  const { kind, lane } = config;
  if (!lane.ships.includes(WHOLE_TREE)) return [];
  return [...(traitsFor(config, lane.cluster)?.leavesOut ?? []), ...(kind.leavesOut?.(lane) ?? [])];
}

/** The clusters with `name` adapted to the machine that a run requests, and whether the lab's limits allow the machine. */
export function fitCluster<Config extends Pick<LabConfig, 'clusters'>>(
  config: Config,
  name: string,
  needs: MachineNeeds,
): { readonly clusters: LabConfig['clusters']; readonly machine: MachineFit } {
  const { clusters } = config;
  const cluster = Object.hasOwn(clusters, name) ? clusters[name] : undefined;
  const fit = cluster === undefined ? undefined : engineDefinition(cluster).fit?.(cluster, needs);
  if (fit === undefined) return { clusters, machine: { terms: null, exceededCaps: [] } };
  const all = { ...clusters, [name]: fit.cluster as ClusterConfig };
  const terms = traitsFor({ clusters: all }, name)?.rental ?? null;
  return { clusters: all, machine: { terms, exceededCaps: fit.exceededCaps } };
}

/** Null if the config has no such cluster. */
export function traitsFor({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): EngineTraits | null {
  const found = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  return found === undefined ? null : engineDefinition(found).traits(found);
}

/** The cluster of the run's live job if the config lacks it; null if it is configured or no job is live. */
export function findMissingCluster(state: RunState, config: Pick<LabConfig, 'clusters'>): string | null {
  return listWatchedClusters(state).find((cluster) => !hasCluster(config, cluster)) ?? null;
}

/** Whether the config has this cluster. */
export function hasCluster({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster);
}

/** The cluster's links by name, with `{jobId}` and `{run}` filled in. */
export function fillLinks(
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
  /** The record could not be read. */
  | { readonly kind: 'unknown'; readonly why: string };

/** A hold on a lane that the config does not have. It blocks no launch. */
export type StrayHold = Hold & { readonly lane: string };

/** Jobs that ferrybot cannot watch or stop, and holds without effect, under this config. `today` is YYYY-MM-DD. */
export function findLeftBehind(
  config: Pick<LabConfig, 'clusters' | 'lanes'>,
  runs: Observed<readonly RunState[]>,
  holds: Observed<readonly Hold[]>,
  today: string,
): readonly LeftBehind[] {
  const unknown = [runs, holds].flatMap((all) =>
    all.kind === 'unknown' ? [{ kind: 'unknown', why: all.why } as const] : [],
  );
  const jobs = (runs.kind === 'known' ? runs.value : []).flatMap((state) => {
    const cluster = findMissingCluster(state, config);
    return cluster === null ? [] : [{ kind: 'job', run: state.run, cluster } as const];
  });
  const stray = findStrayHolds(holds.kind === 'known' ? holds.value : [], Object.keys(config.lanes), today);
  return [...unknown, ...jobs, ...stray.map((hold) => ({ kind: 'hold', hold }) as const)];
}

/** Holds in force today or later on lanes other than `lanes`. */
export function findStrayHolds(holds: readonly Hold[], lanes: readonly string[], today: string): readonly StrayHold[] {
  return holds.flatMap((hold) => {
    const { lane, date } = hold;
    return lane === null || lanes.includes(lane) || (date !== null && date < today) ? [] : [{ ...hold, lane }];
  });
}

/** The config keys that determine the number of required approvers. */
type QuorumKeys = Pick<LabConfig, 'approvals' | 'clusters'> & { readonly lane: Pick<LaneConfig, 'cluster'> };

/**
 * Number of distinct approvers that the lane's run needs: the highest row of `quorumByCost` that the run's cost reaches,
 * and at least `approvals.quorum`. A cluster without a configured cost counts as the most expensive.
 */
export function requiredQuorum({ approvals, clusters, lane }: QuorumKeys): number {
  const cost = clusters[lane.cluster]?.acceleratorHoursPerRun ?? null;
  const reached = approvals.quorumByCost.filter(
    (row) => cost === null || compareDecimals(cost, row.fromAcceleratorHours) >= 0,
  );
  return Math.max(approvals.quorum, ...reached.map((row) => row.people));
}
