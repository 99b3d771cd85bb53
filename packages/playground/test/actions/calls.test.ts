// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Workflows that call workflows: of other repositories, with permissions, secrets, environments and runners. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { file, job, type Stage, stage } from './stage.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A folder that serves a repository with these workflow files. */
async function served(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'playground-calls-'));
  folders.push(folder);
  await mkdir(path.join(folder, '.github/workflows'), { recursive: true });
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(folder, '.github/workflows', `${name}.yml`), text);
  return folder;
}

const call = (owner: string, more = ''): string =>
  `on: workflow_dispatch\njobs: {go: {uses: ${owner}/ferrybot/.github/workflows/inner.yml@${COMMIT}, ${more}}}`;

async function played(lab: Stage, name: string): Promise<number> {
  const id = await lab.dispatch(`${name}.yml`);
  await lab.actions.idle();
  return id;
}

const jobLogs = (lab: Stage, id: number): string =>
  lab
    .jobs(id)
    .map((row) => lab.log(row.id))
    .join('\n');

describe('a workflow of another repository', () => {
  it('runs at the given commit and can call a file of its own repository', async () => {
    const directory = await served({
      inner:
        'on: {workflow_call: {inputs: {lane: {type: string}}}}\njobs: {deep: {uses: $/.github/workflows/deep.yml, with: {lane: "${{ inputs.lane }}"}}}',
      deep: `on: {workflow_call: {inputs: {lane: {type: string}}}}\njobs: {work: {${job('{run: "on ${{ inputs.lane }} of ${{ github.repository }} by ${{ github.workflow_ref }}"}')}}}`,
    });
    const lab = stage({ directories: { 'ferrybot/ferrybot': directory } });
    await lab.push(file('outer', call('ferrybot', 'with: {lane: daily}')));
    const id = await played(lab, 'outer');
    expect(lab.run(id).conclusion).toBe('success');
    expect(lab.jobs(id).map(({ name }) => name)).toEqual(['go / deep / work']);
    expect(lab.ran.map(({ what }) => what)).toEqual([
      'on daily of lab/model by lab/model/.github/workflows/outer.yml@refs/heads/main',
    ]);
  });

  it('ends the run with startup_failure and its name when it does not exist', async () => {
    const lab = stage();
    await lab.push(file('outer', call('nobody')));
    const id = await played(lab, 'outer');
    expect(lab.run(id).conclusion).toBe('startup_failure');
    expect(jobLogs(lab, id)).toContain(`workflow nobody/ferrybot/.github/workflows/inner.yml@${COMMIT} was not found`);
  });

  it('is read from the given branch or commit of a repository here, and an unknown ref fails at startup', async () => {
    const lab = stage();
    const first = await lab.push(file('inner', `on: workflow_call\njobs: {w: {${job('{run: first}')}}}`));
    await lab.push(file('inner', `on: workflow_call\njobs: {w: {${job('{run: second}')}}}`));
    const at = (ref: string): string =>
      `on: workflow_dispatch\njobs: {go: {uses: lab/model/.github/workflows/inner.yml@${ref}}}`;
    await lab.push({ ...file('a', at(first)), ...file('b', at('main')), ...file('c', at('gone')) });
    await played(lab, 'a');
    await played(lab, 'b');
    expect(lab.ran.map(({ what }) => what)).toEqual(['first', 'second']);
    expect(lab.run(await played(lab, 'c')).conclusion).toBe('startup_failure');
  });
});

