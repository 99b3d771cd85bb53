/** Stops a job through the lab's script, whose word is not taken for it: a second look tells what has become of the job. */

import { isTerminal, type JobObservation, type StopOutcome } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { isJobId } from '../rest/look-up.ts';
import { runScript } from './run-script.ts';
import { reasonOf, scrubber } from './said.ts';
import type { ScriptSettings } from './settings.ts';

/** `observe` looks in the way that the engine prefers. */
export async function stopByScript(
  settings: ScriptSettings,
  observe: (jobId: string) => Promise<JobObservation>,
  jobId: string,
): Promise<StopOutcome> {
  // Never an argument that a script could take for an option.
  if (!isJobId(jobId)) return { kind: 'absent' };
  const before = await observe(jobId);
  if (before.kind === 'found' && isTerminal(before.status))
    return { kind: 'already-ended', status: before.status };
  if (before.kind === 'absent') return { kind: 'absent' };
  const fill = { texts: { jobId }, lists: {} };
  const end = await runScript(settings, { template: settings.templates.stop, fill, cwd: null, env: {} });
  if (end.kind === 'not-started')
    return { kind: 'unknown', message: `the script for the stop could not be started: ${end.code}` };
  const why = end.kind === 'cut' ? end.why : reasonOf(end, scrubber(settings.secrets));
  return verified(settings, observe, jobId, why);
}

async function verified(
  { sleep }: ScriptSettings,
  observe: (jobId: string) => Promise<JobObservation>,
  jobId: string,
  why: string,
): Promise<StopOutcome> {
  let last: JobObservation = { kind: 'unknown', message: why };
  for (let waitedMs = 0; waitedMs <= limits.jobStopWaitMs; waitedMs += limits.rayStopPollMs) {
    last = await observe(jobId);
    if (last.kind === 'found' && isTerminal(last.status))
      return last.status === 'STOPPED' ? { kind: 'stopped' } : { kind: 'already-ended', status: last.status };
    await sleep(limits.rayStopPollMs);
  }
  if (last.kind === 'found') return { kind: 'stopping' };
  return {
    kind: 'unknown',
    message: `after the stop: ${last.kind === 'unknown' ? last.message : last.kind}; ${why}`,
  };
}
