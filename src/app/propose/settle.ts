/** What is owed around proposals in one trigger: half-made ones completed, and what was handed over carried out. */

import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { lanesOf } from '../../run/lane-scope.ts';
import { carryOutNamed } from '../named-runs.ts';
import { canPropose, type OpenLab } from '../open-lab.ts';
import { contained, inLane, type Trouble } from '../trouble.ts';
import { settleQuestion } from './objective-question.ts';
import { proposeToday } from './propose.ts';
import { carryOutRequests } from './requests.ts';
import { resumeProposal } from './resume-proposal.ts';

/** Completes what the schedule began: what a crash cut short, and what waited for an answer. */
export async function completeProposals(open: OpenLab, troubles: Trouble[]): Promise<void> {
  for (const config of lanesOf(open.config))
    await contained(open, troubles, inLane(config.laneName), async () => {
      try {
        const lane = { ...open, config };
        if (!canPropose(lane)) return;
        await resumeProposal(lane, limits.publishGraceMs);
        await settleQuestion(lane, proposeToday);
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        open.lab.log(`a proposal that was begun waits: ${error.message}`, { lane: config.laneName });
      }
    });
}

/** Carries out every command that names its run, and every `/propose` that waits. Gives triggers for the threads that changed by it: their runs are to be looked at. */
export async function settleRequests(
  open: OpenLab,
  troubles: Trouble[],
): Promise<readonly ReconcileRequest[]> {
  const stopped = await carryOutNamed(open, troubles);
  const answered = await carryOutRequests(open, troubles);
  const runs = open.store.current().runs;
  const proposed = answered.flatMap((command) => [
    command.thread,
    ...runs
      .filter(({ proposal }) => proposal.request?.comment === command.comment)
      .map((run) => run.proposal.pull),
  ]);
  return [...new Set([...stopped, ...proposed])].map((thread) => ({ kind: 'thread', thread }));
}
