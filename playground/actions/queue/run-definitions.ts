/** All jobs of a run in one flat list: the workflow's own and those of the workflows that it calls. */

import { actions } from '../../limits.ts';
import type { Repo } from '../../world/state.ts';
import { parseWorkflow } from '../workflow/parse-workflow.ts';
import type { JobDefinition, WorkflowFile, WorkflowPermissions } from '../workflow/workflow-file.ts';
import type { WorkflowFiles } from './workflow-files.ts';

export type PlannedJob = {
  /** `caller/key` for a job of a called workflow. */
  readonly key: string;
  readonly definition: JobDefinition;
  readonly file: WorkflowFile;
  /** Key of the calling job. */
  readonly parent: string | null;
  /** Powers that the calling job leaves; null = no limit. */
  readonly ceiling: WorkflowPermissions | null;
};

export type RunDefinitions = {
  readonly file: WorkflowFile;
  readonly jobs: readonly PlannedJob[];
  readonly problems: readonly string[];
};

/** The definitions of a run; what is missing or wrong, in called workflows too, is in `problems`. */
export async function definitionsOf(
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
    file: WorkflowFile,
    parent: string | null,
    ceiling: WorkflowPermissions | null,
    depth: number,
  ): Promise<void> => {
    for (const definition of file.jobs) {
      const key = parent === null ? definition.key : `${parent}/${definition.key}`;
      jobs.push({ key, definition, file, parent, ceiling });
      if (definition.call === null) continue;
      const called = await files.one(repo, commit, definition.call.uses);
      const problem = callProblem(definition.call.uses, called?.file ?? null, depth, jobs.length);
      if (problem !== null || called === null) {
        problems.push(`${file.path}: job ${definition.key}: ${problem}`);
        continue;
      }
      await add(called.file, key, definition.permissions ?? file.permissions ?? ceiling, depth + 1);
    }
  };
  await add(source.file, null, null, 1);
  return { file: source.file, jobs, problems };
}

function callProblem(uses: string, file: WorkflowFile | null, depth: number, jobs: number): string | null {
  if (file === null) return `workflow ${uses} was not found`;
  if (file.problems.length > 0) return file.problems.join('; ');
  if (file.triggers.call === null) return `workflow ${uses} has no on.workflow_call`;
  if (depth >= actions.callDepth) return `workflows call each other more than ${actions.callDepth} deep`;
  return jobs > actions.jobsPerRun ? `more than ${actions.jobsPerRun} jobs` : null;
}