describe('the permissions of a called job', () => {
  const lab = async (inner: string, caller: string): Promise<{ lab: Stage; id: number }> => {
    const directory = await served({ inner });
    const one = stage({ directories: { 'ferrybot/ferrybot': directory } });
    await one.push(file('outer', call('ferrybot', caller)));
    return { lab: one, id: await played(one, 'outer') };
  };
  const asking = (permissions: string): string =>
    `on: workflow_call\npermissions: {}\njobs: {w: {${job('{run: work}', `permissions: ${permissions},`)}}}`;

  it.each([
    [
      'more than the caller has',
      '{issues: write}',
      'permissions: {issues: read}',
      "'issues: write', but is only allowed 'issues: read'",
    ],
    [
      'a permission that the caller lacks',
      '{pull-requests: read}',
      'permissions: {contents: write}',
      "'pull-requests: read', but is only allowed 'pull-requests: none'",
    ],
    [
      'write access although the caller grants nothing',
      '{contents: write}',
      '',
      "'contents: write', but is only allowed 'contents: read'",
    ],
  ])('fail the run at startup when the job requests %s', async (_, permissions, caller, message) => {
    const { lab: one, id } = await lab(asking(permissions), caller);
    expect(one.run(id).conclusion).toBe('startup_failure');
    expect(jobLogs(one, id)).toContain(`The nested job 'go/w' is requesting ${message}`);
    expect(one.ran).toEqual([]);
  });

  it('can be fewer than those of the caller', async () => {
    const directory = await served({ inner: asking('{issues: read}').replace('run: work', 'run: sleep 60') });
    const one = stage({ directories: { 'ferrybot/ferrybot': directory } });
    await one.push(file('outer', call('ferrybot', 'permissions: {issues: write, contents: write}')));
    await one.dispatch('outer.yml');
    await one.clock.advance(1_000);
    expect(one.workflowTokens().map(({ permissions }) => permissions)).toEqual([{ issues: 'read' }]);
    await one.clock.advance(60_000);
    await one.actions.idle();
  });
});

describe('the secrets of a called job', () => {
  const inner = (secrets: string, more = ''): string =>
    `on: {workflow_call: {secrets: ${secrets}}}\njobs: {w: {${job('{run: "key ${{ secrets.KEY }} hook ${{ secrets.WEBHOOK }} cluster ${{ secrets.CREDENTIALS }}"}', more)}}}`;
  const play = async (text: string, caller: string): Promise<{ one: Stage; id: number }> => {
    const directory = await served({ inner: text });
    const one = stage({ directories: { 'ferrybot/ferrybot': directory } });
    await one.push(file('outer', call('ferrybot', caller)));
    return { one, id: await played(one, 'outer') };
  };

  it('are only those that the caller passes, not others of its repository', async () => {
    const { one } = await play(inner('{KEY: {}}'), 'secrets: {KEY: "${{ secrets.WEBHOOK }}"}');
    expect(one.ran[0]?.what).toBe('key hush-hush-42 hook  cluster ');
  });

  it.each([
    ['its caller names them', 'lab', '{CREDENTIALS: {}}', 'secrets: {CREDENTIALS: "${{ secrets.CREDENTIALS }}"}', true],
    ['it inherits them', 'lab', '{}', 'secrets: inherit', true],
    ['its caller names none', 'lab', '{CREDENTIALS: {}}', '', false],
    [
      'another owner has the called file',
      'ferrybot',
      '{CREDENTIALS: {}}',
      'secrets: {CREDENTIALS: "${{ secrets.CREDENTIALS }}"}',
      false,
    ],
  ])('include or omit those of its environment when %s', async (_, owner, declared, caller, seen) => {
    const directory = await served({ inner: inner(declared, 'environment: cluster,') });
    const one = stage({ directories: { [`${owner}/ferrybot`]: directory } });
    await one.push(file('outer', call(owner, caller)));
    await played(one, 'outer');
    expect(one.ran[0]?.what.endsWith(seen ? 'cluster cluster-key-9' : 'cluster ')).toBe(true);
  });

  it('are inherited from a caller of the same owner, not of another owner', async () => {
    const foreign = await play(inner('{}'), 'secrets: inherit');
    expect(foreign.one.ran[0]?.what).toBe('key  hook  cluster ');
    const own = stage({ directories: { 'lab/ferrybot': await served({ inner: inner('{}') }) } });
    await own.push(file('outer', call('lab', 'secrets: inherit')));
    await played(own, 'outer');
    expect(own.ran[0]?.what).toBe('key  hook hush-hush-42 cluster ');
  });

  it('come without the workflow-level env: of the caller', async () => {
    const directory = await served({
      inner: `on: workflow_call\nenv: {OF: inner}\njobs: {w: {${job('{run: "of ${{ env.OF }} ${{ env.OUTER }}"}')}}}`,
    });
    const one = stage({ directories: { 'ferrybot/ferrybot': directory } });
    await one.push(file('outer', `env: {OUTER: secret}\n${call('ferrybot')}`));
    await played(one, 'outer');
    expect(one.ran[0]?.what).toBe('of inner ');
  });

  it.each([
    ['one that it does not declare', '{}', 'secrets: {OTHER: x}', 'Invalid secret, OTHER is not defined'],
    ['none although one is required', '{KEY: {required: true}}', '', 'Secret KEY is required, but not provided'],
  ])('fail the run at startup when the caller passes %s', async (_, declared, caller, message) => {
    const { one, id } = await play(inner(declared), caller);
    expect(one.run(id).conclusion).toBe('startup_failure');
    expect(jobLogs(one, id)).toContain(message);
  });
});

