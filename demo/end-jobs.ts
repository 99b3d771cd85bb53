/** Ends the jobs of a rehearsal. By design they outlive its processes, so a lab that is not kept must end them. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessStat } from '../packages/playground/actions/runner/group-record.ts';
import { signalGroup } from '../packages/playground/actions/runner/step-process.ts';
import { rehearsal } from '../packages/playground/limits/limits.ts';
import { ifThere } from '../packages/playground/world/if-there.ts';

/** A job with a running supervisor or command: its id, and the process ids of both (null: ended). */
export type LivingJob = { readonly jobId: string; readonly supervisor: number | null; readonly command: number | null };

/** Running jobs of the `local` engine below the folder, by the process records that it keeps for each. */
export async function livingJobs(jobsFolder: string): Promise<readonly LivingJob[]> {
  const engine = join(jobsFolder, 'jobs');
  const names = await ifThere(readdir(engine));
  const jobs = (names ?? []).map(async (jobId) => ({
    jobId,
    supervisor: await livingProcess(join(engine, jobId, 'process.json')),
    command: await livingProcess(join(engine, jobId, 'command.json')),
  }));
  return (await Promise.all(jobs)).filter(({ supervisor, command }) => supervisor !== null || command !== null);
}

/** Asks each job's supervisor to end it. Kills jobs without a supervisor, and those that still run after the wait. */
export async function endJobs(jobsFolder: string): Promise<void> {
  const asked = new Set<string>();
  for (let waitedMs = 0; waitedMs < 2 * rehearsal.jobEndWaitMs; waitedMs += rehearsal.jobEndPollMs) {
    const jobs = await livingJobs(jobsFolder);
    if (jobs.length === 0) return;
    for (const { jobId, supervisor, command } of jobs) {
      const isLate = waitedMs >= rehearsal.jobEndWaitMs;
      if (supervisor !== null && !asked.has(jobId)) signalGroup(supervisor, 'SIGTERM');
      if (command !== null && (supervisor === null || isLate)) signalGroup(command, 'SIGKILL');
      if (supervisor !== null && isLate) signalGroup(supervisor, 'SIGKILL');
      asked.add(jobId);
    }
    await sleep(rehearsal.jobEndPollMs);
  }
  throw new Error(`jobs below ${jobsFolder} do not end`);
}

/** The process of a record if it still runs; another process may have the same id by now. */
async function livingProcess(file: string): Promise<number | null> {
  const text = await ifThere(readFile(file, 'utf8'));
  if (text === null) return null;
  // Our own engine writes this file atomically; a test of both checks the shape.
  const { pid, processStart } = JSON.parse(text) as { readonly pid: number; readonly processStart: string };
  const stat = readProcessStat(pid);
  // A zombie process holds no resources.
  return stat?.start === processStart && stat.state !== 'Z' ? pid : null;
}
