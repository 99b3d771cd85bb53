/** The ferries of a lane in a row: what each changed, what came of it, and what it cost. */

import { newChanges } from '../domain/launch/base.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { PastRow } from '../domain/past-row.ts';

/** The newest `most` runs, of this lane or of all, newest first. */
export function historyOf(
  runs: readonly RunState[],
  { lane, most }: { readonly lane: string | null; readonly most: number },
): readonly PastRow[] {
  return runs
    .filter(({ proposal }) => lane === null || proposal.lane === lane)
    .toSorted(
      (a, b) =>
        b.proposal.date.localeCompare(a.proposal.date) || Date.parse(b.proposedAt) - Date.parse(a.proposedAt),
    )
    .slice(0, most)
    .map(rowOf);
}

function rowOf({ run, proposal, gate, submission, observation, end, seal, closed }: RunState): PastRow {
  const manifest = gate?.manifest ?? null;
  const trackers = end?.trackers ?? observation?.trackers ?? [];
  return {
    run,
    lane: proposal.lane,
    date: proposal.date,
    base: proposal.base?.run ?? null,
    changes:
      manifest === null
        ? []
        : newChanges(manifest).map(({ knob, before, after }) => ({ knob, before, after })),
    status: end?.status ?? null,
    verdict: seal?.verdict ?? closed?.outcome ?? 'open',
    metrics: end?.metrics ?? {},
    acceleratorHours: submission === null ? null : (manifest?.cost.acceleratorHours ?? null),
    issue: proposal.issue,
    pull: proposal.pull,
    tracker: trackers.at(-1)?.url ?? null,
  };
}
