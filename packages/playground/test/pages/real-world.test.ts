/** The page with the playground's real API: its requests are served, and it shows the API's data. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendLog, completeJob, createJob } from '../../actions/queue/job-rows.ts';
import { completeRun, createRun } from '../../actions/queue/run-rows.ts';
import type { Run, Workflow } from '../../actions/state-actions.ts';
import { findRepo, findUser, requireRow } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { openRealSite, type RealSite } from './real-site.ts';

let site: RealSite;
beforeAll(async () => {
  site = await openRealSite();
});
afterAll(() => site.close());

const get = async (path: string, who = 'mira'): Promise<string> => {
  const response = await fetch(`${site.baseUrl}${path}`, {
    headers: { ...site.headers, cookie: `playground_speaker=${who}` },
  });
  return `${response.status}\n${await response.text()}`;
};
const post = async (path: string, fields: Record<string, string>, who = 'mira'): Promise<number> => {
  const headers = { ...site.headers, cookie: `playground_speaker=${who}` };
  return (
    await fetch(`${site.baseUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
      redirect: 'manual',
    })
  ).status;
};

/**
 * Only a caller who gets the log's address from the API can read it, for a minute; other users of the machine cannot.
 */
async function signedLog(jobId: number): Promise<void> {
  const answer = await fetch(`${site.baseUrl}/api/v3/repos/lab/ferries/actions/jobs/${jobId}/logs`, {
    redirect: 'manual',
  });
  const signed = new URL(answer.headers.get('location') ?? '');
  expect(await (await fetch(signed)).text()).toContain('red <b>');
  expect((await fetch(signed.origin + signed.pathname)).status).toBe(403);
  const later = new URL(signed);
  later.searchParams.set('se', String(Number(signed.searchParams.get('se')) + 60_000));
  expect((await fetch(later)).status).toBe(403);
}

