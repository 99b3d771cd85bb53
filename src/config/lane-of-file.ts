/** The config as one lane of it sees it: what belongs to the whole lab, and the settings of that lane alone. */

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
import { watchedClusters } from '../domain/logbook/job-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Observed, RunId } from '../domain/values.ts';
import type { EngineTraits } from '../engines/definition.ts';
import { type ClusterConfig, engineDefinition } from '../engines/registry.ts';
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
