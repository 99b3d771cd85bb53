/** The processes of a rehearsal, for the world's panel. */

import type { Runner } from '../packages/playground/actions/runner/runner-types.ts';
import type { ProcessRow } from '../packages/playground/pages/panel/panel.ts';
import type { World } from '../packages/playground/world/world.ts';
import { livingJobs } from './end-jobs.ts';
import type { ServerProcess } from './server-process.ts';

export type LabParts = {
  readonly runners: readonly Runner[];
  /** Folder of the local engine's job records. */
  readonly jobs: string;
  readonly server: ServerProcess | null;
};

/** The App's server, every runner with its job, every running job of the engine. */
export async function labProcesses(world: World, parts: LabParts): Promise<readonly ProcessRow[]> {
  const running = Object.values(world.state.jobs).filter(({ status }) => status === 'in_progress');
  const runners = parts.runners.map(({ name, labels }): ProcessRow => {
    const job = running.find(({ runnerName }) => runnerName === name);
    const doing = job === undefined ? `waits for ${labels.join(', ')}` : `${job.name} of run ${job.runId}`;
    return { name: `runner ${name}`, doing, isBusy: job !== undefined, pid: null };
  });
  const jobs = (await livingJobs(parts.jobs)).map(
    ({ jobId, supervisor, command }): ProcessRow => ({
      name: `job ${jobId}`,
      doing: 'a job of the engine',
      isBusy: true,
      pid: command ?? supervisor,
    }),
  );
  const { server } = parts;
  const app: readonly ProcessRow[] =
    server === null ? [] : [{ name: 'App server', doing: `listens on ${server.url}`, isBusy: true, pid: server.pid }];
  return [...app, ...runners, ...jobs];
}
