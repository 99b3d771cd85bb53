/** Connects the page to a world in the same process, for data that the API lacks and actions that no request can do. */

import { shapeCheckRun } from '../checks/shape-check.ts';
import { listPeople } from '../http/people.ts';
import { roleAtLeast, userRole } from '../identity/permissions.ts';
import { emitChange } from '../world/emit.ts';
import { findRepo, findUser } from '../world/lookup.ts';
import type { World } from '../world/world.ts';
import { takeGlance } from './glance.ts';
import { jobStages } from './job-stages.ts';
import { type PanelParts, worldPanel } from './panel/world-panel.ts';
import type { ButtonPress, PagesOptions, PressOutcome } from './visit.ts';

/** Settings of `createPages` for a world in this process; `homeRepository` (`owner/name`) is the page at `/`. */
export function pagesOptionsFromWorld(
  world: World,
  homeRepository: string,
  panelParts: PanelParts | null = null,
): PagesOptions {
  return {
    baseUrl: world.baseUrl,
    homeRepository,
    fetch: async (request) => {
      const people = new URL(request.url).pathname === '/_playground/people';
      return people ? Response.json(listPeople(world)) : world.fetch(request);
    },
    glance: () => takeGlance(world),
    jobSummary: (jobId) => world.state.jobs[jobId]?.summary || null,
    jobLog: (jobId) => world.state.logs[jobId] ?? null,
    stepOffsets: (jobId) => world.state.jobs[jobId]?.steps.map(({ logOffset }) => logOffset) ?? [],
    jobStages: (runId) => jobStages(world, runId),
    checkButtons: (id) => world.state.checkRuns[id]?.actions ?? [],
    panel: worldPanel(world, panelParts),
    dispatchInputs: (workflowId) => world.state.workflows[workflowId]?.dispatchInputs ?? null,
    pressButton: (press) => pressButton(world, press),
  };
}

/**
 * The button of a check run: `check_run` with `requested_action`, for people with write access
 * (docs.github.com/rest/guides/using-the-rest-api-to-interact-with-checks, "Check runs and requested actions").
 */
async function pressButton(world: World, press: ButtonPress): Promise<PressOutcome> {
  const repo = findRepo(world, press.owner, press.repo);
  const sender = findUser(world, press.login);
  const run = world.state.checkRuns[press.checkRunId];
  if (repo === null || sender === null || run === undefined || run.repoId !== repo.id) return 'unknown';
  if (!run.actions.some(({ identifier }) => identifier === press.identifier)) return 'unknown';
  if (!roleAtLeast(userRole(repo, sender.id), 'write')) return 'forbidden';
  await emitChange(world, {
    type: 'check_run',
    action: 'requested_action',
    repo,
    sender,
    byTokenKind: 'user',
    payload: { check_run: shapeCheckRun(world, run), requested_action: { identifier: press.identifier } },
  });
  await world.save();
  return 'pressed';
}
