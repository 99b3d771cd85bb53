// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Jobs on real processes and real git: a step's input, its results, and how it is ended. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { createGroupRecord } from '../../actions/runner/group-record.ts';
import { startRealLab } from './real-lab.ts';

const file = (text: string) => ({ '.github/workflows/w.yml': text });
const dispatched = (steps: string, more = ''): Record<string, string> =>
  file(`on: workflow_dispatch\njobs:\n  a:\n    runs-on: ubuntu-latest\n${more}    steps:\n${steps}`);

/** An action that prints its environment and writes to every file that a step may write. */
const ACTION = {
  'action.yml': `
name: Ferrybot
description: A stand-in
inputs:
  mode: {description: What to do, required: true}
  dry run: {description: Nothing real, default: 'false'}
  token: {description: The token, default: '\${{ github.token }}'}
runs: {using: node24, main: dist/main.js, post: dist/post.js}
`,
  'dist/main.js': `
const { appendFileSync, readFileSync } = require('node:fs');
const event = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));
console.log('SEEN ' + JSON.stringify({ ...process.env, node: process.version, comment: event.comment?.body }));
console.log('token ' + process.env.INPUT_TOKEN);
appendFileSync(process.env.GITHUB_OUTPUT, 'digest<<EOT_1\\nsha256:1\\nsecond\\nEOT_1\\n');
appendFileSync(process.env.GITHUB_ENV, 'FERRY_DATE=20261121\\nGITHUB_SHA=evil\\n');
appendFileSync(process.env.GITHUB_PATH, '/opt/ferry/bin\\n');
appendFileSync(process.env.GITHUB_STATE, 'started=yes\\n');
appendFileSync(process.env.GITHUB_STEP_SUMMARY, '# Launched\\n');
`,
  'dist/post.js': `console.log('POST state=' + process.env.STATE_started + ' mode=' + process.env.INPUT_MODE);`,
};

