/** The config of one run: the lab's settings, the run's own lane, and its contract. */

import { fitCluster, type LaneOfRun, listLanes } from '../config/lane-of-file.ts';
import { findKind } from '../config/lane-schema.ts';
import type { LabConfig as ConfigOf } from '../config/schema.ts';
import type { ConfigHealth, SealedMetrics } from '../domain/facts.ts';
import { newChanges, type RunBase } from '../domain/launch/change-facts.ts';
import type { Contract, PinnedSource } from '../domain/launch/contract.ts';
import { chooseFixBranch, findBotFix } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { Metrics } from '../domain/logbook/events/job-events.ts';
import { sumMicrodollars } from '../domain/logbook/holdings.ts';
import { type RunState, runsInLane } from '../domain/logbook/run-state.ts';
import {
  listLaunches,
  type PastRow,
  type PastRunsReader,
  type RunVerdict,
  sumCost,
  sumRentedMoney,
} from '../domain/past-runs.ts';
import { compareDecimals, known, type Observed, unknown } from '../domain/values.ts';
import type { Kind } from './kind.ts';

export type LabConfig = ConfigOf<Kind>;

/** Decisions about a run read only this, so they cannot use another lane's settings. */
export type LaneScopedConfig = LaneOfRun<Kind>;

const lanesByConfig = new WeakMap<LabConfig, readonly LaneScopedConfig[]>();

/** Every lane with its config, in config order. */
export function allLanes(config: LabConfig): readonly LaneScopedConfig[] {
  const known = lanesByConfig.get(config);
  if (known !== undefined) return known;
  const lanes = listLanes(config).map((lane) => ({ ...lane, ...BARE_LANE, isLaneConfigured: true }));
  lanesByConfig.set(config, lanes);
  return lanes;
}

/** A lane without a run has no contract. */
const BARE_LANE = { contract: null, pinned: null, checkpoints: null } as const;

/** Names of the lanes in which runs can be proposed; adoption lanes are excluded. */
export function listProposingLanes(config: LabConfig): readonly string[] {
  return allLanes(config).flatMap(({ laneName, kind }) => (kind.adoption === undefined ? [laneName] : []));
}

/** Any lane's config, for settings that all lanes share, such as the branch for workflow dispatches. */
export function firstLane(config: LabConfig): LaneScopedConfig {
  const [first] = allLanes(config);
  if (first === undefined) throw new Error('a valid config has a lane');
  return first;
}

/** The config of one lane; null if the lane does not exist. */
export function configOfLane(config: LabConfig, laneName: string): LaneScopedConfig | null {
  return allLanes(config).find((one) => one.laneName === laneName) ?? null;
}

/** The config health for this run. If the lane was removed, no current rules apply to the run. */
export function configHealthFor({ isLaneConfigured, laneName }: LaneScopedConfig, health: ConfigHealth): ConfigHealth {
  return isLaneConfigured ? health : { ...health, missingLane: laneName };
}

/**
 * The config for an existing run, without its contract. If its lane was removed, the run is still watched, stopped and closed with default
 * settings and its recorded values.
 */
function laneConfigOfRun(config: LabConfig, { proposal, submission }: RunState): LaneScopedConfig {
  const { lane: laneName, experiment, runName } = proposal;
  const configured = configOfLane(config, laneName);
  if (configured !== null) return configured;
  const kind = findKind(config.kinds, { kind: proposal.kind ?? '' });
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
  return { ...config, ...BARE_LANE, laneName, lane, kind, isLaneConfigured: false };
}

/** The run's config: its lane (even if removed since) with its contract or the cluster's description. */
export function configForRun(config: LabConfig, state: RunState): LaneScopedConfig {
  const { contract, description } = state;
  const scoped = laneConfigOfRun(config, state);
  const { adoption } = scoped.kind;
  if (adoption !== undefined && description !== null)
    return {
      ...scoped,
      lane: adoption.settings(scoped.lane, description),
      pinned: findSource(state, adoption.source(description)),
    };
  return contract === null ? scoped : withContract(scoped, contract);
}

/** The fix's commit replaces the one that the job ran. */
function findSource(state: RunState, told: PinnedSource | null): PinnedSource | null {
  const fix = findBotFix(state);
  return told === null || fix === null ? told : { commit: fix.commit, branch: chooseFixBranch(state).name };
}

/** A lane's config with a contract applied. */
export function withContract(config: LaneScopedConfig, contract: Contract): LaneScopedConfig {
  const { kind, lane } = config;
  const { contracts } = kind;
  if (contracts === undefined) return config;
  const [settings, pinned] = [contracts.settings(lane, contract), contracts.source(contract)];
  const needs = contracts.machine?.(contract);
  const rented: Partial<ReturnType<typeof fitCluster>> =
    needs === undefined ? {} : fitCluster(config, settings.cluster, needs);
  const checkpoints = contracts.checkpoints?.(contract, settings) ?? null;
  const cost = withContractCost(
    rented.clusters ?? config.clusters,
    settings.cluster,
    contracts.cost?.(contract) ?? null,
  );
  return { ...config, ...rented, ...cost, lane: settings, contract, pinned, checkpoints };
}

/** A contract cannot lower the configured cost. */
function withContractCost(
  clusters: LaneScopedConfig['clusters'],
  name: string,
  hours: string | null,
): Partial<Pick<LaneScopedConfig, 'clusters' | 'costIsOfContract'>> {
  const cluster = Object.hasOwn(clusters, name) ? clusters[name] : undefined;
  if (cluster === undefined || hours === null) return {};
  if (compareDecimals(hours, cluster.acceleratorHoursPerRun) <= 0) return {};
  return { clusters: { ...clusters, [name]: { ...cluster, acceleratorHoursPerRun: hours } }, costIsOfContract: true };
}

