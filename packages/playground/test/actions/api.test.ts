// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Actions through the REST API: dispatch, read, cancel, approve, re-run. */

import { describe, expect, it } from 'vitest';
import { file, job, stage } from './stage.ts';

const LAUNCH = file(
  'launch',
  `on: {workflow_dispatch: {inputs: {key: {required: true}}}}\nrun-name: launch \${{ inputs.key }}\njobs: {a: {${job('{run: "sleep 60"}, {run: "fail ${{ github.run_attempt }}"}')}}}`,
);

describe('the API of Actions', () => {
  it('dispatches a workflow with its required input, returns the run id, and reads and cancels the run', async () => {
    const lab = stage();
    const sha = await lab.push(LAUNCH);
    expect(await lab.api('POST', '/actions/workflows/launch.yml/dispatches', { ref: 'main' })).toMatchObject({
      status: 422,
      body: { message: "Required input 'key' not provided" },
    });
    expect(lab.runs()).toEqual([]);
    const answer = await lab.api('POST', '/actions/workflows/launch.yml/dispatches', {
      ref: 'main',
      inputs: { key: 'k7' },
      return_run_details: true,
    });
    expect(answer).toMatchObject({ status: 200, body: { workflow_run_id: 1 } });
    expect(await lab.api('GET', '/actions/runs/1')).toMatchObject({
      body: { display_title: 'launch k7', status: 'in_progress', head_sha: sha, triggering_actor: { login: 'mira' } },
    });
    expect(await lab.api('GET', `/commits/${sha}/check-runs`)).toMatchObject({
      body: { check_runs: [{ name: 'a', status: 'in_progress', app: { slug: 'github-actions' } }] },
    });
    await lab.clock.advance(1_000);
    expect(await lab.api('POST', '/actions/runs/1/cancel')).toMatchObject({ status: 202 });
    await lab.actions.idle();
    expect(await lab.api('GET', '/actions/runs/1')).toMatchObject({
      body: { status: 'completed', conclusion: 'cancelled' },
    });
  });

  it('re-runs a run as a new attempt whose check run replaces the one of the first attempt', async () => {
    const lab = stage();
    const sha = await lab.push(LAUNCH);
    await lab.api('POST', '/actions/workflows/launch.yml/dispatches', { ref: 'main', inputs: { key: 'k' } });
    await lab.clock.advance(60_000);
    expect(lab.run(1).conclusion).toBe('failure');
    expect(await lab.api('POST', '/actions/runs/1/rerun')).toMatchObject({ status: 201 });
    await lab.clock.advance(60_000);
    expect(lab.ran.map(({ what }) => what)).toEqual(['sleep 60', 'fail 1', 'sleep 60', 'fail 2']);
    expect(await lab.api('GET', '/actions/runs/1/jobs')).toMatchObject({
      body: { total_count: 1, jobs: [{ run_attempt: 2, conclusion: 'failure' }] },
    });
    expect(await lab.api('GET', `/commits/${sha}/check-runs`)).toMatchObject({ body: { total_count: 1 } });
  });

  it('continues the run of a workflow token’s pull request after it is approved', async () => {
    const lab = stage();
    await lab.push(file('ci', `on: pull_request\njobs: {a: {${job('{run: "test ${{ github.head_ref }}"}')}}}`));
    await lab.push({ 'a.txt': '1' }, { branch: 'ferry', by: 'workflow' });
    await lab.pullRequest('ferry', 'workflow');
    expect(await lab.api('GET', '/actions/runs/1')).toMatchObject({ body: { conclusion: 'action_required' } });
    expect(await lab.api('POST', '/actions/runs/1/approve')).toMatchObject({ status: 201 });
    await lab.actions.idle();
    expect(lab.run(1)).toMatchObject({ status: 'completed', conclusion: 'success', runAttempt: 1 });
    expect(lab.ran.map(({ what }) => what)).toEqual(['test ferry']);
  });

  it('starts no workflow_run for a cancellation request itself', async () => {
    const lab = stage();
    await lab.push({
      ...LAUNCH,
      ...file(
        'after',
        `on: {workflow_run: {workflows: ["**"]}}\njobs: {a: {${job('{run: "saw ${{ github.event.action }}"}')}}}`,
      ),
    });
    await lab.api('POST', '/actions/workflows/launch.yml/dispatches', { ref: 'main', inputs: { key: 'k' } });
    await lab.api('POST', '/actions/runs/1/cancel');
    await lab.actions.idle();
    const seen = lab.ran.map(({ what }) => what).filter((what) => what.startsWith('saw'));
    expect([...new Set(seen)].sort()).toEqual(['saw completed', 'saw in_progress', 'saw requested']);
  });
});
