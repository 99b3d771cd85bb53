// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Time limits, cancellation, further attempts, concurrency, a restart. Virtual time, with functions as steps. */

import { describe, expect, it } from 'vitest';
import type { State } from '../../world/state.ts';
import type { Lab } from './lab.ts';
import { file, job, stage } from './stage.ts';

describe('time limits and cancellation', () => {
  const timed = (more: string): string =>
    `on: workflow_dispatch\njobs: {a: {${job('{run: sleep 7200}, {if: failure(), run: on failure}, {if: cancelled(), run: on cancel}', more)}}}`;

  it('cancel a job that exceeds its time limit, and fail a step that exceeds its own', async () => {
    const lab = stage();
    await lab.push({
      ...file('job', timed('timeout-minutes: 10,')),
      ...file('step', timed('').replace('run: sleep 7200', 'run: sleep 7200, timeout-minutes: 5')),
    });
    const byJob = await lab.dispatch('job.yml');
    const byStep = await lab.dispatch('step.yml');
    await lab.clock.advance(10 * 60_000);
    expect(lab.run(byJob).conclusion).toBe('cancelled');
    expect(lab.log(lab.jobs(byJob)[0]?.id ?? 0)).toContain('maximum execution time of 10m0s');
    expect(lab.run(byStep).conclusion).toBe('failure');
    expect(lab.ran.map(({ what }) => what).filter((what) => what.startsWith('on'))).toEqual([
      'on failure',
      'on cancel',
    ]);
  });

  it('end the running job, skip the waiting one, and still run the one with if: always() when a run is cancelled', async () => {
    const lab = stage();
    await lab.push(
      file(
        'long',
        `on: workflow_dispatch\njobs: {a: {${job('{run: sleep 600}, {run: next}')}}, b: {needs: a, ${job('{run: never}')}}, c: {needs: a, if: always(), ${job('{run: notify}')}}}`,
      ),
    );
    const id = await lab.dispatch('long.yml');
    await lab.clock.advance(1_000);
    lab.world.state.runs[id] = { ...lab.run(id), cancelRequested: true };
    await lab.actions.tick();
    await lab.actions.idle();
    expect(lab.jobs(id).map(({ key, conclusion }) => `${key} ${conclusion}`)).toEqual([
      'a cancelled',
      'b skipped',
      'c success',
    ]);
    expect(lab.run(id)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    expect(lab.ran.map(({ what }) => what)).toEqual(['sleep 600', 'notify']);
  });

  it('run a new attempt when the run is queued again with a higher attempt number', async () => {
    const lab = stage();
    await lab.push(
      file('again', `on: workflow_dispatch\njobs: {a: {${job('{run: "attempt ${{ github.run_attempt }}"}')}}}`),
    );
    const id = await lab.dispatch('again.yml');
    await lab.actions.idle();
    lab.world.state.runs[id] = { ...lab.run(id), status: 'queued', conclusion: null, runAttempt: 2, jobIds: [] };
    await lab.actions.tick();
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what)).toEqual(['attempt 1', 'attempt 2']);
    expect(lab.run(id)).toMatchObject({ runAttempt: 2, conclusion: 'success' });
  });
});

