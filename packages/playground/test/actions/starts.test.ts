// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Which events start a run, and the run's context. Virtual time, with functions as steps. */

import { describe, expect, it } from 'vitest';
import { file, job, stage } from './stage.ts';

describe('the start of a run', () => {
  it('runs the default branch’s workflow for a comment, with the comment in its event', async () => {
    const lab = stage();
    await lab.push(
      file(
        'chat',
        `name: Chat\non: issue_comment\njobs: {a: {${job('{run: "echo ${{ github.event.comment.body }}"}')}}}`,
      ),
    );
    await lab.comment('Ferry 1', '/status');
    await lab.actions.idle();

    const [run] = lab.runs();
    expect(run).toMatchObject({
      name: 'Chat',
      event: 'issue_comment',
      displayTitle: 'Ferry 1',
      status: 'completed',
      conclusion: 'success',
      headBranch: 'main',
      runNumber: 1,
    });
    expect(lab.ran.map(({ what }) => what)).toEqual(['echo /status']);
  });

  it('ignores events by a workflow token, and makes a pull request by one wait for approval', async () => {
    const lab = stage();
    await lab.push(file('any', `on: [issue_comment, push, pull_request]\njobs: {a: {${job('{run: x}')}}}`));
    await lab.actions.idle();
    expect(lab.runs()).toHaveLength(1);

    await lab.comment('t', '/stop', 'workflow');
    await lab.push({ 'a.txt': '1' }, { branch: 'bot', by: 'workflow' });
    await lab.pullRequest('bot', 'workflow');
    await lab.actions.idle();
    expect(lab.runs().slice(1)).toMatchObject([
      { event: 'pull_request', status: 'completed', conclusion: 'action_required' },
    ]);

    await lab.pullRequest('bot');
    await lab.actions.idle();
    expect(lab.runs().at(-1)).toMatchObject({ event: 'pull_request', conclusion: 'success', headBranch: 'bot' });
  });

  it('starts only the workflows in the pushed branch, and none for [skip ci]', async () => {
    const lab = stage();
    await lab.push(file('ci', `on: push\njobs: {a: {${job('{run: x}')}}}`));
    await lab.push({ '.github/workflows/ci.yml': null, 'a.txt': '1' }, { branch: 'bare' });
    await lab.push({ 'a.txt': '2' }, { branch: 'full' });
    await lab.push({ 'a.txt': '3' }, { branch: 'full', message: 'Quietly [skip ci]' });
    await lab.actions.idle();
    expect(lab.runs().map(({ headBranch }) => headBranch)).toEqual(['main', 'full']);
  });

  it('passes typed inputs of a dispatch and evaluates its run-name', async () => {
    const lab = stage();
    await lab.push(
      file(
        'launch',
        `on: {workflow_dispatch: {inputs: {key: {required: true}, dry: {type: boolean}}}}\nrun-name: launch \${{ inputs.key }}\njobs: {a: {if: "!inputs.dry", ${job('{run: "echo ${{ github.event.inputs.key }}"}')}}}`,
      ),
    );
    const wet = await lab.dispatch('launch.yml', { key: 'k1', dry: 'false' });
    const dry = await lab.dispatch('launch.yml', { key: 'k2', dry: 'true' });
    await lab.actions.idle();
    expect(lab.run(wet)).toMatchObject({ displayTitle: 'launch k1', conclusion: 'success' });
    expect(lab.run(dry)).toMatchObject({ displayTitle: 'launch k2', conclusion: 'skipped' });
    expect(lab.ran.map(({ what }) => what)).toEqual(['echo k1']);
  });

  it('fires a schedule by the playground’s clock, once even if the clock jumps by days', async () => {
    const lab = stage();
    await lab.push(
      file(
        'daily',
        `on: {schedule: [{cron: "30 6 * * *"}]}\njobs: {a: {${job('{run: "echo ${{ github.event.schedule }}"}')}}}`,
      ),
    );
    await lab.actions.tick();
    await lab.clock.advance(29 * 60_000);
    await lab.actions.tick();
    expect(lab.runs()).toHaveLength(0);
    await lab.clock.advance(60_000);
    await lab.actions.tick();
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what)).toEqual(['echo 30 6 * * *']);
    await lab.clock.advance(3 * 24 * 3_600_000);
    await lab.actions.tick();
    await lab.actions.tick();
    await lab.actions.idle();
    expect(lab.runs()).toHaveLength(2);
  });

  it('fires schedules without calls of tick() after start()', async () => {
    const lab = stage();
    await lab.push(file('often', `on: {schedule: [{cron: "*/10 * * * *"}]}\njobs: {a: {${job('{run: x}')}}}`));
    lab.actions.start();
    await lab.clock.advance(31 * 60_000);
    expect(lab.runs()).toHaveLength(3);
  });

  it('starts workflow_run workflows after a run, up to three links', async () => {
    const lab = stage();
    await lab.push({
      ...file('first', `name: First\non: workflow_dispatch\njobs: {a: {${job('{run: fail}')}}}`),
      ...file(
        'again',
        `name: Again\non: {workflow_run: {workflows: [First, Again], types: [completed]}}\njobs: {a: {${job('{run: "echo ${{ github.event.workflow_run.conclusion }}"}')}}}`,
      ),
    });
    await lab.dispatch('first.yml');
    await lab.actions.idle();
    expect(lab.runs().map(({ name }) => name)).toEqual(['First', 'Again', 'Again', 'Again']);
    expect(lab.ran.map(({ what }) => what)).toEqual(['fail', 'echo failure', 'echo success', 'echo success']);
  });

  it('fails the run of a workflow with an unsupported key, and names the key', async () => {
    const lab = stage();
    await lab.push(
      file('bad', 'on: issue_comment\njobs: {a: {runs-on: x, strategy: {matrix: {v: [1]}}, steps: [{run: x}]}}'),
    );
    await lab.comment('t', 'hi');
    await lab.actions.idle();
    for (const run of lab.runs()) {
      expect(run.conclusion).toBe('startup_failure');
      expect(lab.log(lab.jobs(run.id)[0]?.id ?? 0)).toContain('does not know jobs.a.strategy');
    }
    expect(lab.runs().map(({ event }) => event)).toEqual(['push', 'issue_comment']);
  });
});
