/** The name of a new proposal, and what a kind plans it with. */

import { leftOutOfLane } from '../../config/engine-traits.ts';
import { isRunId, type RunId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { compactDate } from '../../domain/time.ts';
import { listExperimentIssues } from '../../github/issues.ts';
import { redact } from '../../host/redactor.ts';
import { proposalBranchOf } from '../../run/proposal-record.ts';
import { type Nothing, nothing, type PlanWork } from '../../run/proposing.ts';
import type { OpenLane } from '../open-lab.ts';

/**
 * `ferry-daily-20261121`; a second proposal of one day, after the first was withdrawn or closed, ends in `-2`. A name whose
 * branch somebody pushed is taken. Throws `GitError`.
 */
export async function nameOfDay({ config, store, git }: OpenLane, date: string): Promise<RunId | Nothing> {
  const recorded = new Set<string>(store.current().runs.map((run) => run.run));
  let proposed = 0;
  const taken: string[] = [];
  for (let number = 1; number <= limits.proposalNamesMax; number += 1) {
    const base = `${config.kind.name}-${config.laneName}-${compactDate(date)}`;
    const run = number === 1 ? base : `${base}-${number}`;
    if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
    if (recorded.has(run)) proposed += 1;
    if (proposed >= limits.proposalsPerDayMax)
      return nothing('too-many-today', `${proposed} proposals on ${date}`);
    if (recorded.has(run)) continue;
    if ((await git.resolve(`refs/heads/${proposalBranchOf(run)}`)) === null) return run;
    taken.push(proposalBranchOf(run));
  }
  const why = `branches that are no proposal have the ${limits.proposalNamesMax} names of ${date}, such as ${taken[0]} and ${taken.at(-1)}: delete them`;
  return nothing('names-taken', why);
}

/** What a kind plans with. */
export function planWork(open: OpenLane): PlanWork {
  return {
    ...open,
    leavesOut: leftOutOfLane(open.config),
    issuesSince: (moment) => listExperimentIssues(open.lab.client, moment),
    redact: (text) => redact(text, []),
  };
}