/** A dispatched run as the queue creates it; the workflow's file does not matter here. */
function startRun(world: World): Run {
  const repo = requireRow(findRepo(world, 'lab', 'ferries'), 'lab/ferries');
  const workflow: Workflow = {
    id: 1,
    repoId: repo.id,
    name: 'launch',
    path: '.github/workflows/launch.yml',
    state: 'active',
    source: '',
    on: {},
    dispatchInputs: null,
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  world.state.workflows[1] = workflow;
  const sha = requireRow(Object.values(world.state.issues)[0]?.pull?.headSha, 'head');
  const source = {
    trigger: { name: 'workflow_dispatch', action: null, ref: null, changedPaths: null, workflowName: null },
    ref: 'refs/heads/main',
    sha,
    headSha: sha,
    headBranch: 'main',
    headRef: '',
    baseRef: '',
    workflowSha: sha,
    pullNumbers: [],
    untrusted: false,
    title: null,
  };
  return createRun(world, {
    repo,
    workflow,
    event: 'workflow_dispatch',
    payload: {},
    actorId: requireRow(findUser(world, 'mira'), 'mira').id,
    source,
    title: 'Launch <today>',
  });
}

describe('the page on the real API', () => {
  it('shows the repository with its README, and files of any branch', async () => {
    const home = await get('/lab/ferries');
    expect(home).toContain('Sails daily.');
    expect(home).toContain('href="/lab/ferries/tree/main/experiments"');
    expect(await get('/lab/ferries/blob/ferry/today/experiments/daily.py')).toContain('rate = 4');
    expect(await get('/lab/ferries/blob/main/experiments/daily.py')).toContain('rate = 3');
  });

  it('shows the pull request with its commits and its diff', async () => {
    const pull = await get('/lab/ferries/pull/1');
    expect(pull).toContain('aria-label="human approval"');
    expect(pull).toContain('Raise the rate');
    const files = await get('/lab/ferries/pull/1/files');
    expect(files).toMatch(/diff-removed.*rate = <span class="changed">3</s);
    expect(files).toMatch(/diff-added.*rate = <span class="changed">4</s);
    expect(await get('/lab/ferries/pull/1/commits')).toContain('Raise the rate');
    expect(await get('/lab/ferries/commits')).toContain('Add the ferry');
  });

  it('posts comments and reactions, and marks an edit by another person', async () => {
    expect(await post('/lab/ferries/issues/1/comments', { body: '/status now' })).toBe(303);
    const id = String(Object.values(site.world.state.comments).at(-1)?.id);
    expect(await get('/lab/ferries/pull/1')).not.toContain('edited</summary>');
    expect(await post(`/lab/ferries/issues/1/comments/${id}/reactions`, { content: 'rocket' }, 'ada')).toBe(303);
    expect(await get('/lab/ferries/pull/1')).toContain('aria-label="rocket: 1"');
    expect(await post(`/lab/ferries/issues/1/comments/${id}/reactions`, { content: 'rocket' }, 'ada')).toBe(303);
    expect(await get('/lab/ferries/pull/1')).not.toContain('aria-label="rocket: 1"');
    expect(await post(`/lab/ferries/issues/1/comments/${id}/edit`, { body: '/stop now' }, 'ada')).toBe(303);
    const page = await get('/lab/ferries/pull/1');
    expect(page).toContain('/stop now');
    expect(page).toMatch(/edited<\/summary>.*<strong class="login">ada<\/strong> edited/s);
    expect(await post(`/lab/ferries/issues/1/comments/${id}/edit`, { body: 'x' }, 'sol')).toBe(403);
  });

  it('accepts mira’s approval, and refuses ada’s of her own change', async () => {
    expect(await post('/lab/ferries/issues/1/comments', { body: 'good', verdict: 'APPROVE' })).toBe(303);
    expect(await post('/lab/ferries/issues/1/comments', { body: 'mine', verdict: 'APPROVE' }, 'ada')).toBe(422);
    expect(await get('/lab/ferries/pull/1')).toContain('approved these changes');
  });

  it('allows labels with the permission, and shows them in the lists', async () => {
    expect(await post('/lab/ferries/issues/1/labels', { label: 'ferry' }, 'sol')).toBeGreaterThanOrEqual(403);
    expect(await post('/lab/ferries/issues/1/labels', { label: 'ferry' }, 'ravi')).toBe(303);
    expect(await get('/lab/ferries/pulls')).toMatch(/class="label"[^>]*>ferry</);
    expect(await get('/lab/ferries')).toContain('A ferry waits for you, mira');
  });

  it('shows a check run with its annotation, in words and at its line', async () => {
    expect(await get('/lab/ferries/pull/1/checks')).toContain('No checks have reported yet');
    const output = {
      title: 'waits for a maintainer',
      summary: '**one** gate is open',
      annotations: [
        {
          path: 'experiments/daily.py',
          start_line: 1,
          end_line: 1,
          annotation_level: 'warning',
          message: 'rate moved',
        },
      ],
    };
    const actions = [{ label: 'Approve', description: 'Same as /approve-launch', identifier: 'approve' }];
    const head = Object.values(site.world.state.issues)[0]?.pull?.headSha;
    const check = {
      name: 'gates',
      head_sha: head,
      status: 'completed',
      conclusion: 'action_required',
      output,
      actions,
    };
    await site.call('ferrybot', 'POST', '/repos/lab/ferries/check-runs', check);
    const checks = await get('/lab/ferries/pull/1/checks');
    expect(checks).toContain('<strong>one</strong> gate is open');
    expect(checks).toContain('rate moved');
    expect(await get('/lab/ferries/pull/1/files')).toMatch(/rate = <span class="changed">4.*diff-remark.*rate moved/s);
    expect(await get('/lab/ferries/pull/1')).toMatch(/next-check.*gates<\/strong> waits for a maintainer/s);
  });

  it('reports a click on a check run’s button to the App, for people with write access only', async () => {
    const emitted: unknown[] = [];
    const stop = site.world.bus.subscribe((event) => {
      emitted.push([
        event.type,
        event.action,
        event.payload['requested_action'],
        Reflect.get(Object(event.payload['sender']), 'login'),
      ]);
    });
    const id = String(Object.values(site.world.state.checkRuns)[0]?.id);
    expect(await get('/lab/ferries/pull/1/checks')).toContain('>Approve</button>');
    expect(await get('/lab/ferries/pull/1/checks', 'ravi')).not.toContain('>Approve</button>');
    expect(await post(`/lab/ferries/runs/${id}/buttons`, { button: 'approve' }, 'ravi')).toBe(403);
    expect(await post(`/lab/ferries/runs/${id}/buttons`, { button: 'other' })).toBe(422);
    expect(await post(`/lab/ferries/runs/${id}/buttons`, { button: 'approve' })).toBe(303);
    stop();
    expect(emitted).toEqual([['check_run', 'requested_action', { identifier: 'approve' }, 'mira']]);
    expect(await get(`/lab/ferries/runs/${id}`)).toContain('gates');
  });

  it('follows a run from its first line to its summary', async () => {
    const { world } = site;
    const run = startRun(world);
    const job = await createJob(world, run, {
      key: 'launch',
      name: 'launch <it>',
      labels: [],
      environment: null,
      status: 'queued',
      conclusion: null,
    });
    expect(await get('/lab/ferries/actions')).toContain('Launch &lt;today&gt;');
    const address = `/lab/ferries/actions/runs/${run.id}`;
    appendLog(world, job.id, '\u001b[31mred <b>\u001b[0m');
    await signedLog(job.id);
    const running = await get(address);
    expect(running).toContain('data-poll-ms');
    expect(running).toContain('<span class="ansi-red">red &lt;b&gt;</span>');
    expect(running).toContain('Cancel run');
    await completeJob(world, job.id, 'success', { summary: '**launched**' });
    await completeRun(world, run.id, 'success');
    const ended = await get(address);
    expect(ended).not.toContain('data-poll-ms');
    expect(ended).toContain('<strong>launched</strong>');
    expect(ended).toContain('Re-run all jobs');
    expect(await get(address, 'sol')).not.toContain('Re-run all jobs');
  });

  it('shows a run’s annotations above its jobs, and no log for a skipped job', async () => {
    const { world } = site;
    const run = startRun(world);
    const row = { labels: [], environment: null, status: 'queued', conclusion: null } as const;
    const job = await createJob(world, run, { ...row, key: 'train', name: 'train' });
    const skipped = await createJob(world, run, { ...row, key: 'after', name: 'after' });
    const remark = {
      path: '.github',
      startLine: 3,
      endLine: 3,
      startColumn: null,
      endColumn: null,
      level: 'failure',
      message: 'no <data>',
      title: 'Loader',
      rawDetails: null,
    } as const;
    await completeJob(world, job.id, 'failure');
    for (const [id, check] of Object.entries(world.state.checkRuns))
      if (check.name === 'train') world.state.checkRuns[id] = { ...check, annotations: [remark] };
    await completeJob(world, skipped.id, 'skipped');
    await completeRun(world, run.id, 'failure');
    const page = await get(`/lab/ferries/actions/runs/${run.id}`);
    expect(page).toMatch(/aria-label="Annotations".*Loader.*no &lt;data&gt;.*aria-label="Job train"/s);
    expect(page).toContain('No output yet.');
    expect(page).not.toContain(`data-live="log-${skipped.id}"`);
  });

  it('lets people who may edit the text tick a box, if the text is current', async () => {
    const at = '/lab/ferries/issues/1/tick';
    expect(await get('/lab/ferries/pull/1')).toContain('data-tick="/lab/ferries/issues/1/tick" data-tasks="1"');
    expect(await get('/lab/ferries/pull/1', 'sol')).not.toContain('data-tick');
    expect(await post(at, { task: '0', done: 'on' }, 'sol')).toBe(403);
    expect(await post(at, { task: '0', done: 'on' }, 'ada')).toBe(303);
    expect(await post(at, { task: '0', done: 'on' }, 'ada')).toBe(422);
    expect(Object.values(site.world.state.issues)[0]?.body).toBe('- [x] human approval');
  });

  it('lets sol open an issue and close it again', async () => {
    expect(await post('/lab/ferries/issues', { title: 'Why <b>this</b>?', body: 'please' }, 'sol')).toBe(303);
    expect(await post('/lab/ferries/issues/2/comments', { body: '', state: 'closed' }, 'sol')).toBe(303);
    expect(await get('/lab/ferries/issues?state=closed')).toContain('Why &lt;b&gt;this&lt;/b&gt;?');
    expect(await get('/lab/ferries/issues/2')).toContain('Closed');
  });

  it('lets mira merge', async () => {
    expect(await post('/lab/ferries/pull/1/merge', { method: 'squash' })).toBe(303);
    const page = await get('/lab/ferries/pull/1');
    expect(page).toContain('state-done');
    expect(page).toContain('merged this into');
  });

  it('requests nothing that the playground does not serve, and reloads a page without API cost', async () => {
    expect(site.world.state.unserved).toEqual([]);
    await get('/lab/ferries/pull/1/files');
    const before = site.world.state.usage['user:mira'];
    await get('/lab/ferries/pull/1/files');
    expect(site.world.state.usage['user:mira']?.rest).toBe(before?.rest);
  });
});
