// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** A run executes its jobs as on GitHub. Virtual time, with functions as steps. */

import { describe, expect, it } from 'vitest';
import { file, job, stage } from './stage.ts';

describe('the jobs of a run', () => {
  it('wait for their needs, receive their outputs, and are skipped when a need failed', async () => {
    const lab = stage();
    await lab.push(
      file(
        'graph',
        `
on: workflow_dispatch
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs: {digest: "\${{ steps.p.outputs.digest }}"}
    steps: [{id: p, run: out digest=sha256:7}]
  build: {needs: plan, runs-on: ubuntu-latest, steps: [{run: "fail \${{ needs.plan.outputs.digest }}"}]}
  after: {needs: build, runs-on: ubuntu-latest, steps: [{run: never}]}
  tell: {needs: [after, build], if: "failure() && needs.build.result == 'failure'", runs-on: ubuntu-latest, steps: [{run: tell}]}
`,
      ),
    );
    const id = await lab.dispatch('graph.yml');
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what)).toEqual(['out digest=sha256:7', 'fail sha256:7', 'tell']);
    expect(lab.jobs(id).map(({ key, conclusion }) => `${key} ${conclusion}`)).toEqual([
      'plan success',
      'build failure',
      'after skipped',
      'tell success',
    ]);
    expect(lab.run(id)).toMatchObject({ status: 'completed', conclusion: 'failure' });
  });

  it('evaluate step conditions, and continue after a failed step with continue-on-error', async () => {
    const lab = stage();
    await lab.push(
      file(
        'steps',
        `on: workflow_dispatch\njobs: {a: {${job(`{id: one, run: fail, continue-on-error: true}, {run: "outcome \${{ steps.one.outcome }} \${{ steps.one.conclusion }}"}, {run: fail}, {run: not reached}, {if: failure(), name: Tell, run: told}`)}}}`,
      ),
    );
    const id = await lab.dispatch('steps.yml');
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what)).toEqual(['fail', 'outcome failure success', 'fail', 'told']);
    expect(lab.jobs(id)[0]?.steps.map(({ name, conclusion }) => `${name}: ${conclusion}`)).toEqual([
      'Set up job: success',
      'Run fail: success',
      'Run outcome ${{ steps.one.outcome }} ${{ steps.one.conclusion }}: success',
      'Run fail: failure',
      'Run not reached: skipped',
      'Tell: success',
      'Complete job: success',
    ]);
  });

  it('run on a runner with all their labels, one job per runner at a time', async () => {
    const lab = stage();
    await lab.push(
      file(
        'launch',
        'on: workflow_dispatch\njobs: {a: {runs-on: [self-hosted, ferrybot-launch], steps: [{run: sleep 60}]}}',
      ),
    );
    const ids = [await lab.dispatch('launch.yml'), await lab.dispatch('launch.yml')];
    const states = () => ids.map((id) => `${lab.jobs(id)[0]?.status} ${lab.jobs(id)[0]?.runnerName}`);
    expect(states()).toEqual(['in_progress launcher', 'queued null']);
    await lab.clock.advance(60_000);
    expect(states()).toEqual(['completed launcher', 'in_progress launcher']);
    await lab.clock.advance(60_000);
    expect(states()).toEqual(['completed launcher', 'completed launcher']);
  });

  it('fail when no runner took them for a day', async () => {
    const lab = stage();
    await lab.push(file('lost', 'on: workflow_dispatch\njobs: {a: {runs-on: [self-hosted, gpu], steps: [{run: x}]}}'));
    const id = await lab.dispatch('lost.yml');
    await lab.clock.advance(24 * 3_600_000);
    await lab.actions.tick();
    expect(lab.run(id).conclusion).toBe('failure');
    expect(lab.log(lab.jobs(id)[0]?.id ?? 0)).toContain('gpu');
  });

  it('have a token with the permissions from permissions:, valid only while they run', async () => {
    const lab = stage();
    await lab.push(
      file(
        'powers',
        `on: workflow_dispatch\npermissions: {contents: read}\njobs: {a: {${job('{run: sleep 5, env: {T: "${{ github.token }}"}}', 'permissions: {issues: write},')}}, b: {${job('{run: sleep 5}')}}}`,
      ),
    );
    await lab.dispatch('powers.yml');
    const tokens = lab.workflowTokens().map(({ permissions }) => permissions);
    expect(tokens).toEqual([{ issues: 'write' }, { contents: 'read' }]);
    await lab.clock.advance(1);
    const mine = lab.ran.find(({ env }) => env['T'] !== undefined)?.env ?? {};
    expect(lab.world.state.tokens[mine['T'] ?? '']?.kind).toBe('workflow');
    expect(mine['GITHUB_TOKEN']).toBeUndefined();
    await lab.clock.advance(5_000);
    expect(lab.workflowTokens()).toEqual([]);
  });

  it('read an environment’s secrets on the default branch, and fail on another branch', async () => {
    const lab = stage();
    const text = `on: {workflow_dispatch: {}}\njobs: {a: {${job('{run: "key ${{ secrets.CREDENTIALS }}${{ secrets.WEBHOOK }} ${{ vars.CLUSTER }}"}', 'environment: cluster,')}}}`;
    await lab.push(file('env', text));
    await lab.push({ 'a.txt': '1' }, { branch: 'evil' });
    const good = await lab.dispatch('env.yml');
    const bad = await lab.dispatch('env.yml', {}, 'evil');
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what)).toEqual(['key cluster-key-9hush-hush-42 local']);
    expect(lab.log(lab.jobs(good)[0]?.id ?? 0)).toContain('said key *** local');
    expect(lab.run(bad).conclusion).toBe('failure');
    expect(lab.log(lab.jobs(bad)[0]?.id ?? 0)).toContain('not allowed to deploy to cluster');
  });

  it.each([
    ['success', 'plan', 'skipped', ['plan success', 'maybe skipped', 'next skipped', 'last skipped']],
    ['always()', 'plan', 'skipped', ['plan success', 'maybe skipped', 'next success', 'last success']],
    ['!cancelled()', 'plan', 'skipped', ['plan success', 'maybe skipped', 'next success', 'last success']],
    ['failure()', 'fail', 'failed', ['plan failure', 'maybe skipped', 'next success', 'last success']],
    ['success() || failure()', 'plan', 'skipped', ['plan success', 'maybe skipped', 'next skipped', 'last skipped']],
  ])('after a skipped need, if: %s after a plan with %s', async (condition, plan, _, ends) => {
    const lab = stage();
    const wanted = condition === 'success' ? '' : `if: "${condition}", `;
    await lab.push(
      file(
        'w',
        `on: workflow_dispatch\njobs: {plan: {${job(`{run: ${plan}}`)}}, maybe: {needs: plan, if: "false", ${job('{run: x}')}}, next: {needs: maybe, ${wanted}${job('{run: x}')}}, last: {needs: next, ${wanted}${job('{run: x}')}}}`,
      ),
    );
    const id = await lab.dispatch('w.yml');
    await lab.actions.idle();
    expect(lab.jobs(id).map(({ key, conclusion }) => `${key} ${conclusion}`)).toEqual(ends);
  });

  it('without a condition are skipped after a job that ran after a skipped one (actions/runner#2205)', async () => {
    const lab = stage();
    await lab.push(
      file(
        'w',
        `on: workflow_dispatch\njobs: {maybe: {if: "false", ${job('{run: x}')}}, next: {needs: maybe, if: always(), ${job('{run: x}')}}, last: {needs: next, ${job('{run: x}')}}}`,
      ),
    );
    const id = await lab.dispatch('w.yml');
    await lab.actions.idle();
    expect(lab.jobs(id).map(({ conclusion }) => conclusion)).toEqual(['skipped', 'success', 'skipped']);
  });

  it('drop an output that contains a secret (docs: jobs.<job_id>.outputs)', async () => {
    const lab = stage();
    await lab.push(
      file(
        'w',
        `on: workflow_dispatch\njobs: {a: {outputs: {open: "\${{ steps.s.outputs.x }}", shown: "x\${{ secrets.WEBHOOK }}"}, ${job('{id: s, run: out x=1}')}}, b: {needs: a, ${job('{run: "got ${{ needs.a.outputs.open }} ${{ needs.a.outputs.shown }}."}')}}}`,
      ),
    );
    const id = await lab.dispatch('w.yml');
    await lab.actions.idle();
    expect(lab.ran.at(-1)?.what).toBe('got 1 .');
    expect(lab.log(lab.jobs(id)[0]?.id ?? 0)).toContain("Skip output 'shown' since it may contain secret.");
  });

  it('can call a workflow of the same repository and use its outputs', async () => {
    const lab = stage();
    await lab.push({
      ...file(
        'outer',
        `
on: workflow_dispatch
jobs:
  call:
    uses: ./.github/workflows/inner.yml
    with: {lane: ferry}
    secrets: {key: "\${{ secrets.WEBHOOK }}"}
  after: {needs: call, runs-on: ubuntu-latest, steps: [{run: "got \${{ needs.call.outputs.made }}"}]}
`,
      ),
      ...file(
        'inner',
        `
on:
  workflow_call:
    inputs: {lane: {type: string, required: true}, dry: {type: boolean, default: true}}
    secrets: {key: {required: true}}
    outputs: {made: {value: "\${{ jobs.work.outputs.x }}"}}
jobs:
  work:
    runs-on: ubuntu-latest
    outputs: {x: "\${{ steps.s.outputs.x }}"}
    steps: [{id: s, run: "out x=\${{ inputs.lane }}-\${{ inputs.dry }}"}, {run: "\${{ secrets.key }}\${{ secrets.WEBHOOK }}"}]
`,
      ),
    });
    const id = await lab.dispatch('outer.yml');
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what)).toEqual(['out x=ferry-true', 'hush-hush-42', 'got ferry-true']);
    expect(lab.jobs(id).map(({ name }) => name)).toEqual(['call / work', 'after']);
    expect(lab.run(id).conclusion).toBe('success');
  });

  it('run our action with its inputs and the environment of a real runner', async () => {
    const lab = stage();
    await lab.push(
      file(
        'chat',
        `name: Chat\non: issue_comment\njobs: {reply: {${job('{uses: ferrybot/ferrybot@0123, with: {mode: chat}}')}}}`,
      ),
    );
    await lab.comment('t', '/help');
    await lab.actions.idle();
    expect(lab.ran[0]?.what).toBe('ferrybot/ferrybot@0123 {"mode":"chat"} on action,issue,comment,repository,sender');
    expect(lab.ran[0]?.env).toMatchObject({
      INPUT_MODE: 'chat',
      GITHUB_EVENT_NAME: 'issue_comment',
      GITHUB_REPOSITORY: 'lab/model',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_WORKFLOW_REF: 'lab/model/.github/workflows/chat.yml@refs/heads/main',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'reply',
      GITHUB_ACTOR: 'ada',
      GITHUB_API_URL: 'http://127.0.0.1:9/api/v3',
      RUNNER_ENVIRONMENT: 'github-hosted',
    });
  });
});
