// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Runs come from events and go through their jobs as on GitHub; virtual time, steps played by functions. */

import { afterEach, describe, expect, it } from 'vitest';
import { type Actions, createActions } from '../../../playground/actions/actions.ts';
import type { InProcessHandlers } from '../../../playground/actions/runner/in-process-executor.ts';
import type { State } from '../../../playground/world/state.ts';
import { createLab, type Lab, MORNING } from './lab.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

type Stage = Lab & {
  readonly clock: VirtualClock;
  readonly actions: Actions;
  /** Scripts and actions in the order in which they ran, with what their environment had of interest. */
  readonly ran: { readonly what: string; readonly env: Readonly<Record<string, string>> }[];
};

const open: Actions[] = [];
afterEach(async () => {
  for (const actions of open.splice(0)) await actions.stop();
});

/** Scripts: `sleep N` waits N virtual seconds, `fail` fails, `out NAME=VALUE` sets an output, everything else succeeds. */
function stage(options: { readonly state?: State; readonly store?: Lab['store'] } = {}): Stage {
  const clock = createVirtualClock(MORNING);
  const lab = createLab({ clock, ...options });
  const ran: Stage['ran'] = [];
  const play: InProcessHandlers['run'] = async (script, { env, signal }) => {
    ran.push({ what: script, env });
    const seconds = /sleep (\d+)/.exec(script)?.[1];
    if (seconds !== undefined) await clock.sleep(Number(seconds) * 1000, signal).catch(() => undefined);
    const [, name, value] = /out (\w+)=(.*)/.exec(script) ?? [];
    return {
      conclusion: /^fail\b/.test(script) ? 'failure' : 'success',
      outputs: name === undefined || value === undefined ? {} : { [name]: value },
      log: `said ${script}`,
    };
  };
  const actions = createActions({
    world: lab.world,
    runners: [
      { name: 'hosted-1', labels: ['ubuntu-latest'] },
      { name: 'hosted-2', labels: ['ubuntu-latest'] },
      { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
    ],
    executor: {
      kind: 'inProcess',
      run: play,
      checkout: (inputs, request) => play(`checkout ${JSON.stringify(inputs)}`, request),
      action: (ref, inputs, env, payload, signal) =>
        play(`${ref} ${JSON.stringify(inputs)} on ${Object.keys(Object(payload)).join()}`, { env, signal }),
    },
    actionDirectories: {},
    nodeProgram: '/nowhere/node',
    workDirectory: '/nowhere',
    serverUrl: 'http://127.0.0.1:9',
  });
  open.push(actions);
  return { ...lab, clock, actions, ran };
}

const file = (name: string, text: string) => ({ [`.github/workflows/${name}.yml`]: text });
const job = (steps: string, more = ''): string => `runs-on: ubuntu-latest, ${more} steps: [${steps}]`;

describe('what starts a run', () => {
  it('a comment runs the default branch’s workflow, with the comment in its hands', async () => {
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

  it('what a workflow’s own token does starts nothing; a pull request by it waits for approval', async () => {
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
    expect(lab.runs().at(-1)).toMatchObject({
      event: 'pull_request',
      conclusion: 'success',
      headBranch: 'bot',
    });
  });

  it('a push to a branch starts only the workflows that are in that branch', async () => {
    const lab = stage();
    await lab.push(file('ci', `on: push\njobs: {a: {${job('{run: x}')}}}`));
    await lab.push({ '.github/workflows/ci.yml': null, 'a.txt': '1' }, { branch: 'bare' });
    await lab.push({ 'a.txt': '2' }, { branch: 'full' });
    await lab.push({ 'a.txt': '3' }, { branch: 'full', message: 'Quietly [skip ci]' });
    await lab.actions.idle();
    expect(lab.runs().map(({ headBranch }) => headBranch)).toEqual(['main', 'full']);
  });

  it('a dispatch carries typed inputs and names its run', async () => {
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

  it('a schedule fires by the playground’s clock, once even if the clock jumps over days', async () => {
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

  it('start() goes on by itself', async () => {
    const lab = stage();
    await lab.push(
      file('often', `on: {schedule: [{cron: "*/10 * * * *"}]}\njobs: {a: {${job('{run: x}')}}}`),
    );
    lab.actions.start();
    await lab.clock.advance(31 * 60_000);
    expect(lab.runs()).toHaveLength(3);
  });

  it('the end of a run starts those that wait for it, three links and no more', async () => {
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

  it('a workflow that asks for what is not there fails loudly, by name', async () => {
    const lab = stage();
    await lab.push(
      file(
        'bad',
        'on: issue_comment\njobs: {a: {runs-on: x, strategy: {matrix: {v: [1]}}, steps: [{run: x}]}}',
      ),
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

describe('jobs of a run', () => {
  it('wait for their needs, get their outputs, and are skipped when a need failed', async () => {
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

  it('have steps with conditions, and forgive those that may fail', async () => {
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

  it('take a runner with all their labels, one job a runner at a time', async () => {
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
    await lab.push(
      file('lost', 'on: workflow_dispatch\njobs: {a: {runs-on: [self-hosted, gpu], steps: [{run: x}]}}'),
    );
    const id = await lab.dispatch('lost.yml');
    await lab.clock.advance(24 * 3_600_000);
    await lab.actions.tick();
    expect(lab.run(id).conclusion).toBe('failure');
    expect(lab.log(lab.jobs(id)[0]?.id ?? 0)).toContain('gpu');
  });

  it('get the powers that permissions say, for as long as they run', async () => {
    const lab = stage();
    await lab.push(
      file(
        'powers',
        `on: workflow_dispatch\npermissions: {contents: read}\njobs: {a: {${job('{run: sleep 5, env: {T: "${{ github.token }}"}}', 'permissions: {issues: write},')}}, b: {${job('{run: sleep 5}')}}}`,
      ),
    );
    await lab.dispatch('powers.yml');
    const tokens = Object.values(lab.world.state.tokens).flatMap((token) =>
      token.kind === 'workflow' ? [token.permissions] : [],
    );
    expect(tokens).toEqual([{ issues: 'write' }, { contents: 'read' }]);
    await lab.clock.advance(1);
    const mine = lab.ran.find(({ env }) => env['T'] !== undefined)?.env ?? {};
    expect(lab.world.state.tokens[mine['T'] ?? '']?.kind).toBe('workflow');
    expect(mine['GITHUB_TOKEN']).toBeUndefined();
    await lab.clock.advance(5_000);
    expect(Object.keys(lab.world.state.tokens)).toEqual([]);
  });

  it('see an environment’s secrets on the default branch alone', async () => {
    const lab = stage();
    const text = `on: {workflow_dispatch: {}}\njobs: {a: {${job('{run: "key ${{ secrets.CREDENTIALS }}${{ secrets.WEBHOOK }} ${{ vars.CLUSTER }}"}', 'environment: cluster,')}}}`;
    await lab.push(file('env', text));
    await lab.push({ 'a.txt': '1' }, { branch: 'evil' });
    const good = await lab.dispatch('env.yml');
    const bad = await lab.dispatch('env.yml', {}, 'evil');
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what)).toEqual(['key cluster-key-9hush-hush-42 local']);
    expect(lab.log(lab.jobs(good)[0]?.id ?? 0)).toContain('said key ****** local');
    expect(lab.run(bad).conclusion).toBe('failure');
    expect(lab.log(lab.jobs(bad)[0]?.id ?? 0)).toContain('not allowed to deploy to cluster');
  });

  it('may call a workflow of the same repository and use what it gives back', async () => {
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
    expect(lab.ran[0]?.what).toBe(
      'ferrybot/ferrybot@0123 {"mode":"chat"} on action,issue,comment,repository,sender',
    );
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

describe('time and cancellation', () => {
  const timed = (more: string): string =>
    `on: workflow_dispatch\njobs: {a: {${job('{run: sleep 7200}, {if: failure(), run: on failure}, {if: cancelled(), run: on cancel}', more)}}}`;

  it('a job that is out of time counts as cancelled, a step that is as failed', async () => {
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

  it('a cancelled run ends what runs, drops what waits, and still does what is to be done always', async () => {
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

  it('a run that is asked for again is a further attempt', async () => {
    const lab = stage();
    await lab.push(
      file(
        'again',
        `on: workflow_dispatch\njobs: {a: {${job('{run: "attempt ${{ github.run_attempt }}"}')}}}`,
      ),
    );
    const id = await lab.dispatch('again.yml');
    await lab.actions.idle();
    lab.world.state.runs[id] = {
      ...lab.run(id),
      status: 'queued',
      conclusion: null,
      runAttempt: 2,
      jobIds: [],
    };
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

  it('by default one runs, one waits, and the older waiting one is cancelled without a word', async () => {
    const lab = stage();
    await lab.push(file('g', grouped('Launch')));
    for (let n = 0; n < 3; n += 1) await lab.dispatch('g.yml');
    expect(statuses(lab)).toEqual(['in_progress', 'cancelled', 'pending']);
    expect(lab.jobs(2)).toEqual([]);
    await lab.clock.advance(60_000);
    expect(statuses(lab)).toEqual(['success', 'cancelled', 'in_progress']);
  });

  it('queue: max keeps them all, in order, up to a hundred', async () => {
    const lab = stage();
    await lab.push(file('g', grouped('{group: launch, queue: max}')));
    for (let n = 0; n < 103; n += 1) await lab.dispatch('g.yml');
    expect(statuses(lab).filter((status) => status === 'pending')).toHaveLength(100);
    expect(statuses(lab).slice(101)).toEqual(['cancelled', 'cancelled']);
    await lab.clock.advance(120_000);
    expect(statuses(lab).slice(0, 4)).toEqual(['success', 'success', 'in_progress', 'pending']);
  });

  it('cancel-in-progress ends the one that runs', async () => {
    const lab = stage();
    await lab.push(file('g', grouped('{group: "${{ github.workflow }}", cancel-in-progress: true}')));
    const first = await lab.dispatch('g.yml');
    await lab.clock.advance(1_000);
    const second = await lab.dispatch('g.yml');
    await lab.clock.advance(1_000);
    expect([lab.run(first).conclusion, lab.run(second).status]).toEqual(['cancelled', 'in_progress']);
  });

  it('holds for single jobs too', async () => {
    const lab = stage();
    await lab.push(
      file('g', `on: workflow_dispatch\njobs: {a: {${job('{run: sleep 60}', 'concurrency: x,')}}}`),
    );
    const ids = [await lab.dispatch('g.yml'), await lab.dispatch('g.yml')];
    expect(ids.map((id) => lab.jobs(id)[0]?.status)).toEqual(['in_progress', 'pending']);
    await lab.clock.advance(60_000);
    expect(ids.map((id) => lab.jobs(id)[0]?.status)).toEqual(['completed', 'in_progress']);
  });
});

describe('a restart of the playground', () => {
  it('fails the job whose runner is gone and starts what was queued', async () => {
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
    expect(Object.values(after.world.state.tokens)).toMatchObject([{ kind: 'workflow', runId: 2 }]);
    await after.clock.advance(60_000);
    expect(after.run(2).conclusion).toBe('success');
  });
});
