/** Runs the pre and post parts of a job's actions, including the actions inside composite ones. */

import { evaluateCondition } from '../expressions/evaluate.ts';
import { type ActionUse, actionInputs, conditionOf, hasPart, partOf } from './action-parts.ts';
import { evaluateEnv, holdsNow, type JobFrame, stepScope } from './job-state.ts';
import { type JobStepsOptions, keepState, must, stepRun } from './listed-step.ts';
import { keepForLater, runStep } from './run-step.ts';
import type { StepConclusion } from './runner-types.ts';
import { actionName, environmentOf } from './step-environment.ts';
import { compositeLevel, ofAction, type StepLevel } from './step-level.ts';

/** Evaluates inputs for the pre part, with the values at job set-up. They are evaluated again when the step runs. */
export function foresee(use: ActionUse, level: StepLevel, frame: JobFrame): void {
  if (!hasPart(use, 'pre')) return;
  const own = evaluateEnv(use.step.env, level.scope());
  use.env = { ...level.env, ...own };
  use.inputs = actionInputs(use, ofAction(level.scope(own), use.action)).inputs;
  const inside = compositeLevel(frame, use, level, null);
  for (const part of use.parts.values()) foresee(part, inside, frame);
}

/** Runs the part of a job step's action. A failure fails the job, as a failed step does. */
export async function phase(use: ActionUse, name: 'pre' | 'post', options: JobStepsOptions): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  if (ending.forced.aborted) return 'cancelled';
  frame.state.action = actionName(frame.work.definition.steps, use.step);
  output.say(`##[group]${name === 'pre' ? 'Pre' : 'Post'} job: ${use.title}`);
  output.say('##[endgroup]');
  return partOfUse(use, name, options);
}

async function partOfUse(use: ActionUse, name: 'pre' | 'post', options: JobStepsOptions): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  if (ending.forced.aborted) return 'cancelled';
  if (use.action.manifest?.runs.kind === 'composite') return partsInside(use, name, options);
  const stays = (): boolean => holdsNow(conditionOf(use, name), () => stepScope(frame));
  const base = { ...stepRun(options, stays, null), timeoutMinutes: null, isInside: false };
  const end = await runStep(base, async () => must(partOf(use, name, environmentOf(frame, use, use.env)), use.step));
  keepState(use, end);
  keepForLater(frame, end, output);
  if (end.conclusion === 'failure' && frame.state.status === 'success') frame.state.status = 'failure';
  return end.conclusion;
}

/** Runs the post parts in reverse order. A failed part does not prevent the others. */
async function partsInside(use: ActionUse, name: 'pre' | 'post', options: JobStepsOptions): Promise<StepConclusion> {
  const ends: StepConclusion[] = [];
  for (const one of name === 'pre' ? use.parts.values() : use.begun.toReversed()) {
    if (!hasPart(one, name)) continue;
    if (!evaluateCondition(conditionOf(one, name), stepScope(options.frame))) continue;
    ends.push(await partOfUse(one, name, options));
  }
  return ends.find((end) => end === 'failure' || end === 'cancelled') ?? 'success';
}
