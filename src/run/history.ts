/** Past runs of a lane. */

import { newChanges } from '../domain/launch/delta.ts';
import { costOf, launchesOf, rentedMoneyOf } from '../domain/launch/spending.ts';
import { limits } from '../domain/limits.ts';
import type { Metrics } from '../domain/logbook/events/job-events.ts';
import { microdollarsOf } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { PastOf, PastRow } from '../domain/past-row.ts';

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
