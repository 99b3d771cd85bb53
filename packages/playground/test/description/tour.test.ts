/** Calls every read of the API with existing data, so that the judge sees every kind of answer. */

import { describe, expect, it } from 'vitest';
import { createRun } from '../../actions/queue/run-rows.ts';
import { plainSource } from '../../actions/queue/run-source.ts';
import type { Workflow } from '../../actions/state-actions.ts';
import { allRoutes } from '../../api/all-routes.ts';
import { mintUserToken } from '../../identity/tokens.ts';
import { addUser } from '../../world/seed.ts';
import { createAsker } from '../world/ask.ts';
import { at, createTown, type Town } from '../world/town.ts';

const reads = allRoutes.filter(({ method }) => method === 'GET');

/** A town that contains one of everything that can be read. */
async function furnished(): Promise<{ readonly town: Town; readonly params: Readonly<Record<string, string>> }> {
  const town = createTown();
  const main = await town.commit('main', { 'a.txt': 'one\n', 'dir/b.txt': 'b\n', 'README.md': '# A\n' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  const [ada, mira, bot] = [town.as(town.seeded.tokens.ada), town.as(town.seeded.tokens.mira), town.asInstallation()];
  const { data: pull } = await ada.request('POST /repos/{owner}/{repo}/pulls', {
    ...at,
    title: 'T',
    head: 'ferry',
    base: 'main',
    body: 'b',
  });
  const thread = { ...at, issue_number: pull.number };
  const { data: comment } = await mira.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...thread,
    body: 'hi',
  });
  await mira.request('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', {
    ...at,
    comment_id: comment.id,
    content: 'eyes',
  });
  await mira.request('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', { ...thread, content: '+1' });
  await mira.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', { ...thread, labels: ['bug'] });
  const { data: review } = await mira.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
    ...at,
    pull_number: pull.number,
    event: 'COMMENT',
    body: 'see',
    comments: [{ path: 'a.txt', line: 1, body: 'why' }],
  });
  const { data: lines } = await mira.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
    ...at,
    pull_number: pull.number,
  });
  const note = { path: 'a.txt', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'm' } as const;
  const output = { title: 't', summary: 's', annotations: [note] };
  const { data: check } = await bot.request('POST /repos/{owner}/{repo}/check-runs', {
    ...at,
    name: 'c',
    head_sha: pull.head.sha,
    status: 'in_progress',
    output,
  });
  await bot.request('POST /repos/{owner}/{repo}/statuses/{sha}', { ...at, sha: pull.head.sha, state: 'success' });
  const { data: tag } = await bot.request('POST /repos/{owner}/{repo}/git/tags', {
    ...at,
    tag: 'v1',
    message: 'm',
    object: main,
    type: 'commit',
  });
  await bot.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: 'refs/tags/v1', sha: tag.sha });
  const blob = await bot.request('POST /repos/{owner}/{repo}/git/blobs', { ...at, content: 'x' });
  const repo = town.seeded.repo;
  const rule = { branch: 'main', pushUserIds: null, requiredApprovals: 1, requiredChecks: ['ci'] };
  const environment = { name: 'launch', secrets: { KEY: 'k' }, variables: {}, defaultBranchOnly: true };
  town.world.state.repos[repo.id] = {
    ...(town.world.state.repos[repo.id] ?? repo),
    protections: [rule],
    secrets: { KEY: 'k' },
    variables: { REGION: 'eu' },
    environments: [environment],
  };
  furnishSettings(town);
  const works = await furnishWorks(town, pull.number);
  const commit = (await town.world.gitOf(repo).readCommit(main))?.tree ?? '';
  const run = furnishRun(town, main);
  const params = {
    owner: 'lab',
    repo: 'ferries',
    login: 'lab',
    user: 'ada',
    username: 'ada',
    number: `${pull.number}`,
    comment: `${comment.id}`,
    review: `${review.id}`,
    label: 'bug',
    name: 'bug',
    branch: 'main',
    path: 'a.txt',
    spec: 'main...ferry',
    basehead: 'main...ferry',
    run: `${run.id}`,
    job: `${run.jobIds[0] ?? 1}`,
    workflow: '1',
    suite: `${check.check_suite?.id ?? 0}`,
    sha: main,
    ref: 'main',
    ruleset: '1',
    environment: 'launch',
    variable: 'REGION',
    org: 'lab',
    team: 'oncall',
    tag: 'v1',
    artifact: '1',
    format: 'zip',
  };
  return {
    town,
    params: {
      ...params,
      ...works,
      lineComment: `${lines[0]?.id ?? 0}`,
      check: `${check.id}`,
      blob: blob.data.sha,
      tree: commit,
      tagSha: tag.sha,
    },
  };
}

