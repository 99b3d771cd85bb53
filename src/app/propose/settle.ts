/** What is owed around proposals in one trigger: half-made ones completed, and what was handed over carried out. */

import { answerCommon } from '../../commands/decision.ts';
import { namedRun } from '../../commands/named-run.ts';
import { GitError } from '../../domain/git.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { readPermission } from '../../github/permission.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { transact } from '../../logbook/transact.ts';
import { answeredDraft } from '../../run/command-events.ts';
import { decideNamed } from '../../run/decide-named.ts';
import { lanesOf } from '../../run/lane-scope.ts';
import { waitingNamed } from '../../run/propose-request.ts';
import { canPropose, type OpenLab } from '../open-lab.ts';
import { contained, inComment, inLane, type Trouble } from '../trouble.ts';
import { resumeProposal } from './begin.ts';
import { settleQuestion } from './objective-question.ts';
import { proposeToday } from './propose.ts';
import { carryOutRequests } from './requests.ts';

/** Completes what the schedule began: what a crash cut short, and what waited for an answer. */
export async function completeProposals(open: OpenLab, troubles: Trouble[]): Promise<void> {
  for (const config of lanesOf(open.config))
    await contained(open, troubles, inLane(config.laneName), async () => {
      try {
        const lane = { ...open, config };
        if (!canPropose(lane)) return;
        await resumeProposal(lane, null);
        await settleQuestion(lane, proposeToday);
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        open.lab.log(`a proposal that was begun waits: ${error.message}`, { lane: config.laneName });
      }
    });
}

/** Carries out every command that names its run, and every `/propose` that waits. Returns the threads that changed. */
export async function settleRequests(open: OpenLab, troubles: Trouble[]): Promise<readonly number[]> {
  const stopped = await carryOutNamed(open, troubles);
  const answered = await carryOutRequests(open, troubles);
  const runs = open.store.current().runs;
  const proposed = answered.flatMap((command) => [
    command.thread,
    ...runs
      .filter(({ proposal }) => proposal.request?.comment === command.comment)
      .map((run) => run.proposal.pull),
  ]);
  return [...stopped, ...proposed];
}

/**
 * `/stop run=…` and their like stand in the journal, and the effect of each and its answer are one push. Carries out what
 * waits, oldest first. Gives the threads in which something is to be looked at for it.
 */
async function carryOutNamed(open: OpenLab, troubles: Trouble[]): Promise<readonly number[]> {
  const touched: number[] = [];
  for (const command of waitingNamed(open.store.current().journal)) {
    const where = inComment(open, command.thread, { surface: command.surface, id: command.comment });
    const threads = await contained(open, troubles, where, () => carriedOut(open, command));
    touched.push(...(threads ?? []));
  }
  return touched;
}

async function carriedOut(open: OpenLab, command: SeenCommand): Promise<readonly number[]> {
  const { lab, store, config } = open;
  const run = namedRun(command);
  if (run === null) return [];
  const permission = await readPermission(lab.client, command.actor);
  const recorded = await transact(open, () => {
    const { broken, journal, runs: states } = store.current();
    if (journal.commands.get(commandKey(command))?.answer !== null) return [];
    const decided = broken.some((one) => one.run === run)
      ? answerCommon('logbook-broken', {})
      : decideNamed({ command, run, states, permission, config, now: lab.now() });
    if (decided === null) return [];
    const { drafts } = decided;
    return [
      { run, drafts },
      { run: JOURNAL, drafts: [answeredDraft(command, decided)] },
    ];
  });
  return recorded.kind === 'recorded' ? threadsOf(open, command, run) : [];
}

/** Those of the run, whose card changes, and the one in which it was said. */
function threadsOf({ store }: OpenLab, { thread }: SeenCommand, run: string): readonly number[] {
  const state = store.current().runs.find((one) => one.run === run);
  return state === undefined ? [thread] : [thread, state.proposal.pull, state.proposal.issue];
}
