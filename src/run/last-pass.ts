/** The sealed pass that the next run starts from. */

import type { RunBase } from '../domain/launch/delta.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import { type RunState, runsOfLane } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';

export type PassOf = { readonly lane: string; readonly experiment: string };

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
