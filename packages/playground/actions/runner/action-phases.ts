/** Runs the pre and post parts of a job's actions, including the actions inside composite ones. */

import { evaluateCondition } from '../expressions/evaluate.ts';
import { type ActionUse, actionInputs, buildPartWork, hasPart, partCondition } from './action-parts.ts';
import { evaluateEnv, evaluateNow, type JobFrame, stepScope } from './job-state.ts';
import { type JobStepsOptions, keepState, requireWork, stepRunOptions } from './listed-step.ts';
import { keepForLater, runStep } from './run-step.ts';
import type { StepConclusion } from './runner-types.ts';
import { actionName, stepEnvironment } from './step-environment.ts';
import { compositeLevel, type StepLevel, scopeOfAction } from './step-level.ts';

/** Evaluates inputs for the pre part, with the values at job set-up. They are evaluated again when the step runs. */
export function registerPostSteps(use: ActionUse, level: StepLevel, frame: JobFrame): void {
  if (!hasPart(use, 'pre')) return;
  const own = evaluateEnv(use.step.env, level.scope());
  use.env = { ...level.env, ...own };
  use.inputs = actionInputs(use, scopeOfAction(level.scope(own), use.action)).inputs;
  const inside = compositeLevel(frame, use, level, null);
  for (const part of use.parts.values()) registerPostSteps(part, inside, frame);
}

/** Runs the part of a job step's action. A failure fails the job, as a failed step does. */
export async function runPhase(
  use: ActionUse,
  name: 'pre' | 'post',
  options: JobStepsOptions,
): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  if (ending.forced.aborted) return 'cancelled';
  frame.state.action = actionName(frame.work.definition.steps, use.step);
  output.say(`##[group]${name === 'pre' ? 'Pre' : 'Post'} job: ${use.title}`);
  output.say('##[endgroup]');
  return runOwnPart(use, name, options);
}

async function runOwnPart(use: ActionUse, name: 'pre' | 'post', options: JobStepsOptions): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  if (ending.forced.aborted) return 'cancelled';
  if (use.action.manifest?.runs.kind === 'composite') return runInnerParts(use, name, options);
  const stays = (): boolean => evaluateNow(partCondition(use, name), () => stepScope(frame));
  const base = { ...stepRunOptions(options, stays, null), timeoutMinutes: null, isInside: false };
  const end = await runStep(base, async () =>
    requireWork(buildPartWork(use, name, stepEnvironment(frame, use, use.env)), use.step),
  );
  keepState(use, end);
  keepForLater(frame, end, output);
  if (end.conclusion === 'failure' && frame.state.status === 'success') frame.state.status = 'failure';
  return end.conclusion;
}

/** Runs the post parts in reverse order. A failed part does not prevent the others. */
async function runInnerParts(use: ActionUse, name: 'pre' | 'post', options: JobStepsOptions): Promise<StepConclusion> {
  const ends: StepConclusion[] = [];
  for (const one of name === 'pre' ? use.parts.values() : use.begun.toReversed()) {
    if (!hasPart(one, name)) continue;
    if (!evaluateCondition(partCondition(one, name), stepScope(options.frame))) continue;
    ends.push(await runOwnPart(one, name, options));
  }
  return ends.find((end) => end === 'failure' || end === 'cancelled') ?? 'success';
}