/** A successful deployment, a release with a file, a milestone, and a thread with every kind of timeline event. */
async function furnishWorks(town: Town, number: number): Promise<Readonly<Record<string, string>>> {
  const ask = createAsker(town);
  const deployment = await ask('ada', 'POST', '/deployments', { ref: 'main', required_contexts: [] });
  const state = await ask('ada', 'POST', `/deployments/${deployment.id}/statuses`, { state: 'success' });
  const release = await ask('ada', 'POST', '/releases', { tag_name: 'v2', name: 'Two' });
  const asset = await ask('ada', 'UPLOAD', `/releases/${release.id}/assets?name=log.txt`, 'a line');
  await ask('ada', 'POST', '/milestones', { title: 'Summer' });
  const thread = { title: 'Another', assignees: ['ada'], milestone: 1 };
  await ask('mira', 'PATCH', `/issues/${number}`, thread);
  await ask('mira', 'POST', `/pulls/${number}/requested_reviewers`, { reviewers: ['ravi'] });
  await ask('mira', 'PUT', `/issues/${number}/lock`, { lock_reason: 'resolved' });
  await ask('mira', 'PATCH', `/issues/${number}`, { milestone: null, assignees: [], state: 'closed' });
  await ask('mira', 'PATCH', `/issues/${number}`, { state: 'open' });
  return {
    deployment: `${deployment.id}`,
    deploymentStatus: `${state.id}`,
    release: `${release.id}`,
    asset: `${asset.id}`,
  };
}