describe('a job with our action', () => {
  it('checks out, runs the action in its own process, and passes its outputs, environment and state on', async () => {
    process.env['HOST_SECRET'] = 'of the host';
    await using lab = await startRealLab(ACTION);
    const sha = await lab.push({
      'train.py': 'print(1)\n',
      ...file(`
name: Chat
on: issue_comment
env: {LAB: "\${{ vars.CLUSTER }}"}
jobs:
  reply:
    runs-on: ubuntu-latest
    outputs: {digest: "\${{ steps.bot.outputs.digest }}"}
    steps:
      - {uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1, with: {fetch-depth: 0}}
      - {id: bot, uses: ferrybot/ferrybot@0123456789012345678901234567890123456789, with: {mode: chat}}
      - name: Look
        run: |
          git rev-parse HEAD > head.txt
          git ls-files
          echo "date $FERRY_DATE lab $LAB sha $GITHUB_SHA path $PATH"
          cat head.txt | grep "\${{ steps.bot.outputs.digest }}" || echo "no digest here"
      - {run: "exit 3", shell: bash}
`),
    });
    await lab.comment('Ferry', '/approve-launch');
    await lab.actions.idle();

    const log = lab.lastLog();
    const [run] = lab.runs();
    const [job] = lab.jobs(run?.id ?? 0);
    expect(job?.steps.map(({ name, conclusion }) => `${name}: ${conclusion}`)).toEqual([
      'Set up job: success',
      'Run actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1: success',
      'Run ferrybot/ferrybot@0123456789012345678901234567890123456789: success',
      'Look: success',
      'Run exit 3: failure',
      'Post Run ferrybot/ferrybot@0123456789012345678901234567890123456789: success',
      'Post Run actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1: success',
      'Complete job: success',
    ]);
    const seen = JSON.parse(/^SEEN (.*)$/m.exec(log)?.[1] ?? '{}');
    expect(seen).toMatchObject({
      comment: '/approve-launch',
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_SHA: sha,
      GITHUB_API_URL: `${lab.url}/api/v3`,
      GITHUB_GRAPHQL_URL: `${lab.url}/api/graphql`,
      GITHUB_SERVER_URL: lab.url,
      GITHUB_ACTION_REPOSITORY: 'ferrybot/ferrybot',
      INPUT_MODE: 'chat',
      INPUT_DRY_RUN: 'false',
      INPUT_TOKEN: '***',
      LAB: 'local',
      RUNNER_NAME: 'hosted',
    });
    expect(seen.HOST_SECRET).toBeUndefined();
    expect(seen.GITHUB_TOKEN).toBeUndefined();
    expect(Object.keys(seen).filter((name) => /^(?:VITEST|NODE_ENV|npm_)/.test(name))).toEqual([]);
    expect(log).toContain('token ***');
    expect(log).toContain(`date 20261121 lab local sha ${sha} path /opt/ferry/bin:`);
    expect(log).toContain('train.py');
    expect(log).toContain('##[error]Process completed with exit code 3.');
    expect(log).toContain('POST state=yes mode=chat');
    expect(job?.summary).toBe('# Launched\n');
    expect(lab.world.state.runPlans[run?.id ?? 0]?.nodes[0]?.outputs).toEqual({ digest: 'sha256:1\nsecond' });
    expect(readFileSync(path.join(lab.folder, 'runners/hosted/model/model/head.txt'), 'utf8').trim()).toBe(sha);
  });

  it('leaves no token in a checkout with persist-credentials: false', async () => {
    await using lab = await startRealLab();
    await lab.push({
      'a.txt': 'a',
      'b.txt': 'b',
      ...dispatched(
        `
      - {uses: actions/checkout@v7, with: {persist-credentials: false, path: base}}
      - {uses: actions/checkout@v7, with: {ref: side, path: head}}
      - run: |
          git -C base config --list | grep -i extraheader || echo "base holds no token"
          git -C head config --list | grep -ic extraheader
          git -C head rev-parse --abbrev-ref HEAD; git -C head log --oneline | wc -l
          git -C base push -q origin HEAD:refs/heads/of-base 2> /dev/null || echo "base may not push"
          git -C head push -q origin HEAD:refs/heads/of-head && echo "head may push"
`,
        '    permissions: {contents: write}\n',
      ),
    });
    await lab.push({ 'a.txt': 'side' }, { branch: 'side' });
    await lab.dispatch('w.yml');
    await lab.actions.idle();
    const log = lab.lastLog();
    expect(log).toMatch(/base holds no token\n1\nside\n1\nbase may not push\nhead may push\n/);
    expect(lab.runs()[0]?.conclusion).toBe('success');
  });

  it('has a token limited to its permissions in the API and in git, and starts no workflow with it', async () => {
    await using lab = await startRealLab();
    const steps = `
    steps:
      - {uses: actions/checkout@v7}
      - name: Try
        env: {GITHUB_TOKEN: "\${{ secrets.GITHUB_TOKEN }}"}
        run: |
          git -c user.name=Bot -c user.email=bot@example.org commit -q --allow-empty -m "From the job"
          git push -q origin "HEAD:refs/heads/$GITHUB_JOB" 2> /dev/null && echo "pushed" || echo "may not push"
          answer() { curl -s -o /dev/null -w '%{http_code}' -H "authorization: Bearer $GITHUB_TOKEN" "$@"; }
          echo "issue $(answer "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues" -d '{"title":"Hi"}')"
          answer "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY" > /dev/null
`;
    await lab.push(
      file(
        `on: [push, issues]\njobs:\n  may:\n    permissions: {contents: write, issues: write}\n    runs-on: ubuntu-latest${steps}\n  maynot:\n    permissions: {contents: read}\n    runs-on: ubuntu-latest\n    needs: may${steps}`,
      ),
    );
    await lab.actions.idle();
    expect(lab.runs()).toMatchObject([{ event: 'push', conclusion: 'success' }]);
    const [may, maynot] = lab.jobs(lab.runs()[0]?.id ?? 0).map((job) => lab.log(job.id).replaceAll(/^\S+Z /gm, ''));
    expect(may).toMatch(/^pushed\nissue 201$/m);
    expect(maynot).toMatch(/^may not push\nissue 403$/m);
    const branches = [...(await lab.store.refs('refs/heads/')).keys()];
    expect(branches.sort()).toEqual(['refs/heads/main', 'refs/heads/may']);
  });

  it('names an action, checkout input or local action that the playground does not have', async () => {
    await using lab = await startRealLab();
    await lab.push({
      ...dispatched('      - {uses: some/action@v1}\n'),
      '.github/workflows/lfs.yml':
        dispatched('      - {uses: actions/checkout@v7, with: {lfs: true}}\n')['.github/workflows/w.yml'] ?? '',
      '.github/workflows/local.yml': dispatched('      - {uses: ./not/there}\n')['.github/workflows/w.yml'] ?? '',
    });
    const logs: string[] = [];
    for (const name of ['w.yml', 'lfs.yml', 'local.yml']) {
      await lab.dispatch(name);
      await lab.actions.idle();
      logs.push(lab.lastLog());
    }
    expect(lab.runs().map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure', 'failure']);
    expect(logs[0]).toContain("Unable to resolve action 'some/action@v1'");
    expect(logs[1]).toContain('lfs');
    expect(logs[2]).toContain("Can't find 'action.yml'");
  });
});

describe('the end of processes', () => {
  const alive = (pid: number): boolean => {
    const stat = `/proc/${pid}/stat`;
    return existsSync(stat) && !readFileSync(stat, 'utf8').includes(') Z ');
  };
  const until = async (condition: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 200 && !condition(); tries += 1) await delay(25);
    expect(condition()).toBe(true);
  };
  const pidIn = (place: string): number => (existsSync(place) ? Number(readFileSync(place, 'utf8')) : 0);

  it('kills processes that a step left running, detached or not, unless they dropped RUNNER_TRACKING_ID', async () => {
    await using lab = await startRealLab();
    const [apart, along, free] = ['apart', 'along', 'free'].map((name) => path.join(lab.folder, name));
    if (apart === undefined || along === undefined || free === undefined) throw new Error('three places');
    await lab.push(
      dispatched(`
      - run: |
          setsid bash -c 'echo $$ > ${apart}; exec sleep 30' > /dev/null 2>&1 < /dev/null &
          RUNNER_TRACKING_ID= setsid bash -c 'echo $$ > ${free}; exec sleep 30' > /dev/null 2>&1 < /dev/null &
          sleep 30 & echo $! > ${along}
          while [ ! -s ${apart} ] || [ ! -s ${free} ]; do sleep 0.02; done
`),
    );
    await lab.dispatch('w.yml');
    await lab.actions.idle();
    expect(lab.runs()[0]?.conclusion).toBe('success');
    await until(() => !alive(pidIn(along)) && !alive(pidIn(apart)));
    expect(lab.lastLog()).toContain(`Terminate orphan process: pid (${pidIn(apart)}) (sleep)`);
    expect(alive(pidIn(free))).toBe(true);
    process.kill(pidIn(free), 'SIGKILL');
  });

  it('interrupts only the step’s own process on cancellation, then runs steps with if: always()', async () => {
    await using lab = await startRealLab();
    const place = path.join(lab.folder, 'child');
    await lab.push(
      dispatched(`
      - run: |
          trap 'echo "told, child $(kill -0 "$child" && echo alive)"; exit 130' INT
          sleep 30 & child=$!; echo $child > ${place}; wait
      - run: echo never
      - {if: always(), run: echo cleaned up}
`),
    );
    const id = await lab.dispatch('w.yml');
    await until(() => pidIn(place) > 0);
    const child = pidIn(place);
    lab.world.state.runs[id] = { ...lab.run(id), cancelRequested: true };
    await lab.actions.tick();
    await lab.actions.idle();
    expect(lab.run(id).conclusion).toBe('cancelled');
    expect(lab.jobs(id)[0]?.steps.map(({ conclusion }) => conclusion)).toEqual([
      'success',
      'cancelled',
      'skipped',
      'success',
      'success',
    ]);
    expect(lab.lastLog()).toContain('told, child alive');
    expect(lab.lastLog()).toContain('The operation was canceled.');
    await until(() => !alive(child));
  });

  it('fails a step that exceeds its timeout-minutes', async () => {
    await using lab = await startRealLab();
    await lab.push(
      dispatched('      - {run: exec sleep 30, timeout-minutes: 0.005}\n      - {if: failure(), run: echo told}\n'),
    );
    await lab.dispatch('w.yml');
    await lab.actions.idle();
    expect(lab.runs()[0]?.conclusion).toBe('failure');
    expect(lab.lastLog()).toMatch(/timed out after 0.005 minutes[\s\S]*\ntold\n/);
  });

  it('kills only the process groups that a killed playground recorded', async () => {
    await using lab = await startRealLab();
    const mine = execa('sleep', ['30'], { detached: true, cleanup: false, reject: false });
    const other = execa('sleep', ['30'], { detached: true, cleanup: false, reject: false });
    const directory = path.join(lab.folder, 'groups');
    const record = createGroupRecord(directory);
    record.remember(mine.pid ?? 0);
    record.remember(other.pid ?? 0);
    record.forget(other.pid ?? 0);
    await createGroupRecord(directory).endLeftOver();
    expect((await mine).signal).toBe('SIGKILL');
    expect(alive(other.pid ?? 0)).toBe(true);
    other.kill('SIGKILL');
    await other;
  });
});
