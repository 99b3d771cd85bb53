/** Creates the runs that an event starts. */

import { userRole } from '../../identity/permissions.ts';
import { actions } from '../../limits/limits.ts';
import type { WorldEvent } from '../../world/bus.ts';
import type { Json } from '../../world/json.ts';
import { actionsApp, listIssuesOf, repoById } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import { newActionsSettings } from '../../world/state-settings.ts';
import type { World } from '../../world/world.ts';
import type { Run } from '../state-actions.ts';
import { matchesTrigger } from '../workflow/matches-trigger.ts';
import type { Engine } from './engine.ts';
import { barePlan } from './plan-rows.ts';
import { planRun } from './plan-run.ts';
import { findWorkflow, putWorkflow, registerWorkflows } from './registry.ts';
import { completeRun, createRun } from './run-rows.ts';
import { findRunSource, findTargetSource, type RunSource } from './run-source.ts';
import type { SourceFile } from './workflow-files.ts';

/**
 * Handles one event of the world: registers workflows of a pushed default branch and opens every run that `on:`
 * requests.
 */
export async function openRuns(engine: Engine, event: WorldEvent): Promise<void> {
  const { world } = engine;
  const repo = repoById(world, event.repoId);
  // Workflows of a fork run only after the owner enables them (docs: managing workflow runs in forks).
  if (repo.forkOfId !== undefined) return;
  if (event.type === 'workflow_dispatch') {
    const run = event.runId === null ? undefined : world.state.runs[event.runId];
    if (run !== undefined && world.state.runPlans[run.id] === undefined) await planRun(engine, run, null);
    return;
  }
  const source = await findRunSource(world, repo, event);
  if (event.type === 'push' && source?.ref === `refs/heads/${repo.defaultBranch}`) {
    await registerWorkflows(world, engine.files, repo);
  }
  // When a workflow's token changes a pull request, only its `pull_request` runs wait for approval.
  const target = event.byTokenKind === 'workflow' ? null : await findTargetSource(world, repo, event);
  if (target !== null) await openFrom(engine, event, repo, target);
  if (source === null || isTriggeredByWorkflowToken(world, event)) return;
  // Off by default in private repositories (docs: settings, fork pull request workflows).
  if (source.untrusted && repo.private) return;
  await openFrom(engine, event, repo, source);
}

async function openFrom(engine: Engine, event: WorldEvent, repo: Repo, source: RunSource): Promise<void> {
  const { world } = engine;
  for (const file of await engine.files.all(repo, source.workflowSha)) {
    if (!shouldStart(file, event, matchesTrigger(file.file.triggers, source.trigger))) continue;
    const known = findWorkflow(world, repo, file.path);
    if (known?.state === 'disabled_manually') continue;
    const workflow = known ?? putWorkflow(world, repo, file);
    const run = createRun(world, {
      repo,
      workflow,
      event: source.trigger.name,
      payload: event.payload,
      actorId: event.senderId,
      source,
      title: source.title ?? workflow.name,
    });
    if (event.byTokenKind === 'workflow' || isFirstContact(world, repo, event, source))
      await waitForApproval(engine, run, source);
    else await planRun(engine, run, source);
  }
}

/**
 * The default for public repositories: a pull request from an author who has no role and no merged pull request needs
 * approval before its runs start (docs: approving workflow runs from forks).
 */
function isFirstContact(world: World, repo: Repo, event: WorldEvent, source: RunSource): boolean {
  if (!source.untrusted || userRole(repo, event.senderId) !== null) return false;
  if ((repo.actions ?? newActionsSettings).forkApproval === 'all_external_contributors') return true;
  return !listIssuesOf(world, repo).some(
    (issue) => issue.authorId === event.senderId && issue.pull !== null && issue.pull.mergedAtMs !== null,
  );
}

/** A workflow file with an error produces a failed run on every push that contains it, as on GitHub. */
function shouldStart(file: SourceFile, event: WorldEvent, matches: boolean): boolean {
  return matches || (event.type === 'push' && file.file.problems.length > 0 && event.byTokenKind !== 'workflow');
}

/**
 * Events caused by a workflow token start nothing, except that runs for its pull requests wait for a person's approval
 * (github/docs PR 44419). A chain of `workflow_run` ends after three links (docs: events that trigger workflows).
 */
function isTriggeredByWorkflowToken(world: World, event: WorldEvent): boolean {
  if (event.type === 'repository_dispatch') return false;
  if (event.byTokenKind === 'workflow') {
    return event.type !== 'pull_request' || !['opened', 'synchronize', 'reopened'].includes(event.action ?? '');
  }
  if (event.type === 'check_run') return isCheckOfActions(world, event);
  if (event.type !== 'workflow_run') return false;
  let links = 0;
  let run: Run | undefined = event.runId === null ? undefined : world.state.runs[event.runId];
  while (run?.event === 'workflow_run' && links <= actions.workflowRunChain) {
    links += 1;
    run = world.state.runs[triggerId(run.payload)];
  }
  return links >= actions.workflowRunChain;
}

/** Checks of GitHub's own Actions App start nothing, no matter who changed them (docs: events, `check_run`). */
function isCheckOfActions(world: World, event: WorldEvent): boolean {
  const about = readField(event.payload, 'check_run');
  const id = about === null ? null : readField(about, 'id');
  return typeof id !== 'number' || world.state.checkRuns[id]?.appId === actionsApp.appId;
}

function triggerId(payload: Json): number {
  const about = readField(payload, 'workflow_run');
  const id = about === null ? null : readField(about, 'id');
  return typeof id === 'number' ? id : 0;
}

function readField(value: Json, name: string): Json | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).find(([key]) => key === name)?.[1] ?? null;
}

/** The plan of attempt 0 stores the run's source until a maintainer approves it; attempt 1 is planned from it. */
async function waitForApproval(engine: Engine, run: Run, source: RunSource): Promise<void> {
  engine.world.state.runPlans[run.id] = barePlan(run, 0, source);
  await completeRun(engine.world, run.id, 'action_required');
}