describe('the runners of a called job', () => {
  const inner = `on: workflow_call\njobs: {w: {runs-on: [self-hosted, ferrybot-launch], steps: [{run: launched}]}}`;

  it("include the caller's self-hosted runners when both have the same owner", async () => {
    const lab = stage({ directories: { 'lab/ferrybot': await served({ inner }) } });
    await lab.push(file('outer', call('lab')));
    expect(lab.run(await played(lab, 'outer')).conclusion).toBe('success');
    expect(lab.ran.map(({ what }) => what)).toEqual(['launched']);
  });

  it('are only hosted ones when the called workflow belongs to another owner', async () => {
    const lab = stage({ directories: { 'ferrybot/ferrybot': await served({ inner }) } });
    await lab.push(file('outer', call('ferrybot')));
    const id = await played(lab, 'outer');
    expect(lab.run(id).status).not.toBe('completed');
    expect(lab.ran).toEqual([]);
    expect(jobLogs(lab, id)).toContain('A workflow of another owner is given no self-hosted runner');
    await lab.clock.advance(25 * 3_600_000);
    await lab.actions.tick();
    expect(lab.run(id).conclusion).toBe('failure');
  });
});

describe('a runner group', () => {
  const MAIN = 'lab/model/.github/workflows/launch.yml@refs/heads/main';
  const grouped = { name: 'gpu', labels: ['self-hosted', 'gpu'], group: { name: 'launchers', workflows: [MAIN] } };
  const asks = (runsOn: string): string =>
    `on: workflow_dispatch\njobs: {w: {runs-on: ${runsOn}, steps: [{run: "on \${{ runner.name }}"}]}}`;

  it('that is pinned to a workflow file takes only jobs of that file on that branch', async () => {
    const lab = stage({ runners: [grouped] });
    const text = asks('[self-hosted, gpu]');
    await lab.push({ ...file('launch', text), ...file('other', text) });
    await lab.push({ 'a.txt': 'a' }, { branch: 'feature' });
    const otherRuns = [await lab.dispatch('other.yml'), await lab.dispatch('launch.yml', {}, 'feature')];
    const id = await played(lab, 'launch');
    expect(lab.run(id).conclusion).toBe('success');
    expect(otherRuns.map((one) => lab.run(one).status)).toEqual(['queued', 'queued']);
    expect(lab.ran.map(({ what }) => what)).toEqual(['on gpu']);
  });

  it('named in runs-on excludes runners outside the group', async () => {
    const lab = stage({
      runners: [
        { name: 'bare', labels: ['self-hosted', 'gpu'] },
        { ...grouped, group: { name: 'Launchers', workflows: null } },
      ],
    });
    await lab.push(file('launch', asks('{group: launchers, labels: [gpu]}')));
    await played(lab, 'launch');
    expect(lab.ran.map(({ what }) => what)).toEqual(['on gpu']);
  });
});
