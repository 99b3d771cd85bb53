/** Data that machines write: check runs with annotations, statuses, manually dispatched workflows. */

import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../actions/state-actions.ts';
import { at, createTown, refusal, type Town } from '../world/town.ts';

describe('check runs', () => {
  it('are created by Apps, have annotations and buttons, and complete with a conclusion', async () => {
    const town = createTown();
    const head_sha = await town.commit('main', { 'daily.py': '1\n' });
    const bot = town.asInstallation();
    const annotation = {
      path: 'daily.py',
      start_line: 1,
      end_line: 1,
      annotation_level: 'notice',
      message: 'lr: 1 → 2',
    } as const;
    const made = await bot.request('POST /repos/{owner}/{repo}/check-runs', {
      ...at,
      name: 'ferrybot',
      head_sha,
      status: 'in_progress',
      output: { title: 'Waiting', summary: 'For approval', annotations: [annotation] },
      actions: [{ label: 'Approve', description: 'Launch this ferry', identifier: 'approve' }],
    });
    expect(made.data).toMatchObject({ status: 'in_progress', conclusion: null, app: { slug: 'ferrybot' } });
    const check_run_id = made.data.id;
    const done = await bot.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
      ...at,
      check_run_id,
      conclusion: 'success',
      output: { title: 'Sealed', summary: 'Done', annotations: [{ ...annotation, message: 'second' }] },
    });
    expect(done.data).toMatchObject({ status: 'completed', conclusion: 'success', output: { annotations_count: 2 } });
    const notes = await bot.request('GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', {
      ...at,
      check_run_id,
    });
    expect(notes.data.map((one) => one.message)).toEqual(['lr: 1 → 2', 'second']);
    const listed = await bot.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', { ...at, ref: 'main' });
    expect(listed.data.check_runs.map((one) => one.id)).toEqual([check_run_id]);
    const suites = await bot.request('GET /repos/{owner}/{repo}/commits/{ref}/check-suites', { ...at, ref: 'main' });
    expect(suites.data.check_suites).toMatchObject([{ status: 'completed', conclusion: 'success' }]);
  });

  it('are refused for people, for too long labels, for unknown commits, and as completed without a conclusion', async () => {
    const town = createTown();
    const head_sha = await town.commit('main', { a: '1' });
    const make = 'POST /repos/{owner}/{repo}/check-runs';
    const mira = town.as(town.seeded.tokens.mira);
    expect((await refusal(mira.request(make, { ...at, name: 'x', head_sha }))).status).toBe(403);
    const long = { label: 'x'.repeat(21), description: 'd', identifier: 'i' };
    const bot = town.asInstallation();
    const answer = await refusal(bot.request(make, { ...at, name: 'x', head_sha, actions: [long] }));
    expect(answer).toMatchObject({ status: 422, message: expect.stringContaining('properties/actions/0/label') });
    expect((await refusal(bot.request(make, { ...at, name: 'x', head_sha: '0'.repeat(40) }))).status).toBe(422);
    const noConclusion = bot.request(make, { ...at, name: 'x', head_sha, status: 'completed' } as never);
    expect((await refusal(noConclusion)).status).toBe(422);
  });
});

describe('commit statuses', () => {
  it('combine to failure if any fails, with the newest of each context', async () => {
    const town = createTown();
    const sha = await town.commit('main', { a: '1' });
    const ada = town.as(town.seeded.tokens.ada);
    const state = async () =>
      (await ada.request('GET /repos/{owner}/{repo}/commits/{ref}/status', { ...at, ref: 'main' })).data.state;
    const set = (context: string, value: 'success' | 'failure') =>
      ada.request('POST /repos/{owner}/{repo}/statuses/{sha}', { ...at, sha, context, state: value });
    expect(await state()).toBe('pending');
    await set('ci', 'failure');
    await set('lint', 'success');
    expect(await state()).toBe('failure');
    await set('ci', 'success');
    expect(await state()).toBe('success');
  });
});

