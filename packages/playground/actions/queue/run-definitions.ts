/** All jobs of a run in one flat list: the workflow's own and those of called workflows. */

import type { Repo } from '../../world/state.ts';
import { parseWorkflow } from '../workflow/parse-workflow.ts';
import type { WorkflowPermissions } from '../workflow/permissions.ts';
import { DEFAULT_PERMISSIONS } from '../workflow/permissions.ts';
import type { JobDefinition, WorkflowFile } from '../workflow/workflow-file.ts';
import { findCallProblem, findPermissionProblems } from './call-problems.ts';
import type { WorkflowHome } from './called-workflow.ts';
import type { WorkflowFiles } from './workflow-files.ts';

export type PlannedJob = {
  /** `caller/key` for a job of a called workflow. */
  readonly key: string;
  readonly definition: JobDefinition;
  readonly file: WorkflowFile;
  /** The source of the file; a called workflow may come from another repository. */
  readonly home: WorkflowHome;
  /** Key of the calling job. */
  readonly parent: string | null;
  /** Upper limit for permissions, set by the calling job; null = no limit. */
  readonly ceiling: WorkflowPermissions | null;
};

export type RunDefinitions = {
  readonly file: WorkflowFile;
  readonly jobs: readonly PlannedJob[];
  readonly problems: readonly string[];
};

/** The job definitions of a run. `problems` lists what is missing or invalid, including in called workflows. */
export async function readDefinitions(
  files: WorkflowFiles,
  repo: Repo,
  commit: string,
  path: string,
): Promise<RunDefinitions> {
  const source = await files.one(repo, commit, path);
  if (source === null) {
    const file = parseWorkflow(path, 'jobs: {}');
    return { file, jobs: [], problems: [`${path} is not there at ${commit}`] };
  }
  const jobs: PlannedJob[] = [];
  const problems: string[] = [...source.file.problems];
  const add = async (
    { file, home }: { readonly file: WorkflowFile; readonly home: WorkflowHome },
    parent: string | null,
    ceiling: WorkflowPermissions | null,
    depth: number,
  ): Promise<void> => {
    for (const definition of file.jobs) {
      const key = parent === null ? definition.key : `${parent}/${definition.key}`;
      const requested = definition.permissions ?? file.permissions;
      jobs.push({ key, definition, file, home, parent, ceiling });
      if (ceiling !== null) problems.push(...findPermissionProblems(key, requested, ceiling));
      if (definition.call === null) continue;
      const called = await files.called(definition.call.uses, home);
      const problem = findCallProblem(definition.call, called?.file ?? null, depth, jobs.length);
      if (problem !== null || called === null) {
        problems.push(`${file.path}: job ${definition.key}: ${problem}`);
        continue;
      }
      await add(called, key, requested ?? ceiling ?? DEFAULT_PERMISSIONS, depth + 1);
    }
  };
  await add({ file: source.file, home: { kind: 'repository', repo, commit, ref: null } }, null, null, 1);
  return { file: source.file, jobs, problems };
}
