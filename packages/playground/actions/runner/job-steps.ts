/** All steps that a job actually runs, numbered and with conditions: pre parts first, post parts last. */

import { evaluateCondition } from '../expressions/evaluate.ts';
import type { StepDefinition } from '../workflow/job-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { type ActionUse, hasPart, partCondition } from './action-parts.ts';
import { registerPostSteps, runPhase } from './action-phases.ts';
import { remoteUses } from './action-uses.ts';
import { stepScope } from './job-state.ts';
import { type JobStepsOptions, runListedStep } from './listed-step.ts';
import type { StepConclusion } from './runner-types.ts';
import { actionName } from './step-environment.ts';
import { jobLevel } from './step-level.ts';
import { shownTitle, stepTitle } from './step-title.ts';

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
  const { steps } = frame.work.definition;
  let level = jobLevel(frame, new Map<StepDefinition, ActionUse>());
  let number = 0;

  const numbered = async (name: string, work: () => Promise<StepConclusion>): Promise<void> => {
    number += 1;
    const mine = number;
    report.stepStarts(mine, options.masks.apply(name));
    report.stepEnds(mine, await work());
  };
  const parts = async (name: 'pre' | 'post', uses: Iterable<ActionUse>): Promise<void> => {
    for (const use of uses) {
      if (!hasPart(use, name)) continue;
      if (!evaluateCondition(partCondition(use, name), stepScope(frame))) continue;
      await numbered(`${name === 'pre' ? 'Pre' : 'Post'} ${use.title}`, () => runPhase(use, name, options));
    }
  };

  return {
    setUp: async (prepare) => {
      report.plan(['Set up job', ...steps.map(stepTitle)]);
      let ready = true;
      await numbered('Set up job', async () => {
        output.say(`Runner name: '${frame.work.runner.name}'`);
        output.say(`GITHUB_TOKEN Permissions: ${JSON.stringify(frame.work.permissions)}`);
        try {
          prepare();
          level = jobLevel(frame, await remoteUses(steps, options.sources, 0));
          for (const use of level.uses.values()) registerPostSteps(use, level, frame);
        } catch (error) {
          if (!(error instanceof WorkflowFault)) throw error;
          output.note(error.message);
          frame.state.status = 'failure';
          ready = false;
        }
        return ready ? 'success' : 'failure';
      });
      return ready;
    },
    pre: () => parts('pre', level.uses.values()),
    main: async (step) => {
      frame.state.action = actionName(steps, step);
      await numbered(shownTitle(step, frame), () => runListedStep(step, level, options));
    },
    post: () => parts('post', level.begun.toReversed()),
    complete: () => {
      number += 1;
      report.stepStarts(number, 'Complete job');
      report.stepEnds(number, 'success');
    },
  };
}
