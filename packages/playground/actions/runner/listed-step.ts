/** Runs one step of a list: its condition, its work, its end. A composite action has a list of its own. */

import path from 'node:path';
import {
  evaluateCondition,
  evaluateText,
  evaluateValue,
  isTrue,
  jsonAsText,
  type Scope,
} from '../expressions/evaluate.ts';
import type { StepDefinition } from '../workflow/job-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { type ActionUse, actionInputs, buildPartWork } from './action-parts.ts';
import { localUse } from './action-uses.ts';
import type { CompositeRuns } from './composite-manifest.ts';
import { type JobEnding, stepSignal } from './job-ending.ts';
import type { JobOutput } from './job-output.ts';
import { evaluateEnv, evaluateNow, type JobFrame } from './job-state.ts';
import type { Masks } from './masks.ts';
import { timeoutMinutes } from './minutes.ts';
import type { ActionSources } from './resolve-action.ts';
import { keepForLater, runStep, type StepMaking } from './run-step.ts';
import type { JobReport, StepConclusion, StepEnd, StepWork } from './runner-types.ts';
import { stepEnvironment } from './step-environment.ts';
import { stepHeader } from './step-header.ts';
import { compositeLevel, type StepLevel, scopeOfAction } from './step-level.ts';
import { describeStep } from './step-title.ts';

export type JobStepsOptions = {
  readonly frame: JobFrame;
  readonly output: JobOutput;
  readonly report: JobReport;
  readonly masks: Masks;
  readonly groups: Set<number>;
  readonly ending: JobEnding;
  readonly sources: ActionSources;
};

/** A step's state before it starts. */
type Plan = {
  readonly env: Readonly<Record<string, string>>;
  readonly isForgiven: boolean;
  readonly timeoutMinutes: number | null;
};

export async function runListedStep(
  step: StepDefinition,
  level: StepLevel,
  options: JobStepsOptions,
): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  if (ending.forced.aborted) return recordResult(step, level, 'cancelled', 'cancelled', {});
  let plan: Plan | null;
  try {
    plan = planStep(step, level, frame);
  } catch (error) {
    if (!(error instanceof WorkflowFault)) throw error;
    output.say(`##[error]${error.message}`);
    return recordResult(step, level, 'failure', 'failure', {});
  }
  if (plan === null) return recordResult(step, level, 'skipped', 'skipped', {});
  const { env, isForgiven, timeoutMinutes } = plan;
  const stays = (): boolean => evaluateNow(step.if, () => level.scope(env));
  const base = { ...stepRunOptions(options, stays, level.signal), timeoutMinutes, isInside: level.inside !== null };
  const end = await runStep(base, () => prepareStep(step, level, env, options));
  const use = level.begun.at(-1);
  if (use?.step === step) keepState(use, end);
  keepForLater(frame, end, output);
  const conclusion = end.conclusion === 'failure' && isForgiven ? 'success' : end.conclusion;
  return recordResult(step, level, end.conclusion, conclusion, end.outputs);
}

/** Null: the step's condition does not hold. */
function planStep(step: StepDefinition, level: StepLevel, frame: JobFrame): Plan | null {
  const env = evaluateEnv(step.env, level.scope());
  const scope = level.scope(env);
  if (!evaluateCondition(step.if, scope)) return null;
  const given = step.continueOnError;
  return {
    env,
    isForgiven: typeof given === 'boolean' ? given : isTrue(evaluateValue(given, scope)),
    timeoutMinutes: timeoutMinutes(frame, step.timeoutMinutes),
  };
}

