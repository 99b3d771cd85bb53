/** The steps of a job as they really go: numbered, conditional, with pre parts before and post parts after them. */

import path from 'node:path';
import { assertNever } from '../../world/assert.ts';
import { asText, evaluateCondition, evaluateText, evaluateValue, isTrue } from '../expressions/evaluate.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import type { StepDefinition } from '../workflow/workflow-file.ts';
import { type ActionUse, actionInputs, partOf } from './action-parts.ts';
import { type JobEnding, stepSignal } from './job-ending.ts';
import type { JobOutput } from './job-output.ts';
import { evaluateEnv, holdsNow, type JobFrame, stepScope } from './job-state.ts';
import type { Masks } from './masks.ts';
import { minutesOf } from './minutes.ts';
import { type ActionSources, resolveLocal, resolveRemote } from './resolve-action.ts';
import { keepForLater, runStep } from './run-step.ts';
import type { JobReport, StepConclusion, StepEnd, StepWork } from './runner-types.ts';
import { actionName, environmentOf } from './step-environment.ts';
import { stepHeader } from './step-header.ts';
import { announce, shownTitle, titleOf } from './step-title.ts';

export type JobStepsOptions = {
  readonly frame: JobFrame;
  readonly output: JobOutput;
  readonly report: JobReport;
  readonly masks: Masks;
  readonly groups: Set<number>;
  readonly ending: JobEnding;
  readonly sources: ActionSources;
};

export type JobSteps = {
  /** Resolves every remote action; false when the job cannot run. */
  readonly setUp: (prepare: () => void) => Promise<boolean>;
  readonly pre: () => Promise<void>;
  readonly main: (step: StepDefinition) => Promise<void>;
  readonly post: () => Promise<void>;
  readonly complete: () => void;
};

export function createJobSteps(options: JobStepsOptions): JobSteps {
  const { frame, output, report } = options;
  const remote = new Map<StepDefinition, ActionUse>();
  const started: ActionUse[] = [];
  let number = 0;

  const numbered = async (name: string, work: () => Promise<StepConclusion>): Promise<void> => {
    number += 1;
    const mine = number;
    report.stepStarts(mine, options.masks.apply(name));
    report.stepEnds(mine, await work());
  };

  return {
    setUp: async (prepare) => {
      report.plan(['Set up job', ...frame.work.definition.steps.map(titleOf)]);
      let ready = true;
      await numbered('Set up job', async () => {
        output.say(`Runner name: '${frame.work.runner.name}'`);
        output.say(`GITHUB_TOKEN Permissions: ${JSON.stringify(frame.work.permissions)}`);
        try {
          prepare();
          for (const step of frame.work.definition.steps) await addRemote(step, remote, options);
        } catch (error) {
          if (!(error instanceof WorkflowFault)) throw error;
          output.say(`##[error]${error.message}`);
          frame.state.status = 'failure';
          ready = false;
        }
        return ready ? 'success' : 'failure';
      });
      return ready;
    },
    pre: async () => {
      for (const use of remote.values()) {
        if (use.action.manifest?.pre === null || use.action.manifest === null) continue;
        const condition = use.action.manifest.preIf;
        if (!evaluateCondition(condition, stepScope(frame))) continue;
        await numbered(`Pre ${use.title}`, () => part(use, 'pre', options));
      }
    },
    main: async (step) => {
      const use = remote.get(step) ?? null;
      await numbered(shownTitle(step, frame), () => mainStep(step, use, options, started));
    },
    post: async () => {
      for (const use of started.reverse()) {
        const has = use.action.kind === 'checkout' || (use.action.manifest?.post ?? null) !== null;
        if (!has) continue;
        if (!evaluateCondition(use.action.manifest?.postIf ?? 'always()', stepScope(frame))) continue;
        await numbered(`Post ${use.title}`, () => part(use, 'post', options));
      }
    },
    complete: () => {
      number += 1;
      report.stepStarts(number, 'Complete job');
      report.stepEnds(number, 'success');
    },
  };
}

async function addRemote(
  step: StepDefinition,
  remote: Map<StepDefinition, ActionUse>,
  options: JobStepsOptions,
): Promise<void> {
  if (step.uses === null) return;
  const action = await resolveRemote(step.uses, options.sources);
  if (action === null) return;
  const use: ActionUse = { action, step, title: titleOf(step), inputs: {}, env: {}, state: {} };
  // Inputs are evaluated again when the step itself runs; a pre part sees them as they are now.
  if (action.manifest?.pre !== null && action.manifest !== null) {
    use.env = evaluateEnv(step.env, stepScope(options.frame));
    use.inputs = actionInputs(use, stepScope(options.frame, use.env)).inputs;
  }
  remote.set(step, use);
}