/** Lanes that adopt jobs on a cluster that allows it, in config order. */
export function listAdoptingLanes(config: LabConfig): readonly LaneScopedConfig[] {
  return allLanes(config).filter(({ kind, lane }) => kind.adoption !== undefined && canAdoptOn(config, lane.cluster));
}

/** Whether the config allows adoption on the cluster. */
export function canAdoptOn({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster) && clusters[cluster]?.adoption === true;
}

/** Number of runs and metric keys; all metrics if none is named or present. */
type PastQuery = { readonly lane: string | null; readonly most: number; readonly keys?: readonly string[] };

/** The lane history shown in an answer, with the lane's own metrics. */
export function createPastReader(
  runs: Observed<readonly RunState[]>,
  lanes: Readonly<Record<string, { readonly metrics: readonly { readonly key: string }[] }>>,
): PastRunsReader {
  return (lane) => {
    if (runs.kind === 'unknown') return runs;
    const keys = (Object.hasOwn(lanes, lane) ? (lanes[lane]?.metrics ?? []) : []).map(({ key }) => key);
    const rows = listHistory(runs.value, { lane, most: limits.historyRows, keys });
    return known({ rows, rented: runs.value.flatMap((state) => sumRentedMoney(state) ?? []) });
  };
}

/** The newest `most` runs of this lane or of all lanes, newest first. */
export function listHistory(runs: readonly RunState[], { lane, most, keys = [] }: PastQuery): readonly PastRow[] {
  return runs
    .filter(({ proposal }) => lane === null || proposal.lane === lane)
    .toSorted(
      (a, b) => b.proposal.date.localeCompare(a.proposal.date) || Date.parse(b.proposedAt) - Date.parse(a.proposedAt),
    )
    .slice(0, most)
    .map((state) => toPastRow(state, keys));
}

function toPastRow(state: RunState, keys: readonly string[]): PastRow {
  const { run, proposal, gate, observation, end, seal, closed } = state;
  const launches = listLaunches(state);
  const manifest = gate?.manifest ?? null;
  const trackers = end?.trackers ?? observation?.trackers ?? [];
  return {
    run,
    lane: proposal.lane,
    date: proposal.date,
    base: proposal.base?.run ?? null,
    changes:
      manifest === null ? null : newChanges(manifest).map(({ knob, before, after }) => ({ knob, before, after })),
    status: end?.status ?? null,
    verdict: seal?.verdict ?? closed?.outcome ?? 'open',
    metrics: pickMetrics(end?.metrics ?? {}, keys),
    launches: launches.length,
    microdollars: state.rental.machines.length === 0 ? null : sumMicrodollars(state),
    acceleratorHours: sumCost(launches),
    issue: proposal.issue,
    pull: proposal.pull,
    tracker: trackers.at(-1)?.url ?? null,
  };
}

function pickMetrics(all: Metrics, keys: readonly string[]): Metrics {
  const named = Object.entries(all).filter(([key]) => keys.includes(key));
  return named.length === 0 ? all : Object.fromEntries(named);
}

type PassOf = { readonly lane: string; readonly experiment: string };

/**
 * The lane's last sealed pass up to `until`, which the next run starts from (docs/decisions); null if there is none. Failed, rejected,
 * withdrawn and merely accepted runs do not count.
 */
export function findLastPass(
  runs: readonly RunState[],
  { lane, experiment }: PassOf,
  until: string | null = null,
): RunBase | null {
  const passes = runsInLane(runs, lane).flatMap(({ run, proposal, submission, end, seal }) =>
    seal?.verdict === 'pass' &&
    end?.status === 'SUCCEEDED' &&
    submission !== null &&
    proposal.experiment === experiment &&
    (until === null || Date.parse(seal.at) <= Date.parse(until))
      ? [{ run, commit: submission.commit, atMs: Date.parse(seal.at) }]
      : [],
  );
  const [newest] = passes.toSorted((a, b) => b.atMs - a.atMs);
  return newest === undefined ? null : { run: newest.run, commit: newest.commit };
}

/**
 * The proposal's base, verified against the record: it must be the lane's last pass at that time, launched from that commit. Otherwise
 * unknown, which passes no gate. `runs` must be verified.
 */
export function findProvenBase(
  { proposal, proposedAt }: { readonly proposal: EventDataByType['proposed']; readonly proposedAt: string },
  runs: readonly RunState[],
): Observed<RunBase | null> {
  const { base } = proposal;
  if (base === undefined) return known(null);
  const pass = findLastPass(runs, proposal, proposedAt);
  return pass?.run === base.run && pass.commit === base.commit
    ? known(pass)
    : unknown(
        `the record does not say that ${base.run} is the last sealed pass of the lane, launched from ${base.commit}`,
      );
}

/**
 * The verdict on an ended run; null before its end. `runs`: recorded runs, newest first. Only runs of its lane sealed before its end count,
 * so the verdict never changes later (policy DF-29).
 */
export function judgeSealedRun(
  state: RunState,
  config: LaneScopedConfig,
  runs: readonly RunState[],
): RunVerdict | null {
  const { end } = state;
  const lane = runsInLane(runs, state.proposal.lane);
  return end === null ? null : config.kind.judge(end, config.lane, listSealedBefore(lane, state.run, end.at));
}

function listSealedBefore(
  recordedRuns: readonly RunState[],
  own: RunState['run'],
  endedAt: string,
): readonly SealedMetrics[] {
  return recordedRuns.flatMap(({ run, proposal, seal }) =>
    seal === null || run === own || Date.parse(seal.at) > Date.parse(endedAt)
      ? []
      : [{ run, date: proposal.date, metrics: seal.metrics }],
  );
}
