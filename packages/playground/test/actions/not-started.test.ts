// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Events that start no run, the exceptions, and the commit of a run; each rule with the page of GitHub's docs. */

import { describe, expect, it } from 'vitest';
import { posterAs } from './poster.ts';
import { file, job, type Stage, stage } from './stage.ts';

const names = (lab: Stage): readonly string[] => lab.runs().map(({ event }) => event);
const dispatches = '/actions/workflows/w.yml/dispatches';

describe('a pull request (docs: events, pull_request)', () => {
  const ci = file('ci', `on: pull_request\njobs: {a: {${job('{run: "on ${{ github.ref }} ${{ github.sha }}"}')}}}`);

  it('runs its workflows on the test merge with the base, which is a ref that nothing but GitHub can move', async () => {
    const lab = stage();
    await lab.push({ ...ci, 'a.txt': 'one' });
    const head = await lab.push({ 'b.txt': 'new' }, { branch: 'topic' });
    const base = await lab.push({ 'c.txt': 'meanwhile' });
    await lab.pullRequest('topic');
    await lab.actions.idle();
    const refs = await lab.store.refs('refs/pull/');
    const merge = refs.get('refs/pull/1/merge') ?? '';
    expect(refs.get('refs/pull/1/head')).toBe(head);
    expect((await lab.store.readCommit(merge))?.parents).toEqual([base, head]);
    expect(lab.ran.map(({ what }) => what)).toEqual([`on refs/pull/1/merge ${merge}`]);
    expect(lab.runs()[0]).toMatchObject({ headSha: head, conclusion: 'success' });
    expect((await lab.api('GET', '/pulls/1')).body).toMatchObject({ merge_commit_sha: merge, mergeable: true });
    expect((await lab.api('PATCH', '/git/refs/pull/1/head', { sha: base, force: true })).status).toBe(422);
  });

  it('starts no run while it conflicts with its base, and one when the conflict is resolved', async () => {
    const lab = stage();
    await lab.push({ ...ci, 'a.txt': 'one' });
    await lab.push({ 'a.txt': 'theirs' }, { branch: 'topic' });
    await lab.push({ 'a.txt': 'ours' });
    await lab.pullRequest('topic');
    await lab.actions.idle();
    expect(names(lab)).toEqual([]);
    expect((await lab.api('GET', '/pulls/1')).body).toMatchObject({ merge_commit_sha: null, mergeable: false });
    await lab.push({ 'a.txt': 'ours' }, { branch: 'topic' });
    await lab.actions.idle();
    expect(names(lab)).toEqual(['pull_request']);
  });
});

describe('check runs (docs: events, check_run)', () => {
  it('by an App start a workflow; check runs by Actions or a workflow token do not', async () => {
    const lab = stage();
    const sha = await lab.push(
      file(
        'w',
        `on: {check_run: {types: [created, requested_action]}, workflow_dispatch: {}}\njobs: {a: {${job('{run: "saw ${{ github.event.check_run.name }}"}')}}}`,
      ),
    );
    const asApp = posterAs(lab, 'installation');
    const asWorkflow = posterAs(lab, 'workflow');
    expect(await asWorkflow({ name: 'of a job', head_sha: sha })).toBe(201);
    await lab.dispatch('w.yml');
    await lab.actions.idle();
    expect(names(lab)).toEqual(['workflow_dispatch']);
    expect(await asApp({ name: 'ferrybot', head_sha: sha })).toBe(201);
    await lab.actions.idle();
    expect(names(lab)).toEqual(['workflow_dispatch', 'check_run']);
    expect(lab.ran.at(-1)?.what).toBe('saw ferrybot');
  });
});

