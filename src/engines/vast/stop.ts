/** Stops the machine of a job, and believes it when a look says so. Its disk is billed until it is destroyed. */

import { z } from 'zod';
import { isTerminal, type StopOutcome } from '../../domain/engine.ts';
import { isSubmissionId } from '../file-records.ts';
import { instancesOf } from './account.ts';
import { ask } from './ask.ts';
import { observeOnVast } from './observe.ts';
import { VAST, type VastSettings } from './settings.ts';

/** All instances of the job are asked to stop: of a creation that was doubled both. */
export async function stopOnVast(settings: VastSettings, jobId: string): Promise<StopOutcome> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const before = await observeOnVast(settings, jobId, null);
  if (before.kind === 'absent') return { kind: 'absent' };
  if (before.kind === 'found' && isTerminal(before.status))
    return { kind: 'already-ended', status: before.status };
  const found = await instancesOf(settings, jobId);
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.message };
  let complaint: string | null = null;
  for (const { id } of found.value) {
    const path = `/api/v0/instances/${id}/`;
    const said = await ask(settings, { method: 'PUT', path, body: { state: 'stopped' } }, z.looseObject({}));
    if (said.kind === 'unknown') complaint = said.message;
  }
  return awaitEnd(settings, jobId, complaint);
}

async function awaitEnd(
  settings: VastSettings,
  jobId: string,
  complaint: string | null,
): Promise<StopOutcome> {
  for (let waitedMs = 0; waitedMs <= VAST.goneWaitMs; waitedMs += VAST.pollMs) {
    const now = await observeOnVast(settings, jobId, null);
    if (now.kind === 'found' && now.status === 'STOPPED') return { kind: 'stopped' };
    if (now.kind === 'found' && isTerminal(now.status)) return { kind: 'already-ended', status: now.status };
    if (now.kind === 'absent') return { kind: 'absent' };
    await settings.sleep(VAST.pollMs);
  }
  return complaint === null
    ? { kind: 'stopping', message: 'Vast.ai was asked to stop the instance, and has not yet' }
    : { kind: 'unknown', message: complaint };
}
