/** Ends what a job's steps left running, wherever it detached itself to. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { GONE_OR_HIDDEN, ifThereSync } from '../../world/if-there.ts';
import { signalProcess } from './step-process.ts';

/** A process that was ended. */
type Orphan = { readonly pid: number; readonly name: string };

/**
 * Kills every process whose environment carries the job's RUNNER_TRACKING_ID, in a session of its own or not, as the real
 * runner does when a job ends (actions/runner, JobExtension: "Terminate orphan process"). Who wants to outlive the job
 * must not inherit that variable. Without /proc nothing is found, and the process groups of the steps are all that ends. Synchronous, so that nothing is born between the look and the end of it.
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
