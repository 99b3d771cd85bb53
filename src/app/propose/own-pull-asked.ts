/** `/propose` in somebody's own pull request or issue: that very thread becomes the run. */

import { isOver, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { hasLabel, type OwnIssue, type OwnPull } from '../../domain/own-pull.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import { lanesOf } from '../../run/lane-scope.ts';
import { askedLabels, isOurWork, runsOfPull } from '../../run/own-pull.ts';
import { refused, refusedIssue, severalLanes } from '../../run/propose-answers.ts';
import { askOf, isOfItsIssue } from '../../run/propose-request.ts';
import type { OpenLab } from '../open-lab.ts';
import { takeUpIssue } from './own-issue.ts';
import { fittingLane, takeUp } from './own-pull.ts';
import type { RequestOutcome } from './request.ts';

/** Null where the command asks for a proposal of the bot's: in an issue, in the bot's own work, in what is a run already. Throws `GitError`. */
export async function takeUpHere(open: OpenLab, command: SeenCommand): Promise<RequestOutcome | null> {
  const { runs } = open.store.current();
  const isRun = runsOfPull(runs, command.thread).some(
    (run) => !isOver(run) || run.proposal.own === undefined,
  );
  if (isRun) return null;
  const read = await readOwnThread(open.lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const thread = read.value;
  if (thread === null || !thread.isOpen || isOurWork(thread, open.config.appSlug)) return null;
  if (thread.kind === 'issue') return decidedIssue(open, thread, command);
  if (isOfItsIssue(command)) return null;
  return decided(open, thread, command);
}

/** A lane whose runs begin from issues is asked for by its name, or by a label of it; null where it is another lane's command. */
async function decidedIssue(
  open: OpenLab,
  issue: OwnIssue,
  command: SeenCommand,
): Promise<RequestOutcome | null> {
  const { lane: named, knobs } = askOf(command);
  const lanes = lanesOf(open.config).filter((config) => {
    if (config.kind.contracts === undefined) return false;
    if (isOfItsIssue(command) && config.kind.contracts.command !== command.name) return false;
    if (isOfItsIssue(command) && named === null) return true;
    return named === null
      ? askedLabels(config).some((label) => hasLabel(issue.labels, label))
      : config.laneName === named;
  });
  const [lane, second] = lanes;
  if (lane === undefined) return null;
  if (second !== undefined) return severalLanes('issue', lanes);
  if (knobs.length > 0 && !isOfItsIssue(command)) return refusedIssue('knobs');
  return takeUpIssue({ ...open, config: lane }, issue, { kind: 'command', command });
}

async function decided(open: OpenLab, pull: OwnPull, command: SeenCommand): Promise<RequestOutcome | null> {
  const { lane: named, knobs } = askOf(command);
  const all = lanesOf(open.config);
  const lanes = named === null ? all : all.filter(({ laneName }) => laneName === named);
  // An unknown lane is told as everywhere.
  if (lanes.length === 0) return null;
  const fitting = await fittingLane(open, pull, lanes);
  // In the thread of an experiment that changes no lane's file, people ask for a proposal as in an issue.
  if (
    fitting.kind === 'answer' &&
    fitting.detail['why'] === 'no-experiment' &&
    pull.labels.includes('experiment')
  )
    return null;
  if (fitting.kind !== 'lane') return fitting;
  const { lane } = fitting;
  if (knobs.length > 0) return refused('knobs', lane.kind.proposes?.change?.file(lane.lane) ?? '');
  return takeUp({ ...open, config: lane }, pull, { kind: 'command', command });
}