async function mainStep(
  step: StepDefinition,
  remote: ActionUse | null,
  options: JobStepsOptions,
  started: ActionUse[],
): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  frame.state.action = actionName(frame.work.definition.steps, step);
  if (ending.forced.aborted) return record(step, frame, 'cancelled', 'cancelled', {});
  let env: Record<string, string> = {};
  let go: boolean;
  let forgiven = false;
  let timeoutMinutes: number | null = null;
  try {
    env = evaluateEnv(step.env, stepScope(frame));
    const scope = stepScope(frame, env);
    go = evaluateCondition(step.if, scope);
    if (go) {
      const given = step.continueOnError;
      forgiven = typeof given === 'boolean' ? given : isTrue(evaluateValue(given, scope));
      timeoutMinutes = minutesOf(frame, step.timeoutMinutes);
    }
  } catch (error) {
    if (!(error instanceof WorkflowFault)) throw error;
    output.say(`##[error]${error.message}`);
    return record(step, frame, 'failure', 'failure', {});
  }
  if (!go) return record(step, frame, 'skipped', 'skipped', {});
  const begin = (work: StepWork): StepWork => {
    for (const line of stepHeader(announce(step), work, { ...frame.state.env, ...env })) output.say(line);
    return work;
  };
  const stays = (): boolean => holdsNow(step.if, frame, env);
  const end = await runStep({ ...stepRun(options, stays), timeoutMinutes }, async () => {
    if (step.run !== null) return begin(runWork(step, step.run, env, frame));
    const use = remote ?? (await localUse(step, options));
    use.env = env;
    const { inputs, unexpected } = actionInputs(use, stepScope(frame, env));
    use.inputs = inputs;
    for (const name of unexpected) output.say(`##[warning]Unexpected input(s) '${name}'`);
    started.push(use);
    return begin(must(partOf(use, 'main', environmentOf(frame, use, env)), step));
  });
  if (started.at(-1)?.step === step) keepState(started.at(-1), end);
  keepForLater(frame, end, output);
  const conclusion = end.conclusion === 'failure' && forgiven ? 'success' : end.conclusion;
  return record(step, frame, end.conclusion, conclusion, end.outputs);
}

/** Pre and post parts: their failure fails the job as a step's does. */
async function part(
  use: ActionUse,
  phase: 'pre' | 'post',
  options: JobStepsOptions,
): Promise<StepConclusion> {
  const { frame, output, ending } = options;
  frame.state.action = actionName(frame.work.definition.steps, use.step);
  if (ending.forced.aborted) return 'cancelled';
  output.say(`##[group]${phase === 'pre' ? 'Pre' : 'Post'} job: ${use.title}`);
  output.say('##[endgroup]');
  const condition = use.action.manifest?.[phase === 'pre' ? 'preIf' : 'postIf'] ?? 'always()';
  const stays = (): boolean => holdsNow(condition, frame, {});
  const end = await runStep({ ...stepRun(options, stays), timeoutMinutes: null }, () =>
    must(partOf(use, phase, environmentOf(frame, use, use.env)), use.step),
  );
  keepState(use, end);
  keepForLater(frame, end, output);
  if (end.conclusion === 'failure' && frame.state.status === 'success') frame.state.status = 'failure';
  return end.conclusion;
}

function stepRun(
  options: JobStepsOptions,
  staysWhenCancelled: () => boolean,
): Omit<Parameters<typeof runStep>[0], 'timeoutMinutes'> {
  const { frame, output, masks, groups, ending } = options;
  return { frame, output, mask: masks.add, groups, signal: stepSignal(ending, staysWhenCancelled) };
}

function keepState(use: ActionUse | undefined, end: StepEnd): void {
  if (use !== undefined) use.state = { ...use.state, ...end.state };
}

function record(
  step: StepDefinition,
  frame: JobFrame,
  outcome: StepConclusion,
  conclusion: StepConclusion,
  outputs: Readonly<Record<string, string>>,
): StepConclusion {
  if (step.id !== null) frame.state.steps[step.id] = { outputs, outcome, conclusion };
  switch (conclusion) {
    case 'failure':
      if (frame.state.status === 'success') frame.state.status = 'failure';
      break;
    case 'cancelled':
      frame.state.status = 'cancelled';
      break;
    case 'success':
    case 'skipped':
      break;
    default:
      return assertNever(conclusion);
  }
  return conclusion;
}

function runWork(
  step: StepDefinition,
  script: string,
  env: Readonly<Record<string, string>>,
  frame: JobFrame,
): StepWork {
  const scope = stepScope(frame, env);
  const inside =
    step.workingDirectory ?? frame.work.definition.workingDirectory ?? frame.work.workingDirectory;
  const shell = step.shell ?? frame.work.definition.shell ?? frame.work.shell;
  const directory = inside === null ? '.' : asText(evaluateText(inside, scope));
  return {
    kind: 'run',
    script: evaluateText(script, scope),
    shell: shell === null ? null : evaluateText(shell, scope),
    cwd: path.resolve(frame.places.workspace, directory),
    env: environmentOf(frame, null, env),
  };
}

async function localUse(step: StepDefinition, options: JobStepsOptions): Promise<ActionUse> {
  const uses = step.uses ?? '';
  const action = await resolveLocal(uses, options.frame.places.workspace, options.sources);
  return { action, step, title: titleOf(step), inputs: {}, env: {}, state: {} };
}

function must(work: StepWork | null, step: StepDefinition): StepWork {
  if (work === null) throw new WorkflowFault(`${step.uses ?? 'the step'} has nothing to run`);
  return work;
}
