/** Claims an id: a finished folder on the shared file system takes its name, once; everything that the job needs lies in it. */

import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitIn, type JobSpec } from '../../domain/engine.ts';
import { isFolder } from '../../host/is-folder.ts';
import { codeOf } from '../../host/publish-once.ts';
import { type JobPaths, jobPaths } from './job-folder.ts';
import type { SlurmSettings } from './settings.ts';
import { WRAPPER } from './wrapper.ts';

const DRAFTS = '.claims';

/** True when this call made the folder; what was there before is left as it is. */
export async function claimJob(settings: SlurmSettings, paths: JobPaths, spec: JobSpec): Promise<boolean> {
  const { folder, modules } = settings.cluster;
  const drafts = join(folder, DRAFTS);
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  if (await isFolder(paths.folder)) return false;
  const draft = jobPaths(await mkdtemp(join(drafts, 'claim-')), '.');
  const { submissionId, metadata, command } = spec;
  const gitCommit = commitIn(spec.env['GIT_COMMIT']);
  const record = {
    submissionId,
    metadata,
    ...(gitCommit === null ? {} : { gitCommit }),
    claimedAtMs: settings.now(),
  };
  const environment = { LANG: 'C.UTF-8', FERRYBOT_SUBMISSION_ID: submissionId, ...spec.env };
  try {
    await cp(spec.workingDirectory, draft.tree, { recursive: true, verbatimSymlinks: true });
    for (const [path, content] of [
      [draft.wrapper, WRAPPER],
      [draft.command, endedByNul(command)],
      [draft.modules, endedByNul(modules === null ? [] : [modules.init, ...modules.load])],
      [draft.environment, endedByNul(Object.entries(environment).map(([name, value]) => `${name}=${value}`))],
      [draft.claim, `${JSON.stringify(record)}\n`],
    ] as const)
      await writeFile(path, content, { flush: true, mode: 0o600 });
    await rename(draft.folder, paths.folder);
    return true;
  } catch (error) {
    await rm(draft.folder, { recursive: true, force: true });
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** Gives the id free again, after Slurm has certainly taken nothing. */
export async function giveClaimBack({ cluster }: SlurmSettings, paths: JobPaths): Promise<void> {
  const aside = await mkdtemp(join(cluster.folder, DRAFTS, 'refused-'));
  await rename(paths.folder, join(aside, 'job'));
  await rm(aside, { recursive: true, force: true });
}

/** Values may have every sign but this one (spec-refusal.ts). */
function endedByNul(texts: readonly string[]): string {
  return texts.map((text) => `${text}\0`).join('');
}
