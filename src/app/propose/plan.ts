/** Plans a proposal: what the record, git and the issues say since the last ferry, and what is changed. Writes nothing outside. */

import type { RunId, Sha } from '../../domain/ids.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { askOf } from '../../kinds/ferry/ask/request.ts';
import type { ProposalView } from '../../kinds/ferry/proposal-view.ts';
import { ferryLane } from '../../kinds/ferry/settings.ts';
import { fillLane } from '../../run/fill.ts';
import type { OpenLane } from '../open-lab.ts';
import { failedChecks } from './checks.ts';
import { chooseChange } from './choose-change.ts';
import { readExperiment } from './experiment.ts';
import type { Failed, Nothing, Refused } from './outcome.ts';
import { sinceLastFerry } from './since-last.ts';

export type Planned = {
  readonly kind: 'planned';
  readonly view: ProposalView;
  /** The whole experiment file as it shall be; null = as it is. */
  readonly text: string | null;
  /** Of a proposal that was begun before: its commit, where it is what is written here and nothing else. */
  readonly head?: Sha | null;
  readonly base: Sha;
};

export type PlanInput = {
  readonly run: RunId;
  readonly date: string;
  readonly objective: Objective;
  /** The command that asked for it; null = the schedule. */
  readonly request: SeenCommand | null;
};

/** Plans a change on the tip of the lane's branch. Throws `GitError` where git cannot tell. */
export async function planProposal(
  open: OpenLane,
  input: PlanInput,
): Promise<Planned | Nothing | Failed | Refused> {
  const experiment = await readExperiment(open);
  if (experiment.kind === 'nothing') return experiment;
  const { base } = experiment;
  const context = await sinceLastFerry(open, base, input.date);
  if ('kind' in context) return context;
  const { request } = input;
  const knobs = request === null ? [] : askOf(request).knobs;
  const asked = request === null ? null : { by: commandKey(request), thread: request.thread };
  const change = await chooseChange(open, experiment, { ...input, asked, context, knobs });
  if (change.kind !== 'change') return change;
  const path = ferryLane(open.config.lane).experiment;
  const isChanged = change.text !== experiment.text;
  const failed = await failedChecks(open, asked, { base, path, text: change.text, isChanged });
  if (failed !== null) return failed;
  return {
    kind: 'planned',
    base,
    text: isChanged ? change.text : null,
    view: { ...viewOf(open, input, context), ...change },
  };
}

/** Everything that is told of a proposal, but for the change. */
export function viewOf(
  open: OpenLane,
  { run, date, objective, request }: PlanInput,
  context: ProposalView['context'],
): Omit<ProposalView, 'changes' | 'risk' | 'reason' | 'candidate' | 'rationale'> {
  const lane = ferryLane(open.config.lane);
  return {
    run,
    date,
    lane: open.config.laneName,
    runName: fillLane(lane, { run, date }).runName,
    experiment: lane.experiment,
    objective,
    context,
    interval: context.start,
    issue: null,
    pull: null,
    asked: request === null ? null : { by: request.actor, thread: request.thread },
  };
}
