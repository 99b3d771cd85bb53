/** Runs one part of a job (a step, or an action's pre or post part) with its time limit, and records how it ended. */

import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { isRefusedName } from './command-files.ts';
import type { JobOutput } from './job-output.ts';
import type { JobFrame } from './job-state.ts';
import type { StepEnd, StepHost, StepWork } from './runner-types.ts';
import { startTimer } from './timer.ts';

export type StepRun = {
  readonly frame: JobFrame;
  readonly output: JobOutput;
  readonly mask: (secret: string) => void;
  readonly groups: Set<number>;
  /** Ends the step: the job's cancellation, or the end of the grace period for steps that run after it. */
  readonly signal: AbortSignal;
  readonly timeoutMinutes: number | null;
  /** True for a step of a composite action: only the job's step logs that it was ended. */
  readonly isInside: boolean;
};

/** What a step runs: one task for the executor, or the steps of a composite action until they must end. */
export type StepMaking = StepWork | ((signal: AbortSignal) => Promise<StepEnd>);

const NOTHING = { outputs: {}, env: {}, paths: [], state: {}, summary: '' } as const;

/** How the step ended. An error in the workflow's text is a failure with its message in the log, never an exception. */
export async function runStep(run: StepRun, make: () => Promise<StepMaking>): Promise<StepEnd> {
  const lines = run.output.step();
  const timedOut = new AbortController();
  const signal = AbortSignal.any([run.signal, timedOut.signal]);
  const stopTimer =
    run.timeoutMinutes === null
      ? null
      : startTimer(run.frame.executor, run.timeoutMinutes * 60_000, () => timedOut.abort());
  const host: StepHost = {
    work: run.frame.work,
    places: run.frame.places,
    onLine: lines.onLine,
    note: lines.note,
    signal,
    mask: run.mask,
    groups: run.groups,
  };
  let end: StepEnd;
  try {
    const made = await make();
    end = typeof made === 'function' ? await made(signal) : await run.frame.executor.step(made, host);
  } catch (error) {
    if (!(error instanceof WorkflowFault)) throw error;
    if (!signal.aborted) lines.note(error.message);
    end = { conclusion: signal.aborted ? 'cancelled' : 'failure', ...NOTHING };
  } finally {
    stopTimer?.();
  }
  if (timedOut.signal.aborted && !run.signal.aborted) {
    lines.note(`The action has timed out after ${run.timeoutMinutes} minutes.`);
    return { ...end, conclusion: 'failure' };
  }
  if (run.signal.aborted) {
    if (!run.isInside) lines.note('The operation was canceled.');
    return { ...end, conclusion: 'cancelled' };
  }
  return {
    ...end,
    outputs: { ...lines.outputs(), ...end.outputs },
    state: { ...lines.state(), ...end.state },
    conclusion: lines.problem() === null ? end.conclusion : 'failure',
  };
}

/** Passes what this step wrote (environment, path, summary) to later steps. */
export function keepForLater(frame: JobFrame, end: StepEnd, output: JobOutput): void {
  for (const [name, value] of Object.entries(end.env)) {
    if (isRefusedName(name))
      output.note(`Can't store ${name.toUpperCase()} output parameter using '$GITHUB_ENV' command.`);
    else frame.state.env[name] = value;
  }
  frame.state.paths.unshift(...[...end.paths].reverse());
  if (end.summary !== '') frame.state.summary += end.summary.endsWith('\n') ? end.summary : `${end.summary}\n`;
}
