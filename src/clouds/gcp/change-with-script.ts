/** Changes something on a cluster through a script of the lab: the capability is spent on the very call that is made. */

import { type Permit, spendCapability } from '../../domain/actions/capability.ts';
import type { MutationStep } from '../../domain/care/mutation.ts';
import type { ProgramResult, RunOptions } from '../../host/process.ts';
import type { RunProgram } from './gcloud.ts';
import { runScriptCommand } from './script-command.ts';

/** Spends the step, then runs it as it stands there. Throws `CapabilityError` where the capability is not for it. */
export function changeWithScript(
  run: RunProgram,
  step: MutationStep,
  permit: Permit,
  options: RunOptions,
): Promise<ProgramResult> {
  spendCapability(permit, step);
  return runScriptCommand(step, (file, args) => run(file, args, options));
}
