/** The config of one run: the lab's settings, the run's own lane, and its contract. */

import { kindOf } from '../config/lane-kind.ts';
import { fitted, type LaneOfRun, lanesOfFile } from '../config/lane-of-file.ts';
import type { LabConfig as ConfigOf } from '../config/schema.ts';
import type { ConfigHealth, SealedMetrics } from '../domain/facts.ts';
import { newChanges, type RunBase } from '../domain/launch/change-facts.ts';
import type { Contract, PinnedSource } from '../domain/launch/contract.ts';
import { fixBranch, ownFix } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { Metrics } from '../domain/logbook/events/job-events.ts';
import { microdollarsOf } from '../domain/logbook/holdings.ts';
import { type RunState, runsOfLane } from '../domain/logbook/run-state.ts';
import { costOf, launchesOf, type PastOf, type PastRow, type RunVerdict, rentedMoneyOf } from '../domain/past-runs.ts';
import { compareDecimals, known, type Observed, unknown } from '../domain/values.ts';
import type { Kind } from './kind.ts';

export type LabConfig = ConfigOf<Kind>;

/** Decisions about a run read only this, so they cannot use another lane's settings. */
export type LaneScopedConfig = LaneOfRun<Kind>;

/** Every lane with its config, in config order. */
export function lanesOf(config: LabConfig): readonly LaneScopedConfig[] {
  return lanesOfFile(config).map((lane) => ({ ...lane, ...BARE, isLaneConfigured: true }));
}

/** A lane without a run has no contract. */
const BARE = { contract: null, pinned: null, checkpoints: null } as const;

/** Names of the lanes in which runs can be proposed; adoption lanes are excluded. */
export function proposingLanes(config: LabConfig): readonly string[] {
  return lanesOf(config).flatMap(({ laneName, kind }) => (kind.adopts === undefined ? [laneName] : []));
}

/** Any lane's config, for settings that all lanes share, such as the branch for workflow dispatches. */
export function anyLane(config: LabConfig): LaneScopedConfig {
  const [first] = lanesOf(config);
  if (first === undefined) throw new Error('a valid config has a lane');
  return first;
}

/** The config of one lane; null if the lane does not exist. */
export function configOfLane(config: LabConfig, laneName: string): LaneScopedConfig | null {
  return lanesOf(config).find((one) => one.laneName === laneName) ?? null;
}

/** The config health for this run. If the lane was removed, no current rules apply to the run. */
export function healthFor({ isLaneConfigured, laneName }: LaneScopedConfig, health: ConfigHealth): ConfigHealth {
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
  const rented: Partial<ReturnType<typeof fitted>> = needs === undefined ? {} : fitted(config, settings.cluster, needs);
  const checkpoints = contracts.checkpoints?.(contract, settings) ?? null;
  const cost = dearer(rented.clusters ?? config.clusters, settings.cluster, contracts.cost?.(contract) ?? null);
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
  return lanesOf(config).filter(({ kind, lane }) => kind.adopts !== undefined && mayAdoptOn(config, lane.cluster));
}

/** Whether the config allows adoption on the cluster. */
export function mayAdoptOn({ clusters }: Pick<LabConfig, 'clusters'>, cluster: string): boolean {
  return Object.hasOwn(clusters, cluster) && clusters[cluster]?.adoption === true;
}

/** Number of runs and metric keys; all metrics if none is named or present. */
type Wanted = { readonly lane: string | null; readonly most: number; readonly keys?: readonly string[] };

/** The lane history shown in an answer, with the lane's own metrics. */
export function pastOf(
  runs: Observed<readonly RunState[]>,
  lanes: Readonly<Record<string, { readonly metrics: readonly { readonly key: string }[] }>>,
): PastOf {
  return (lane) => {
    if (runs.kind === 'unknown') return runs;
    const keys = (Object.hasOwn(lanes, lane) ? (lanes[lane]?.metrics ?? []) : []).map(({ key }) => key);
    const rows = historyOf(runs.value, { lane, most: limits.historyRows, keys });
    return known({ rows, rented: runs.value.flatMap((state) => rentedMoneyOf(state) ?? []) });
  };
}

/** The newest `most` runs of this lane or of all lanes, newest first. */
export function historyOf(runs: readonly RunState[], { lane, most, keys = [] }: Wanted): readonly PastRow[] {
  return runs
    .filter(({ proposal }) => lane === null || proposal.lane === lane)
    .toSorted(
      (a, b) => b.proposal.date.localeCompare(a.proposal.date) || Date.parse(b.proposedAt) - Date.parse(a.proposedAt),
    )
    .slice(0, most)
    .map((state) => rowOf(state, keys));
}

function rowOf(state: RunState, keys: readonly string[]): PastRow {
  const { run, proposal, gate, observation, end, seal, closed } = state;
  const launches = launchesOf(state);
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
    metrics: metricsOf(end?.metrics ?? {}, keys),
    launches: launches.length,
    microdollars: state.rental.machines.length === 0 ? null : microdollarsOf(state),
    acceleratorHours: costOf(launches),
    issue: proposal.issue,
    pull: proposal.pull,
    tracker: trackers.at(-1)?.url ?? null,
  };
}

function metricsOf(all: Metrics, keys: readonly string[]): Metrics {
  const named = Object.entries(all).filter(([key]) => keys.includes(key));
  return named.length === 0 ? all : Object.fromEntries(named);
}

type PassOf = { readonly lane: string; readonly experiment: string };

/**
 * The lane's last sealed pass up to `until`, which the next run starts from (docs/decisions); null if there is none. Failed, rejected,
 * withdrawn and merely accepted runs do not count.
 */
export function lastPass(
  runs: readonly RunState[],
  { lane, experiment }: PassOf,
  until: string | null = null,
): RunBase | null {
  const passes = runsOfLane(runs, lane).flatMap(({ run, proposal, submission, end, seal }) =>
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
export function provenBase(
  { proposal, proposedAt }: { readonly proposal: EventDataByType['proposed']; readonly proposedAt: string },
  runs: readonly RunState[],
): Observed<RunBase | null> {
  const { base } = proposal;
  if (base === undefined) return known(null);
  const pass = lastPass(runs, proposal, proposedAt);
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
export function verdictOf(state: RunState, config: LaneScopedConfig, runs: readonly RunState[]): RunVerdict | null {
  const { end } = state;
  const lane = runsOfLane(runs, state.proposal.lane);
  return end === null ? null : config.kind.judge(end, config.lane, sealedBefore(lane, state.run, end.at));
}

function sealedBefore(
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
