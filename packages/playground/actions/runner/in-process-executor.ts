/** Runs steps as functions that a test injects, so that hours of virtual time pass without a process. */

import type { Clock } from '../../clock.ts';
import { assertNever } from '../../world/assert.ts';
import type { Json } from '../../world/json.ts';
import type { Executor, StepEnd, StepHost, StepWork } from './runner-types.ts';

type InProcessOutcome = {
  readonly conclusion: 'success' | 'failure';
  readonly outputs: Readonly<Record<string, string>>;
  /** Lines of output; workflow commands in them take effect. */
  readonly log: string;
};

type InProcessRequest = {
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the job is cancelled or times out; the function should return soon after. */
  readonly signal: AbortSignal;
};

export type InProcessHandlers = {
  /** Replaces the action's program; `env` is what the process would get, including INPUT_*. */
  readonly action: (
    actionRef: string,
    inputs: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>>,
    eventPayload: Json,
    signal: AbortSignal,
  ) => Promise<InProcessOutcome>;
  readonly checkout: (inputs: Readonly<Record<string, string>>, request: InProcessRequest) => Promise<InProcessOutcome>;
  readonly run: (script: string, request: InProcessRequest) => Promise<InProcessOutcome>;
};

export function createInProcessExecutor(handlers: InProcessHandlers, clock: Clock): Executor {
  return {
    readsActions: false,
    endsWhenTold: false,
    recover: async () => undefined,
    prepare: async () => undefined,
    step: async (step, host) => {
      const outcome = await runHandler(handlers, step, host);
      for (const line of outcome.log.split('\n')) if (line !== '') host.onLine(line);
      return {
        conclusion: host.signal.aborted ? 'cancelled' : outcome.conclusion,
        outputs: outcome.outputs,
        env: {},
        paths: [],
        state: {},
        summary: '',
      } satisfies StepEnd;
    },
    cleanUp: async () => undefined,
    sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
  };
}

const NOTHING: InProcessOutcome = { conclusion: 'success', outputs: {}, log: '' };

function runHandler(handlers: InProcessHandlers, step: StepWork, host: StepHost): Promise<InProcessOutcome> {
  const request = { env: step.env, signal: host.signal };
  switch (step.kind) {
    case 'action':
      if (step.phase !== 'main') return Promise.resolve(NOTHING);
      return handlers.action(step.uses, step.inputs, step.env, host.work.payload, host.signal);
    case 'checkout':
      if (step.phase === 'post') return Promise.resolve(NOTHING);
      return handlers.checkout(step.inputs, request);
    case 'run':
      return handlers.run(step.script, request);
    default:
      return assertNever(step);
  }
}
