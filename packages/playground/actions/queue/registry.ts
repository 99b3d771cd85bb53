/** Keeps the rows of `state.workflows` in sync with the workflow files of the default branch. */

import type { Json } from '../../world/json.ts';
import type { Repo } from '../../world/state.ts';
import { nextId, type World } from '../../world/world.ts';
import type { Workflow } from '../state-actions.ts';
import type { Triggers } from '../workflow/triggers.ts';
import type { SourceFile, WorkflowFiles } from './workflow-files.ts';

/** Registers the current files. The row of a deleted file stays, as `deleted`, because its runs refer to it. */
export async function registerWorkflows(
  world: World,
  files: WorkflowFiles,
  repo: Repo,
): Promise<readonly SourceFile[]> {
  const head = (await world.gitOf(repo).refs(`refs/heads/${repo.defaultBranch}`)).get(
    `refs/heads/${repo.defaultBranch}`,
  );
  if (head === undefined) return [];
  const found = await files.all(repo, head);
  const paths = new Set(found.map((file) => file.path));
  for (const row of listWorkflows(world, repo)) {
    if (paths.has(row.path) || row.state === 'deleted') continue;
    world.state.workflows[row.id] = { ...row, state: 'deleted', updatedAtMs: world.clock.now() };
  }
  for (const file of found) putWorkflow(world, repo, file);
  return found;
}

/** Creates or updates the row of a file. A workflow that a person disabled stays disabled. */
export function putWorkflow(world: World, repo: Repo, source: SourceFile): Workflow {
  const now = world.clock.now();
  const known = findWorkflow(world, repo, source.path);
  const row: Workflow = {
    id: known?.id ?? nextId(world, 'workflows'),
    repoId: repo.id,
    name: source.file.name,
    path: source.path,
    state: known?.state === 'disabled_manually' ? 'disabled_manually' : 'active',
    source: source.source,
    on: describeTriggers(source.file.triggers),
    dispatchInputs: source.file.triggers.dispatch,
    createdAtMs: known?.createdAtMs ?? now,
    updatedAtMs: known !== null && known.source === source.source ? known.updatedAtMs : now,
  };
  world.state.workflows[row.id] = row;
  return row;
}

export function findWorkflow(world: World, repo: Repo, path: string): Workflow | null {
  return listWorkflows(world, repo).find((row) => row.path === path) ?? null;
}

function listWorkflows(world: World, repo: Repo): readonly Workflow[] {
  return Object.values(world.state.workflows).filter((row) => row.repoId === repo.id);
}

function describeTriggers(triggers: Triggers): Record<string, Json> {
  const on: Record<string, Json> = {};
  if (triggers.push !== null) on['push'] = triggers.push;
  if (triggers.schedule.length > 0) on['schedule'] = triggers.schedule.map((cron) => ({ cron }));
  if (triggers.dispatch !== null) on['workflow_dispatch'] = { inputs: triggers.dispatch };
  if (triggers.call !== null) on['workflow_call'] = triggers.call;
  if (triggers.workflowRun !== null) on['workflow_run'] = triggers.workflowRun;
  for (const [event, trigger] of Object.entries(triggers.activities)) if (trigger !== null) on[event] = trigger;
  return on;
}