describe('workflow dispatch', () => {
  const dispatch = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

  it('creates a run, and returns its id if requested', async () => {
    const town = await withWorkflow();
    const emitted: (number | null)[] = [];
    town.world.bus.subscribe((event) => void (event.type === 'workflow_dispatch' && emitted.push(event.runId)));
    const bot = town.asInstallation();
    const wish = { ...at, workflow_id: 'launch.yml', ref: 'main', inputs: { order: 'abc' } };
    expect((await bot.request(dispatch, wish)).status).toBe(204);
    const withDetails = await bot.request(dispatch, { ...wish, return_run_details: true } as never);
    expect(withDetails).toMatchObject({ status: 200, data: { workflow_run_id: 2 } });
    expect(emitted).toEqual([1, 2]);
    const runs = await bot.request('GET /repos/{owner}/{repo}/actions/runs', { ...at, event: 'workflow_dispatch' });
    expect(runs.data.workflow_runs.map((run) => [run.id, run.status, run.head_branch])).toEqual([
      [2, 'queued', 'main'],
      [1, 'queued', 'main'],
    ]);
    expect(town.world.state.runs[2]?.inputs).toEqual({ order: 'abc', lane: 'daily' });
  });

  it('is refused for inputs, refs and workflows that are not declared', async () => {
    const town = await withWorkflow();
    const bot = town.asInstallation();
    const wish = { ...at, workflow_id: 'launch.yml', ref: 'main', inputs: { order: 'abc' } };
    const message = async (changed: object) => {
      const { status, message: text } = await refusal(bot.request(dispatch, { ...wish, ...changed }));
      return `${status} ${text}`;
    };
    expect(await message({ inputs: { order: 'a', more: 'b' } })).toBe('422 Unexpected inputs provided: ["more"]');
    expect(await message({ inputs: {} })).toBe("422 Required input 'order' not provided");
    expect(await message({ ref: 'nowhere' })).toBe('422 No ref found for: nowhere');
    expect(await message({ workflow_id: 'other.yml' })).toBe('404 Not Found');
    expect(await message({ workflow_id: 'ci.yml' })).toContain("does not have 'workflow_dispatch' trigger");
  });

  it('creates a run that can be cancelled while it runs and re-run when it has ended', async () => {
    const town = await withWorkflow();
    const ada = town.as(town.seeded.tokens.ada);
    await ada.request(dispatch, { ...at, workflow_id: 'launch.yml', ref: 'main', inputs: { order: 'abc' } });
    const emitted: string[] = [];
    town.world.bus.subscribe((event) => void emitted.push(`${event.type}.${event.action ?? ''}`));
    const run = { ...at, run_id: 1 };
    expect((await refusal(ada.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun', run))).status).toBe(
      403,
    );
    expect((await ada.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel', run)).status).toBe(202);
    expect(town.world.state.runs[1]?.cancelRequested).toBe(true);
    const row = town.world.state.runs[1];
    if (row !== undefined) town.world.state.runs[1] = { ...row, status: 'completed', conclusion: 'cancelled' };
    expect((await ada.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun', run)).status).toBe(201);
    expect(town.world.state.runs[1]).toMatchObject({ runAttempt: 2, status: 'queued', conclusion: null });
    expect(emitted).toEqual(['workflow_run.cancel_requested', 'workflow_run.rerun_requested']);
  });
});

async function withWorkflow(): Promise<Town> {
  const town = createTown();
  await town.commit('main', {
    '.github/workflows/launch.yml':
      'on: {workflow_dispatch: {inputs: {order: {required: true}, lane: {default: daily}}}}\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n',
    '.github/workflows/ci.yml': 'on: push\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n',
  });
  const input = { type: 'string', options: [] } as const;
  const launch: Workflow = {
    id: 1,
    repoId: town.seeded.repo.id,
    name: 'Launch',
    path: '.github/workflows/launch.yml',
    state: 'active',
    source: '',
    on: {},
    dispatchInputs: {
      order: { ...input, required: true, default: null },
      lane: { ...input, required: false, default: 'daily' },
    },
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  town.world.state.workflows[1] = launch;
  town.world.state.workflows[2] = { ...launch, id: 2, path: '.github/workflows/ci.yml', dispatchInputs: null };
  return town;
}