async function prepareStep(
  step: StepDefinition,
  level: StepLevel,
  own: Readonly<Record<string, string>>,
  options: JobStepsOptions,
): Promise<StepMaking> {
  const { frame, output, sources } = options;
  const env = { ...level.env, ...own };
  const logHeader = (work: Parameters<typeof stepHeader>[1]): void => {
    for (const line of stepHeader(describeStep(step), work, { ...frame.state.env, ...env })) output.say(line);
  };
  if (step.run !== null) {
    const work = runWork(step, step.run, { level, own, frame });
    logHeader(work);
    return work;
  }
  const use = level.uses.get(step) ?? (await localUse(step, frame.places.workspace, sources, level.depth));
  use.env = env;
  const { inputs, unexpected } = actionInputs(use, scopeOfAction(level.scope(own), use.action));
  use.inputs = inputs;
  for (const name of unexpected) output.say(`##[warning]Unexpected input(s) '${name}'`);
  level.begun.push(use);
  const runs = use.action.manifest?.runs;
  if (runs?.kind === 'composite') {
    logHeader({ kind: 'action', inputs });
    return (signal) => runComposite(use, runs, compositeLevel(frame, use, level, signal), options);
  }
  const work = requireWork(buildPartWork(use, 'main', stepEnvironment(frame, use, env)), step);
  logHeader(work);
  return work;
}

/**
 * Runs the steps in order. Steps after a failed one still have their conditions evaluated. The outputs are read even
 * after a failure.
 */
async function runComposite(
  use: ActionUse,
  runs: CompositeRuns,
  level: StepLevel,
  options: JobStepsOptions,
): Promise<StepEnd> {
  for (const step of runs.steps) {
    if (level.signal?.aborted === true) break;
    await runListedStep(step, level, options);
  }
  const scope = scopeOfAction(level.scope(), use.action);
  const outputs = Object.entries(runs.outputs).map(([name, text]) => [name, evaluateText(text, scope)]);
  const nothing = { env: {}, paths: [], state: {}, summary: '' };
  return { conclusion: level.status(), outputs: Object.fromEntries(outputs), ...nothing };
}

/** What one part of a job needs to run, including pre and post parts. */
export function stepRunOptions(
  options: JobStepsOptions,
  staysWhenCancelled: () => boolean,
  outer: AbortSignal | null,
): Omit<Parameters<typeof runStep>[0], 'timeoutMinutes' | 'isInside'> {
  const { frame, output, masks, groups, ending } = options;
  const own = stepSignal(ending, staysWhenCancelled);
  const signal = outer === null ? own : AbortSignal.any([own, outer]);
  return { frame, output, mask: masks.add, groups, signal };
}

export function keepState(use: ActionUse, end: StepEnd): void {
  use.state = { ...use.state, ...end.state };
}

function recordResult(
  step: StepDefinition,
  level: StepLevel,
  outcome: StepConclusion,
  conclusion: StepConclusion,
  outputs: Readonly<Record<string, string>>,
): StepConclusion {
  if (step.id !== null) level.results[step.id] = { outputs, outcome, conclusion };
  level.ended(conclusion);
  return conclusion;
}

type Place = { readonly level: StepLevel; readonly own: Readonly<Record<string, string>>; readonly frame: JobFrame };

function runWork(step: StepDefinition, script: string, { level, own, frame }: Place): StepWork {
  const scope: Scope = scopeOfAction(level.scope(own), null);
  const { definition } = frame.work;
  // A job's defaults apply only to the job's own steps.
  const isOfJob = level.inside === null;
  const inside =
    step.workingDirectory ?? (isOfJob ? (definition.workingDirectory ?? frame.work.workingDirectory) : null);
  const shell = step.shell ?? (isOfJob ? (definition.shell ?? frame.work.shell) : null);
  const directory = inside === null ? '.' : jsonAsText(evaluateText(inside, scope));
  return {
    kind: 'run',
    script: evaluateText(script, scope),
    shell: shell === null ? null : evaluateText(shell, scope),
    cwd: path.resolve(frame.places.workspace, directory),
    env: stepEnvironment(frame, null, { ...level.env, ...own }, level.inside),
  };
}

export function requireWork(work: StepWork | null, step: StepDefinition): StepWork {
  if (work === null) throw new WorkflowFault(`${step.uses ?? 'the step'} has nothing to run`);
  return work;
}