/** One of each administrator setting. */
function furnishSettings({ world, seeded }: Town): void {
  const { id: repoId, ownerId } = seeded.repo;
  world.state.rulesets[1] = {
    id: 1,
    repoId,
    name: 'main',
    target: 'branch',
    enforcement: 'active',
    include: ['~ALL'],
    exclude: [],
    bypass: [{ actorId: 5, actorType: 'RepositoryRole', mode: 'always' }],
    rules: [
      { type: 'update' },
      { type: 'deletion' },
      { type: 'pull_request', approvals: 1, dismissStale: true, lastPushApproval: false, mergeMethods: ['squash'] },
      { type: 'required_status_checks', strict: true, checks: [{ context: 'ci', appId: 4242 }] },
    ],
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  world.state.teams[1] = { ownerId, slug: 'oncall', memberIds: Object.keys(seeded.repo.collaborators).map(Number) };
  world.state.runners[1] = { id: 1, repoId, name: 'box', os: 'Linux', labels: ['launch'] };
  world.state.runnerGroups[2] = { id: 2, ownerId, name: 'launchers', workflows: ['lab/ferries/x.yml@main'] };
}

/** An account that may read everything. */
function administrator({ world, seeded }: Town): string {
  const { id } = addUser(world, 'olga', 'User', 'Olga Owner');
  const repo = world.state.repos[seeded.repo.id] ?? seeded.repo;
  world.state.repos[repo.id] = { ...repo, collaborators: { ...repo.collaborators, [id]: 'admin' } };
  world.state.owners[repo.ownerId] = [id];
  return mintUserToken(world, id);
}

function furnishRun(town: Town, sha: string): ReturnType<typeof createRun> {
  const { world, seeded } = town;
  const workflow: Workflow = {
    id: 1,
    repoId: seeded.repo.id,
    name: 'CI',
    path: '.github/workflows/ci.yml',
    state: 'active',
    source: '',
    on: {},
    dispatchInputs: null,
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  world.state.workflows[1] = workflow;
  const source = {
    ...plainSource('refs/heads/main', sha),
    title: null,
    trigger: { name: 'push', action: null, ref: null, changedPaths: null, workflowName: null },
  };
  const run = createRun(world, {
    repo: seeded.repo,
    workflow,
    event: 'push',
    payload: {},
    actorId: seeded.repo.ownerId,
    source,
    title: 'CI',
  });
  world.state.jobs[1] = {
    id: 1,
    repoId: seeded.repo.id,
    runId: run.id,
    runAttempt: 1,
    key: 'test',
    name: 'test',
    status: 'queued',
    conclusion: null,
    labels: ['ubuntu-latest'],
    runnerName: null,
    environment: null,
    steps: [],
    checkRunId: null,
    createdAtMs: 0,
    startedAtMs: null,
    completedAtMs: null,
    summary: '',
  };
  const kept = { repoId: seeded.repo.id, jobId: 1, isFinal: true, createdAtMs: world.clock.now() };
  const blob = { sha, bytes: 1, sha256: 'a'.repeat(64), contentType: 'application/zip' };
  const life = { updatedAtMs: 0, expiresAtMs: world.clock.now() + 1_000 };
  const of = { runId: run.id, runAttempt: 1, name: 'report', mimeType: 'application/zip' };
  world.state.artifacts[1] = { id: 1, ...kept, ...of, ...life, blob };
  const usedAtMs = world.clock.now();
  world.state.caches[1] = { id: 1, ...kept, key: 'k', version: 'v', ref: 'refs/heads/main', blob, usedAtMs };
  const withJob = { ...run, jobIds: [1] };
  world.state.runs[run.id] = withJob;
  return withJob;
}

/** The value of a parameter depends on its route. */
function fillParameters(pattern: string, params: Readonly<Record<string, string>>): string {
  const special: readonly (readonly [RegExp, string])[] = [
    [/\/check-runs\/:\w+/, `/check-runs/${params['check']}`],
    [/\/deployments\/:\w+/, `/deployments/${params['deployment']}`],
    [/\/statuses\/:status/, `/statuses/${params['deploymentStatus']}`],
    [/\/milestones\/:\w+/, '/milestones/1'],
    [/\/releases\/assets\/:\w+/, `/releases/assets/${params['asset']}`],
    [/\/releases\/tags\/:\w+\*?/, '/releases/tags/v2'],
    [/\/releases\/:\w+/, `/releases/${params['release']}`],
    [/\/assignees\/:\w+/, '/assignees/ada'],
    [/\/search\/issues$/, '/search/issues?q=repo:lab/ferries'],
    [/\/check-suites\/:\w+/, `/check-suites/${params['suite']}`],
    [/\/issues\/comments\/:\w+/, `/issues/comments/${params['comment']}`],
    [/\/pulls\/comments\/:\w+/, `/pulls/comments/${params['lineComment']}`],
    [/\/git\/blobs\/:\w+/, `/git/blobs/${params['blob']}`],
    [/\/git\/trees\/:\w+\*?/, `/git/trees/${params['tree']}`],
    [/\/git\/tags\/:\w+/, `/git/tags/${params['tagSha']}`],
    [/\/git\/ref\/:\w+\*?/, '/git/ref/heads/main'],
    [/\/git\/matching-refs\/:\w+\*?/, '/git/matching-refs/heads'],
    [/\/app\/installations\/:\w+/, `/app/installations/${params['installation']}`],
    [/\/app\/hook\/deliveries\/:\w+/, `/app/hook/deliveries/${params['delivery']}`],
    [/\/commits\/:\w+\/(statuses|status|check-runs|check-suites|pulls)/, '/commits/ferry/$1'],
  ];
  const asPerson = pattern.replace(/\/collaborators\/:\w+/, '/collaborators/ada');
  const first = special.reduce((path, [place, to]) => path.replace(place, to), asPerson);
  return first.replaceAll(/:(\w+)\*?/g, (_, name: string) => params[name] ?? `NO-${name}`);
}

describe('every read of the API', () => {
  it('has an answer that fits GitHub’s description', async () => {
    const { town, params } = await furnished();
    const installation = `${town.seeded.app?.installationId}`;
    const olga = administrator(town);
    const failed: string[] = [];
    for (const route of reads) {
      const path = fillParameters(route.pattern, { ...params, installation, delivery: '1' });
      // webhooks.test.ts reads deliveries, and pulls.test.ts a merged pull request.
      if (/deliveries\/|\/merge$/.test(path)) continue;
      const isApp = route.scope === 'plain' && (route.access === 'app' || route.access === 'installation');
      const who = isApp && route.access === 'app' ? town.asApp() : isApp ? town.asInstallation() : null;
      const status = await (who ?? town.as(olga)).request(`GET ${path}`, { request: { redirect: 'manual' } }).then(
        (answer) => answer.status,
        (error: { readonly status: number }) => error.status,
      );
      if (![200, 204, 302].includes(status)) failed.push(`${route.pattern} as ${path}: ${status}`);
    }
    expect(failed).toEqual([]);
  });
});
