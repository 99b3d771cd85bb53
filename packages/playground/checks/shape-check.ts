/** Check runs, suites, annotations and commit statuses as the REST API writes them. */

import type { CheckAnnotation, CheckRun, CheckSuite, CommitStatus } from '../actions/state-actions.ts';
import { shapeSimpleCommit } from '../git/shape-commit.ts';
import { repoApi, repoPage, shapeMinimalRepo } from '../git/shape-repo.ts';
import { shapeApp, shapeUserById } from '../identity/shape-people.ts';
import type { JsonObject } from '../world/json.ts';
import { appById, repoById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';

/** docs.github.com/rest/checks/runs: a check run. GitHub never returns its buttons (`actions`). */
export function shapeCheckRun(world: World, run: CheckRun): JsonObject {
  const repo = repoById(world, run.repoId);
  const url = `${repoApi(world, repo)}/check-runs/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', run.id),
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: run.detailsUrl ?? `${repoPage(world, repo)}/runs/${run.id}`,
    details_url: run.detailsUrl ?? `${repoPage(world, repo)}/runs/${run.id}`,
    status: run.status,
    conclusion: run.conclusion,
    started_at: toIso(run.startedAtMs),
    completed_at: toIsoOrNull(run.completedAtMs),
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    check_suite: { id: run.suiteId },
    app: shapeApp(world, appById(world, run.appId)),
    pull_requests: pullsAt(world, repo, run.headSha),
  };
}

export function shapeAnnotation(world: World, run: CheckRun, one: CheckAnnotation): JsonObject {
  const repo = repoById(world, run.repoId);
  return {
    path: one.path,
    blob_href: `${repoPage(world, repo)}/blob/${run.headSha}/${one.path.split('/').map(encodeURIComponent).join('/')}`,
    start_line: one.startLine,
    start_column: one.startColumn,
    end_line: one.endLine,
    end_column: one.endColumn,
    annotation_level: one.level,
    title: one.title,
    message: one.message,
    raw_details: one.rawDetails,
  };
}

/** docs.github.com/rest/checks/suites: status and conclusion are derived from the suite's runs. */
export async function shapeCheckSuite(world: World, suite: CheckSuite): Promise<JsonObject> {
  const repo = repoById(world, suite.repoId);
  const head = await world.gitOf(repo).readCommit(suite.headSha);
  const { runs, status, conclusion } = suiteState(world, suite);
  return {
    id: suite.id,
    node_id: nodeId('CS', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status,
    conclusion,
    url: `${repoApi(world, repo)}/check-suites/${suite.id}`,
    before: null,
    after: suite.headSha,
    pull_requests: pullsAt(world, repo, suite.headSha),
    app: shapeApp(world, appById(world, suite.appId)),
    created_at: toIso(suite.createdAtMs),
    updated_at: toIso(suite.updatedAtMs),
    repository: shapeMinimalRepo(world, repo),
    head_commit: head === null ? null : shapeSimpleCommit(head),
    latest_check_runs_count: runs,
    check_runs_url: `${repoApi(world, repo)}/check-suites/${suite.id}/check-runs`,
  };
}

/** A suite's status and conclusion, derived from its runs, and the number of runs. */
export function suiteState(
  world: World,
  suite: CheckSuite,
): { readonly runs: number; readonly status: string; readonly conclusion: string | null } {
  const runs = Object.values(world.state.checkRuns).filter((run) => run.suiteId === suite.id);
  const done = runs.length > 0 && runs.every((run) => run.status === 'completed');
  const failed = runs.find(
    (run) => run.conclusion !== 'success' && run.conclusion !== 'neutral' && run.conclusion !== 'skipped',
  );
  const pending = runs.some((run) => run.status === 'in_progress') ? 'in_progress' : 'queued';
  return {
    runs: runs.length,
    status: done ? 'completed' : pending,
    conclusion: done ? (failed?.conclusion ?? 'success') : null,
  };
}

/** docs.github.com/rest/commits/statuses: one status. */
export function shapeStatus(world: World, row: CommitStatus): JsonObject {
  return { ...shapeSimpleStatus(world, row), creator: shapeUserById(world, row.creatorId) };
}

/** A status inside the combined status, which omits its creator. */
export function shapeSimpleStatus(world: World, row: CommitStatus): JsonObject {
  const repo = repoById(world, row.repoId);
  return {
    url: `${repoApi(world, repo)}/statuses/${row.sha}`,
    avatar_url: `${world.baseUrl}/_playground/avatars/${row.creatorId}`,
    id: row.id,
    node_id: nodeId('S', row.id),
    state: row.state,
    description: row.description,
    target_url: row.targetUrl,
    context: row.context,
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.createdAtMs),
  };
}

/**
 * Open pull requests whose head is the commit, in the short form of check and workflow runs; none from forks, as on
 * GitHub.
 */
export function pullsAt(world: World, repo: Repo, sha: string): readonly JsonObject[] {
  const rows: JsonObject[] = [];
  for (const issue of Object.values(world.state.issues)) {
    if (issue.repoId !== repo.id || issue.state !== 'open' || issue.pull?.headSha !== sha) continue;
    if (issue.pull.headRepoId !== repo.id) continue;
    const side = { id: repo.id, url: repoApi(world, repo), name: repo.name };
    rows.push({
      id: issue.pull.id,
      number: issue.number,
      url: `${repoApi(world, repo)}/pulls/${issue.number}`,
      head: { ref: issue.pull.headRef, sha: issue.pull.headSha, repo: side },
      base: { ref: issue.pull.baseRef, sha: issue.pull.baseSha, repo: side },
    });
  }
  return rows;
}
