/** The logs of a run as GitHub packs them: a text for each job, and a folder per job with one text for each step. */

import { strToU8, zipSync } from 'fflate';
import { stepLogs } from '../pages/log/step-logs.ts';
import type { World } from '../world/world.ts';

/** The archive of the run's newest attempt. `gh run view --log` finds a step by `JOB/NUMBER_NAME.txt`. */
export function runArchive(world: World, runId: string): Uint8Array<ArrayBuffer> {
  const files: Record<string, Uint8Array> = {};
  const jobs = (world.state.runs[runId]?.jobIds ?? []).flatMap((id) => world.state.jobs[id] ?? []);
  for (const [index, job] of jobs.entries()) {
    const log = world.state.logs[job.id] ?? '';
    const folder = fileName(job.name);
    files[`${index}_${folder}.txt`] = strToU8(log);
    const parts = stepLogs(
      log,
      job.steps.map(({ logOffset }) => logOffset),
    );
    for (const [at, step] of job.steps.entries())
      files[`${folder}/${step.number}_${fileName(step.name)}.txt`] = strToU8(parts[at] ?? '');
  }
  return new Uint8Array(zipSync(files));
}

/** Drops characters that a path may not contain, as GitHub does. */
function fileName(name: string): string {
  return name.replaceAll(/[/:<>"|*?\\\r\n]/g, '');
}
