/** The jobs that a rehearsal has started outlive every process of it by design; where nobody can go on with them, they end with it. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { statOf } from '../packages/playground/actions/runner/group-record.ts';
import { signalGroup } from '../packages/playground/actions/runner/step-process.ts';
import { rehearsal } from '../packages/playground/limits/limits.ts';
import { ifThere } from '../packages/playground/world/if-there.ts';

/** A job whose supervisor or command still runs: its id, and the process ids of both (null: gone). */
export type LivingJob = {
  readonly jobId: string;
  readonly supervisor: number | null;
  readonly command: number | null;
};

/** Jobs of the `local` engine below the folder that still run, by the process records that it keeps for each. */
export async function livingJobs(jobsFolder: string): Promise<readonly LivingJob[]> {
  const engine = join(jobsFolder, 'jobs');
  const names = await ifThere(readdir(engine));
  const jobs = (names ?? []).map(async (jobId) => ({
    jobId,
    supervisor: await livingProcess(join(engine, jobId, 'process.json')),
    command: await livingProcess(join(engine, jobId, 'command.json')),
  }));
  return (await Promise.all(jobs)).filter(
    ({ supervisor, command }) => supervisor !== null || command !== null,
  );
}

/** Asks each job's supervisor to end it; kills what has nobody over it any more, and what is there after the wait. */
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

/** The process of a record, if exactly it still runs: another one may have its number by now. */
async function livingProcess(file: string): Promise<number | null> {
  const text = await ifThere(readFile(file, 'utf8'));
  if (text === null) return null;
  // Written by our own engine in one piece; a test of both together holds the two to one shape.
  const { pid, processStart } = JSON.parse(text) as { readonly pid: number; readonly processStart: string };
  const stat = statOf(pid);
  // One that has ended and waits for its parent holds nothing any more.
  return stat?.start === processStart && stat.state !== 'Z' ? pid : null;
}
