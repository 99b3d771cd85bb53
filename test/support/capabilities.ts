/** Calls an engine as the pipeline does after its checks: with a capability for exactly this call. */

import type { ActionStep } from '../../src/domain/actions/action.ts';
import type { Permit } from '../../src/domain/actions/capability.ts';
import { sealCapability } from '../../src/domain/actions/capability-seal.ts';
import {
  type Engine,
  type JobSpec,
  type StopOutcome,
  type SubmitOutcome,
  stopStep,
  submitStep,
} from '../../src/domain/engine.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';

/** A permit for these steps, valid for a minute. */
export function permitFor(...steps: readonly ActionStep[]): Permit {
  const now = brandAs(Date.now(), isInstant);
  return { capability: sealCapability({ steps, until: brandAs(now + 60_000, isInstant) }), now };
}

/** Submits a job. */
export function submitTo(engine: Pick<Engine, 'submit'>, spec: JobSpec): Promise<SubmitOutcome> {
  return engine.submit(spec, permitFor(submitStep(spec)));
}

/** Stops a job. */
export function stopIn(engine: Pick<Engine, 'stop'>, jobId: string): Promise<StopOutcome> {
  return engine.stop(jobId, permitFor(stopStep(jobId)));
}
