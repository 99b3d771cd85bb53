/** Stops a job of Iris by its exact id, and believes it when the job itself says that it has ended. */

import { isTerminal, type StopOutcome } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { nothing } from './answers.ts';
import { ask } from './ask.ts';
import { irisLimits } from './limits.ts';
import { isMissing, observeOnIris } from './observe.ts';
import { type IrisSettings, irisIdOf } from './settings.ts';

/** A stop may be asked for as often as one likes; it takes the job's own children along, and nobody else's. */
export async function stopOnIris(settings: IrisSettings, jobId: string): Promise<StopOutcome> {
  const before = await observeOnIris(settings, jobId, null);
  if (before.kind === 'absent') return { kind: 'absent' };
  if (before.kind === 'found' && isTerminal(before.status))
    return { kind: 'already-ended', status: before.status };
  const answer = await ask(settings, 'terminate', { jobId: irisIdOf(settings, jobId) }, nothing);
  if (isMissing(answer)) return { kind: 'absent' };
  const complaint = answer.kind === 'said' ? null : answer.message;
  return awaitEnd(settings, jobId, complaint);
}

async function awaitEnd(
  settings: IrisSettings,
  jobId: string,
  complaint: string | null,
): Promise<StopOutcome> {
  for (let waitedMs = 0; waitedMs <= limits.jobStopWaitMs; waitedMs += irisLimits.stopPollMs) {
    const now = await observeOnIris(settings, jobId, null);
    if (now.kind === 'found' && now.status === 'STOPPED') return { kind: 'stopped' };
    if (now.kind === 'found' && isTerminal(now.status)) return { kind: 'already-ended', status: now.status };
    await settings.sleep(irisLimits.stopPollMs);
  }
  return complaint === null
    ? {
        kind: 'stopping',
        message: 'Iris says KILLED at once; neither the job nor its worker has said that it ended',
      }
    : { kind: 'unknown', message: `the wish may not have arrived: ${complaint}` };
}
