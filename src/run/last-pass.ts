/**
 * The last sealed pass of a lane: what the next run starts from (docs/decisions). A run that failed, was rejected,
 * withdrawn, or accepted by a person without having passed is none.
 */

import type { RunBase } from '../domain/launch/base.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import { type RunState, runsOfLane } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';

/** Where a pass is looked for: runs that changed the same file of the same lane. */
export type PassOf = { readonly lane: string; readonly experiment: string };

/** The pass that was sealed last, at `until` at the latest; null where there is none. */
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
 * What a run starts from, as far as the record proves it: what its proposal names has to be the lane's last pass of that
 * moment, launched from that commit. `runs` are verified; a name that they do not bear out is unknown and passes nothing.
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
