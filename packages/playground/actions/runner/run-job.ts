/** Runs one job on one runner: set-up, its steps in order, the post parts of its actions, and its outputs. */

import path from 'node:path';
import { actions } from '../../limits/limits.ts';
import { evaluateText } from '../expressions/evaluate.ts';
import { isSelfHosted } from './environment.ts';
import { type JobEnding, jobEnding } from './job-ending.ts';
import { createJobOutput, type JobOutput } from './job-output.ts';
import { createJobState, evaluateEnv, type JobFrame, stepScope } from './job-state.ts';
import { createJobSteps } from './job-steps.ts';
import { createMasks, type Masks } from './masks.ts';
import { timeoutMinutes } from './minutes.ts';
import type { Executor, JobReport, JobResult, JobWork, Places } from './runner-types.ts';

export type RunJobOptions = {
  readonly executor: Executor;
  readonly actionDirectories: Readonly<Record<string, string>>;
  readonly actionBundles: string | null;
  readonly workDirectory: string;
  /** Aborted when the run is cancelled. */
  readonly cancel: AbortSignal;
  /** Aborted when the job must end regardless of its conditions. */
  readonly force: AbortSignal;
};

/** The job's result. Rejects only on a bug or a broken machine; every error of the workflow is in the result. */
export async function runJob(work: JobWork, options: RunJobOptions, report: JobReport): Promise<JobResult> {
  const places = createPlaces(options.workDirectory, work);
  const masks = createMasks([work.token, work.runtimeToken, ...Object.values(work.secrets)]);
  const output = createJobOutput(masks, report.log);
  const frame: JobFrame = { work, places, executor: options.executor, state: createJobState() };
  const ending = jobEnding(frame, options, output);
  const groups = new Set<number>();
  const steps = createJobSteps({
    frame,
    output,
    report,
    masks,
    groups,
    ending,
    sources: {
      directories: options.actionDirectories,
      bundles: options.actionBundles,
      required: options.executor.readsActions,
    },
  });
  try {
    await options.executor.prepare(places, work);
    const ready = await steps.setUp(() => prepareEnv(frame, ending));
    if (ready) {
      await steps.pre();
      for (const step of work.definition.steps) await steps.main(step);
    }
    await steps.post();
    const outputs = ready ? jobOutputs(frame, masks, output) : {};
    steps.complete();
    const { status, summary } = frame.state;
    return { conclusion: status, outputs, annotations: output.annotations, summary };
  } finally {
    ending.stop();
    await options.executor.cleanUp({ places, groups, trackingId: work.trackingId, say: output.say });
  }
}

function prepareEnv(frame: JobFrame, ending: JobEnding): void {
  const { work, state } = frame;
  Object.assign(state.env, evaluateEnv(work.workflowEnv, stepScope(frame)));
  Object.assign(state.env, evaluateEnv(work.definition.env, stepScope(frame)));
  const requested = timeoutMinutes(frame, work.definition.timeoutMinutes) ?? actions.jobTimeoutMinutes;
  const most = isSelfHosted(work) ? actions.selfHostedJobMinutes : actions.hostedJobMinutes;
  ending.limit(Math.min(requested, most));
}

/**
 * Drops outputs that contain a secret, as the real runner does. Outputs over the limit fail the job, because GitHub
 * does not document the outcome (docs: passing information between jobs).
 */
function jobOutputs(frame: JobFrame, masks: Masks, output: JobOutput): Record<string, string> {
  const outputs: Record<string, string> = {};
  for (const [name, text] of Object.entries(frame.work.definition.outputs)) {
    const value = evaluateText(text, stepScope(frame));
    if (masks.hides(value)) output.say(`##[warning]Skip output '${name}' since it may contain secret.`);
    else if (value !== '') outputs[name] = value;
  }
  const bytes = 2 * Object.entries(outputs).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes <= actions.jobOutputBytes) return outputs;
  output.note(`The outputs of a job have at most ${actions.jobOutputBytes} bytes in UTF-16, these ${bytes}.`);
  frame.state.status = 'failure';
  return {};
}

function createPlaces(workDirectory: string, work: JobWork): Places {
  const root = path.join(workDirectory, work.runner.name.replaceAll(/[^\w.-]/g, '_'));
  const name = work.repository.slice(work.repository.indexOf('/') + 1);
  const temp = path.join(root, '_temp');
  return {
    workspace: path.join(root, name, name),
    temp,
    toolCache: path.join(root, '_tool'),
    home: path.join(root, 'home'),
    eventFile: path.join(temp, '_github_workflow', 'event.json'),
  };
}
