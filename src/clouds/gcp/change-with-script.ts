/** Changes something on a cluster through a script of the lab: the consent is spent on the very call that is made. */

import { type ConsentToken, spendConsent } from '../../domain/care/consent-token.ts';
import type { MutationStep } from '../../domain/care/mutation.ts';
import type { Instant } from '../../domain/ids.ts';
import type { ProgramResult, RunOptions } from '../../host/process.ts';
import type { RunProgram } from './gcloud.ts';
import { runScriptCommand } from './script-command.ts';

/** Spends the step, then runs it as it stands there. Throws `ConsentError` where the token is not for it. */
export function changeWithScript(
  run: RunProgram,
  consent: { readonly token: ConsentToken; readonly step: MutationStep; readonly now: Instant },
  options: RunOptions,
): Promise<ProgramResult> {
  spendConsent(consent.token, consent.step, consent.now);
  return runScriptCommand(consent.step, (file, args) => run(file, args, options));
}
