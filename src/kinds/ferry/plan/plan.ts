/** Plans a proposal: what the record, git and the issues say since the last ferry, and what is changed. Writes nothing outside. */

import { fillLane } from '../../../config/fill.ts';
import { configDelta } from '../../../delta/config-delta.ts';
import type { ReadFile } from '../../../domain/experiment.ts';
import type { KnobChange } from '../../../domain/launch/delta.ts';
import { commandKey } from '../../../domain/logbook/run-state.ts';
import { askOf } from '../../../run/propose-request.ts';
import {
  type Failed,
  type Nothing,
  nothing,
  type PlanInput,
  type Planned,
  type PlanWork,
  type Refused,
} from '../../../run/proposing.ts';
import { ferryLane, fixableOf } from '../settings.ts';
import {
  renderCommitMessage,
  renderIssueBody,
  renderIssueTitle,
  renderPullBody,
  renderPullTitle,
} from '../words/proposal.ts';
import type { ProposalView } from '../words/proposal-context.ts';
import { checked } from './checks.ts';
import { chooseChange } from './choose-change.ts';
import { readExperiment, sinceLastFerry } from './experiment.ts';

/** Plans a change on the tip of the lane's branch. Throws `GitError` where git cannot tell. */
export async function planProposal(
  open: PlanWork,
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
  const isChanged = change.text !== experiment.onBranch;
  const total = await knobsBetween(experiment.read, experiment.onBranch, change.text);
  if (total === null) return nothing('edit-refused', `${path} would change in more than knobs`);
  const checks = await checked(open, asked, { base, path, text: change.text, isChanged });
  if (checks.kind !== 'passed') return checks;
  const { pass, notTaken } = experiment;
  const view = {
    ...viewOf(open, input, context),
    ...change,
    unchecked: checks.missing,
    start: { pass, notTaken, total },
  };
  const { run, date, objective, interval, candidate, changes } = view;
  return {
    kind: 'planned',
    run,
    date,
    branch: {
      base,
      files: isChanged ? { [path]: change.text } : {},
      message: renderCommitMessage(view),
    },
    issue: { title: renderIssueTitle(view), body: renderIssueBody(view) },
    pull: {
      title: renderPullTitle(view),
      body: renderPullBody(view, ferryLane(open.config.lane).checklist.preconditions),
    },
    recorded: {
      experiment: path,
      objective,
      interval,
      candidate,
      ...(pass === null ? {} : { base: pass }),
    },
    knobs: changes.map(({ path: knob, after }) => ({ path: knob, after: after ?? '' })),
  };
}

/** The knobs that differ between two texts of the file; null where more than knobs does. */
export async function knobsBetween(
  read: ReadFile,
  before: string,
  after: string,
): Promise<readonly KnobChange[] | null> {
  const delta = configDelta(await read(before), await read(after));
  if (delta.kind === 'none') return [];
  return delta.kind === 'knobs' ? delta.changes : null;
}

/** Everything that is told of a proposal, but for the change. */
export function viewOf(
  open: PlanWork,
  { run, date, objective, unanswered, request }: PlanInput,
  context: ProposalView['context'],
): Omit<ProposalView, 'changes' | 'start' | 'risk' | 'reason' | 'candidate' | 'rationale'> {
  const lane = ferryLane(open.config.lane);
  return {
    run,
    date,
    lane: open.config.laneName,
    runName: fillLane(lane, { run, date }).runName,
    experiment: lane.experiment,
    targetBranch: lane.targetBranch,
    fixable: fixableOf(lane),
    objective,
    ...(unanswered === undefined ? {} : { unanswered }),
    context,
    interval: context.start,
    pull: null,
    asked: request === null ? null : { by: request.actor, thread: request.thread },
  };
}
