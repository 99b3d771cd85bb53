/** Ends processes that a job's steps left running, even if they detached themselves. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { GONE_OR_HIDDEN, ifThereSync } from '../../world/if-there.ts';
import { signalProcess } from './step-process.ts';

/** A process that was ended. */
type Orphan = { readonly pid: number; readonly name: string };

/**
 * Kills every process whose environment contains the job's RUNNER_TRACKING_ID, in any session, as the real runner does
 * when a job ends (actions/runner, JobExtension: "Terminate orphan process"). A process that should outlive the job
 * must not inherit that variable. Without /proc no process is found, and only the steps' process groups end.
 * Synchronous, so that no process can start between the search and the kill.
 */
export function endOrphans(trackingId: string): readonly Orphan[] {
  const ended: Orphan[] = [];
  if (!existsSync('/proc/self/environ')) return [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const read = (file: string): string | null =>
      ifThereSync(() => readFileSync(`/proc/${entry}/${file}`, 'utf8'), GONE_OR_HIDDEN);
    const environment = read('environ') ?? '';
    if (!environment.split('\0').includes(`RUNNER_TRACKING_ID=${trackingId}`)) continue;
    const pid = Number(entry);
    ended.push({ pid, name: (read('comm') ?? 'gone').trim() });
    signalProcess(pid, 'SIGKILL');
  }
  return ended;
}