describe('a dispatch (docs: events, workflow_dispatch; rest/actions/workflows)', () => {
  const declared = (inputs: string): Record<string, string> =>
    file(
      'w',
      `on: {workflow_dispatch: {inputs: ${inputs}}}\njobs: {a: {${job('{run: "got ${{ toJSON(inputs) }}"}')}}}`,
    );

  it('needs the workflow on the default branch, but uses the file and inputs of its ref', async () => {
    const lab = stage();
    await lab.push(declared('{a: {required: true}}'));
    await lab.push(declared('{b: {type: number, default: 3}}'), { branch: 'other' });
    await lab.push({ '.github/workflows/w.yml': null }, { branch: 'without' });
    await lab.push(file('new', `on: workflow_dispatch\njobs: {a: {${job('{run: x}')}}}`), { branch: 'other' });
    const ask = async (ref: string, inputs = {}, path = dispatches): Promise<string> => {
      const { status, body } = await lab.api('POST', path, { ref, inputs });
      return `${status} ${body === null ? '' : Object(body).message}`.trim();
    };
    expect(await ask('main')).toBe("422 Required input 'a' not provided");
    expect(await ask('other', { a: 'x' })).toBe('422 Unexpected inputs provided: ["a"]');
    expect(await ask('other')).toBe('204');
    expect(await ask('without')).toBe("422 Workflow does not have 'workflow_dispatch' trigger");
    expect(await ask('other', {}, '/actions/workflows/new.yml/dispatches')).toBe('404 Not Found');
    await lab.actions.idle();
    expect(lab.ran.map(({ what }) => what.replaceAll(/\s+/g, ' '))).toEqual(['got { "b": 3 }']);
  });

  it('accepts branches and tags, but no commit ids and no more inputs than the limit', async () => {
    const lab = stage();
    const sha = await lab.push(declared('{a: {}}'));
    await lab.store.updateRef({ ref: 'refs/tags/v1', sha });
    const status = async (ref: string, a = 'x'): Promise<number> =>
      (await lab.api('POST', dispatches, { ref, inputs: { a } })).status;
    expect(await status(sha)).toBe(422);
    expect(await status('main', 'x'.repeat(65_536))).toBe(422);
    expect([await status('v1'), await status('refs/heads/main')]).toEqual([204, 204]);
    await lab.actions.idle();
    expect(lab.runs().map(({ headBranch }) => headBranch)).toEqual(['v1', 'main']);
    expect(lab.world.state.runPlans[1]?.ref).toBe('refs/tags/v1');
  });

  it('by a workflow token starts a run, and so does repository_dispatch, but not an issue (docs: GITHUB_TOKEN)', async () => {
    const lab = stage();
    await lab.push(
      file(
        'w',
        `on: {workflow_dispatch: {}, repository_dispatch: {types: [go]}, issues: {}}\njobs: {a: {${job('{run: x}')}}}`,
      ),
    );
    const asJob = posterAs(lab, 'workflow', { contents: 'write', issues: 'write', actions: 'write' });
    expect(await asJob({ title: 'T' }, '/issues')).toBe(201);
    expect(names(lab)).toEqual([]);
    expect(await asJob({ ref: 'main' }, dispatches)).toBe(204);
    expect(await asJob({ event_type: 'go' }, '/dispatches')).toBe(204);
    await lab.actions.idle();
    expect(names(lab)).toEqual(['workflow_dispatch', 'repository_dispatch']);
  });
});

describe('only the default branch', () => {
  it('starts workflows for schedules, comments and other runs', async () => {
    const lab = stage();
    const waiting = `on: {schedule: [{cron: "*/10 * * * *"}], issue_comment: {}, workflow_run: {workflows: [First]}}\njobs: {a: {${job('{run: x}')}}}`;
    await lab.push(file('first', `name: First\non: workflow_dispatch\njobs: {a: {${job('{run: x}')}}}`));
    await lab.push(file('waiting', waiting), { branch: 'topic' });
    lab.actions.start();
    await lab.clock.advance(60 * 60_000);
    await lab.comment('T', '/status');
    await lab.dispatch('first.yml', {}, 'topic');
    await lab.actions.idle();
    expect(names(lab)).toEqual(['workflow_dispatch']);
    await lab.push(file('waiting', waiting));
    await lab.clock.advance(10 * 60_000);
    await lab.actions.idle();
    expect(names(lab)).toEqual(['workflow_dispatch', 'schedule']);
  });
});
