/** Past runs of a lane. */

import type { SealedMetrics } from '../domain/facts.ts';
import { newChanges, type RunBase } from '../domain/launch/change-facts.ts';
import { costOf, launchesOf, rentedMoneyOf } from '../domain/launch/spending.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { Metrics } from '../domain/logbook/events/job-events.ts';
import { microdollarsOf } from '../domain/logbook/renting.ts';
import { type RunState, runsOfLane } from '../domain/logbook/run-state.ts';
import type { PastOf, PastRow, RunVerdict } from '../domain/past-runs.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

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
      (a, b) =>
        b.proposal.date.localeCompare(a.proposal.date) || Date.parse(b.proposedAt) - Date.parse(a.proposedAt),
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
      manifest === null
        ? null
        : newChanges(manifest).map(({ knob, before, after }) => ({ knob, before, after })),
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
export function verdictOf(
  state: RunState,
  config: LaneScopedConfig,
  runs: readonly RunState[],
): RunVerdict | null {
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
