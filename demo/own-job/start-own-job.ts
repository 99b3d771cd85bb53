/** Starts a person's own job as on a shared machine: manually, from a clone of the branch, without a bot. */

import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { gitEnvironment } from '../../packages/playground/git/store/git-environment.ts';
import type { StartedJob } from '../../packages/playground/pages/visit.ts';
import { claimJob } from './job-records.ts';
import { PEOPLES_CLUSTER } from './people-lane.ts';

export type OwnJobPlace = {
  /** The bare repository to clone, and its branch. */
  readonly repository: string;
  readonly branch: string;
  /** The engine's folder of job records, and the folder for clones. */
  readonly engineFolder: string;
  readonly clones: string;
  /** The experiment to start, in the clone. */
  readonly experiment: string;
};

/** 1,200 steps then last five minutes: long enough to be adopted and handed over. */
const STEP_DELAY_MS = 250;
const STAND_OVER = fileURLToPath(new URL('stand-over.ts', import.meta.url));

/** Starts the job; `nowMs` is part of its name. */
export async function startOwnJob(place: OwnJobPlace, login: string, nowMs: number): Promise<StartedJob> {
  const jobId = `${login}-${new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;
  const clone = join(place.clones, jobId);
  await mkdir(place.clones, { recursive: true, mode: 0o700 });
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execa('git', args, { env: { ...gitEnvironment() }, extendEnv: false });
    return stdout.trim();
  };
  await git('clone', '--quiet', '--branch', place.branch, place.repository, clone);
  const gitCommit = await git('-C', clone, 'rev-parse', 'HEAD');
  const command = [
    'env',
    `LAB_STEP_DELAY_MS=${STEP_DELAY_MS}`,
    'FERRY_DATE=by-hand',
    'LAB_OUTPUT_ROOT=outputs/by-hand',
    'python3',
    place.experiment,
  ];
  const job = { jobId, command, workingDirectory: clone, gitCommit };
  const folder = await claimJob(place.engineFolder, job, nowMs);
  const supervisor = spawn(process.execPath, [STAND_OVER, folder, clone, ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
    detached: true,
    stdio: 'ignore',
  });
  supervisor.unref();
  return { jobId, cluster: PEOPLES_CLUSTER, experiment: place.experiment };
}
