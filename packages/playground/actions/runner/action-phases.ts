/** What actions do before the first and after the last step of a job; of a composite one what its steps' actions do there. */

import { evaluateCondition } from '../expressions/evaluate.ts';
import { type ActionUse, actionInputs, conditionOf, hasPart, partOf } from './action-parts.ts';
import { evaluateEnv, holdsNow, type JobFrame, stepScope } from './job-state.ts';
import { type JobStepsOptions, keepState, must, stepRun } from './listed-step.ts';
import { keepForLater, runStep } from './run-step.ts';
import type { StepConclusion } from './runner-types.ts';
import { actionName, environmentOf } from './step-environment.ts';
import { compositeLevel, ofAction, type StepLevel } from './step-level.ts';

/** Inputs are evaluated again when the step itself runs; a pre part sees them as they are when the job is set up. */
export function foresee(use: ActionUse, level: StepLevel, frame: JobFrame): void {
  if (!hasPart(use, 'pre')) return;
  const own = evaluateEnv(use.step.env, level.scope());
  use.env = { ...level.env, ...own };
  use.inputs = actionInputs(use, ofAction(level.scope(own), use.action)).inputs;
  const inside = compositeLevel(frame, use, level, null);
  for (const part of use.parts.values()) foresee(part, inside, frame);
}

/** Of a step of the job: its failure fails the job as a step's does. */
export async function phase(
  use: ActionUse,
  name: 'pre' | 'post',
  options: JobStepsOptions,
): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  if (ending.forced.aborted) return 'cancelled';
  frame.state.action = actionName(frame.work.definition.steps, use.step);
  output.say(`##[group]${name === 'pre' ? 'Pre' : 'Post'} job: ${use.title}`);
  output.say('##[endgroup]');
  return partOfUse(use, name, options);
}

async function partOfUse(
  use: ActionUse,
  name: 'pre' | 'post',
  options: JobStepsOptions,
): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  if (ending.forced.aborted) return 'cancelled';
  if (use.action.manifest?.runs.kind === 'composite') return partsInside(use, name, options);
  const stays = (): boolean => holdsNow(conditionOf(use, name), () => stepScope(frame));
  const base = { ...stepRun(options, stays, null), timeoutMinutes: null, isInside: false };
  const end = await runStep(base, async () =>
    must(partOf(use, name, environmentOf(frame, use, use.env)), use.step),
  );
  keepState(use, end);
  keepForLater(frame, end, output);
  if (end.conclusion === 'failure' && frame.state.status === 'success') frame.state.status = 'failure';
  return end.conclusion;
}

/** The last that began is the first to end; one that fails holds back no other. */
async function partsInside(
  use: ActionUse,
  name: 'pre' | 'post',
  options: JobStepsOptions,
): Promise<StepConclusion> {
  const ends: StepConclusion[] = [];
  for (const one of name === 'pre' ? use.parts.values() : use.begun.toReversed()) {
    if (!hasPart(one, name)) continue;
    if (!evaluateCondition(conditionOf(one, name), stepScope(options.frame))) continue;
    ends.push(await partOfUse(one, name, options));
  }
  return ends.find((end) => end === 'failure' || end === 'cancelled') ?? 'success';
}