describe('concurrency', () => {
  const grouped = (concurrency: string): string =>
    `on: workflow_dispatch\nconcurrency: ${concurrency}\njobs: {a: {${job('{run: sleep 60}')}}}`;
  const statuses = (lab: Lab): string[] => lab.runs().map((run) => run.conclusion ?? run.status);

  it('runs one and keeps one pending by default, and cancels the older pending run before it has jobs', async () => {
    const lab = stage();
    await lab.push(file('g', grouped('Launch')));
    for (let n = 0; n < 3; n += 1) await lab.dispatch('g.yml');
    expect(statuses(lab)).toEqual(['in_progress', 'cancelled', 'pending']);
    expect(lab.jobs(2)).toEqual([]);
    await lab.clock.advance(60_000);
    expect(statuses(lab)).toEqual(['success', 'cancelled', 'in_progress']);
  });

  it('keeps up to a hundred pending runs in order with queue: max', async () => {
    const lab = stage();
    await lab.push(file('g', grouped('{group: launch, queue: max}')));
    for (let n = 0; n < 103; n += 1) await lab.dispatch('g.yml');
    expect(statuses(lab).filter((status) => status === 'pending')).toHaveLength(100);
    expect(statuses(lab).slice(101)).toEqual(['cancelled', 'cancelled']);
    await lab.clock.advance(120_000);
    expect(statuses(lab).slice(0, 4)).toEqual(['success', 'success', 'in_progress', 'pending']);
  });

  it('cancels the running run with cancel-in-progress', async () => {
    const lab = stage();
    await lab.push(file('g', grouped('{group: "${{ github.workflow }}", cancel-in-progress: true}')));
    const first = await lab.dispatch('g.yml');
    await lab.clock.advance(1_000);
    const second = await lab.dispatch('g.yml');
    await lab.clock.advance(1_000);
    expect([lab.run(first).conclusion, lab.run(second).status]).toEqual(['cancelled', 'in_progress']);
  });

  it('shares a group between workflows, evaluates its name, and ignores its case', async () => {
    const lab = stage();
    const text = (name: string): string =>
      `name: ${name}\n${grouped('{group: "launch-${{ github.ref_name }}-${{ inputs.lane }}", cancel-in-progress: "${{ inputs.lane == \'hero\' }}"}').replace('workflow_dispatch', '{workflow_dispatch: {inputs: {lane: {}}}}')}`;
    await lab.push({ ...file('one', text('One')), ...file('two', text('Two')) });
    await lab.dispatch('one.yml', { lane: 'daily' });
    await lab.dispatch('two.yml', { lane: 'daily' });
    await lab.dispatch('two.yml', { lane: 'hero' });
    expect(statuses(lab)).toEqual(['in_progress', 'pending', 'in_progress']);
    await lab.clock.advance(1_000);
    await lab.dispatch('one.yml', { lane: 'HERO' });
    await lab.clock.advance(1_000);
    expect(statuses(lab)).toEqual(['in_progress', 'pending', 'cancelled', 'in_progress']);
  });

  it('applies to single jobs too', async () => {
    const lab = stage();
    await lab.push(file('g', `on: workflow_dispatch\njobs: {a: {${job('{run: sleep 60}', 'concurrency: x,')}}}`));
    const ids = [await lab.dispatch('g.yml'), await lab.dispatch('g.yml')];
    expect(ids.map((id) => lab.jobs(id)[0]?.status)).toEqual(['in_progress', 'pending']);
    await lab.clock.advance(60_000);
    expect(ids.map((id) => lab.jobs(id)[0]?.status)).toEqual(['completed', 'in_progress']);
  });
});

describe('a restart of the playground', () => {
  it('fails the job that lost its runner and starts the queued one', async () => {
    const before = stage();
    await before.push(
      file(
        'launch',
        'on: workflow_dispatch\njobs: {a: {runs-on: [self-hosted, ferrybot-launch], steps: [{run: sleep 60}]}}',
      ),
    );
    await before.dispatch('launch.yml');
    await before.dispatch('launch.yml');
    await before.clock.advance(1_000);
    const left: State = structuredClone(before.world.state);

    const after = stage({ state: left, store: before.store });
    await after.actions.tick();
    expect(after.run(1)).toMatchObject({ status: 'completed', conclusion: 'failure' });
    expect(after.log(after.jobs(1)[0]?.id ?? 0)).toContain('lost communication with the server');
    expect(after.jobs(2)[0]).toMatchObject({ status: 'in_progress', runnerName: 'launcher' });
    expect(after.workflowTokens()).toMatchObject([{ kind: 'workflow', runId: 2 }]);
    await after.clock.advance(60_000);
    expect(after.run(2).conclusion).toBe('success');
  });
});
