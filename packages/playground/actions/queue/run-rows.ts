/** Creates, plans, updates and ends the rows of runs. */

import { revokeRunTokens } from '../../identity/tokens.ts';
import type { Json } from '../../world/json.ts';
import { actionsApp } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import { nextId, type World } from '../../world/world.ts';
import type { Conclusion, Run, Workflow } from '../state-actions.ts';
import { announceRun } from './announce.ts';
import type { RunSource } from './run-source.ts';

export type NewRun = {
  readonly repo: Repo;
  readonly workflow: Workflow;
  readonly event: string;
  readonly payload: Json;
  readonly actorId: number;
  readonly source: Pick<RunSource, 'headSha' | 'headBranch' | 'pullNumbers'>;
  readonly title: string;
  /** Inputs of a dispatch; empty for every other event. */
  readonly inputs?: Run['inputs'];
};

/** Creates only the row of a run: queued, with a check suite on its head and the next number of its workflow. */
export function createRun(world: World, fresh: NewRun): Run {
  const now = world.clock.now();
  const { repo, workflow, source } = fresh;
  const suiteId = nextId(world, 'checkSuites');
  world.state.checkSuites[suiteId] = {
    id: suiteId,
    repoId: repo.id,
    appId: actionsApp.appId,
    headSha: source.headSha,
    headBranch: source.headBranch,
    createdAtMs: now,
    updatedAtMs: now,
  };
  const earlier = Object.values(world.state.runs).filter((run) => run.workflowId === workflow.id);
  const run: Run = {
    id: nextId(world, 'runs'),
    repoId: repo.id,
    workflowId: workflow.id,
    name: workflow.name,
    displayTitle: fresh.title,
    path: workflow.path,
    runNumber: 1 + Math.max(0, ...earlier.map((one) => one.runNumber)),
    runAttempt: 1,
    event: fresh.event,
    status: 'queued',
    conclusion: null,
    headBranch: source.headBranch,
    headSha: source.headSha,
    actorId: fresh.actorId,
    triggeringActorId: fresh.actorId,
    inputs: fresh.inputs ?? {},
    payload: fresh.payload,
    pullNumbers: source.pullNumbers,
    checkSuiteId: suiteId,
    jobIds: [],
    createdAtMs: now,
    updatedAtMs: now,
    startedAtMs: now,
    cancelRequested: false,
  };
  world.state.runs[run.id] = run;
  return run;
}

/** Updates the run's row; returns the new row. */
export function updateRun(world: World, runId: number, changes: Partial<Run>): Run {
  const run = world.state.runs[runId];
  if (run === undefined) throw new Error(`there is no run ${runId}`);
  const changed: Run = { ...run, ...changes, updatedAtMs: world.clock.now() };
  world.state.runs[runId] = changed;
  return changed;
}

/** Ends a run: revokes its tokens and emits the event. */
export async function completeRun(world: World, runId: number, conclusion: Conclusion): Promise<void> {
  const run = updateRun(world, runId, { status: 'completed', conclusion });
  revokeRunTokens(world, runId);
  await announceRun(world, run, 'completed');
}
