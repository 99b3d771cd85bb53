/**
 * GitHub's own command line, unmodified, with the playground over real HTTP: Debian's `gh` (2.23), which uses HTTPS for
 * every host but `github.localhost`, for which it uses HTTP_PROXY (cli/cli, internal/ghinstance/host.go). Runs real
 * programs for about 20 s.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintUserToken } from '../../identity/tokens.ts';
import { findUser, requireRow } from '../../world/lookup.ts';
import { type RealLab, startRealLab } from '../actions/real-lab.ts';

const isHere = execaSync('gh', ['--version'], { reject: false }).exitCode === 0;
const WORKFLOW = `name: CI
on: {workflow_dispatch: {inputs: {key: {required: true}}}, pull_request: {}}
run-name: "CI \${{ inputs.key }}"
jobs:
  test:
    runs-on: ubuntu-latest
    steps: [{run: echo hello}]
  slow:
    runs-on: ubuntu-latest
    if: inputs.key == 'slow'
    steps: [{run: sleep 60}]
`;

let lab: RealLab;
let folder = '';
const tokens: Record<string, string> = {};

beforeAll(async () => {
  if (!isHere) return;
  lab = await startRealLab();
  folder = await mkdtemp(join(tmpdir(), 'playground-gh-'));
  for (const login of ['mira', 'ada', 'sol'])
    tokens[login] = mintUserToken(lab.world, requireRow(findUser(lab.world, login), login).id);
  await lab.push({ 'a.txt': 'one\n', '.github/workflows/ci.yml': WORKFLOW });
  await lab.push({ 'a.txt': 'two\n' }, { branch: 'ferry', message: 'Second' });
});

afterAll(async () => {
  if (!isHere) return;
  expect(lab.world.state.unserved).toEqual([]);
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** The output lines of `gh`; a refusal is one text with its exit code. */
async function gh(
  login: string,
  ...args: readonly string[]
): Promise<{ code: number | undefined; out: string; err: string }> {
  const about = ['issue', 'pr', 'run', 'workflow'].includes(args[0] ?? '') ? ['-R', 'github.localhost/lab/model'] : [];
  const { exitCode, stdout, stderr } = await execa('gh', [...args, ...about], {
    cwd: folder,
    reject: false,
    timeout: 120_000,
    env: {
      HTTP_PROXY: lab.url,
      NO_PROXY: '',
      no_proxy: '',
      GH_HOST: 'github.localhost',
      GH_TOKEN: tokens[login] ?? '',
      GH_CONFIG_DIR: join(folder, 'config'),
      GH_PROMPT_DISABLED: '1',
      NO_COLOR: '1',
    },
  });
  return { code: exitCode, out: stdout, err: stderr };
}

/** The same for a command that must succeed. */
async function ghOutput(login: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await gh(login, ...args);
  expect({ args, code, err: code === 0 ? '' : err }).toEqual({ args, code: 0, err: '' });
  return out;
}

/** Waits in real time until a run reaches a state. */
async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 120_000, interval: 50 }).toBe(true);
}

const skipReason = 'there is no `gh` on the PATH';
describe.skipIf(!isHere)('gh', { meta: { skipReason } }, () => {
  it('logs in, pages through the API, and reports 401 and 404', async () => {
    expect((await gh('mira', 'auth', 'status')).out + (await gh('mira', 'auth', 'status')).err).toContain(
      'Logged in to github.localhost as mira',
    );
    expect(await ghOutput('mira', 'api', 'repos/lab/model', '--jq', '.full_name')).toBe('lab/model');
    const commits = await ghOutput(
      'mira',
      'api',
      '--paginate',
      'repos/lab/model/commits?sha=ferry&per_page=1',
      '--jq',
      '.[].commit.message',
    );
    expect(commits.split('\n')).toEqual(['Second', 'Change']);
    const query =
      'query($endCursor:String){repository(owner:"lab",name:"model"){refs(refPrefix:"refs/heads/",first:1,after:$endCursor){nodes{name} pageInfo{hasNextPage endCursor}}}}';
    const refs = await ghOutput(
      'mira',
      'api',
      'graphql',
      '--paginate',
      '-f',
      `query=${query}`,
      '--jq',
      '.data.repository.refs.nodes[].name',
    );
    expect(refs.split('\n')).toEqual(['ferry', 'main']);
    expect((await gh('nobody', 'api', 'user')).err).toContain('Requires authentication (HTTP 401)');
    tokens['wrong'] = 'ghp_wrong';
    expect(await gh('wrong', 'api', 'user')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Bad credentials (HTTP 401)'),
    });
    expect((await gh('mira', 'api', 'repos/lab/nothing')).err).toContain('Not Found (HTTP 404)');
  });

  it('opens an issue, comments, lists, shows and closes it', async () => {
    expect(await ghOutput('sol', 'issue', 'create', '-t', 'The loss is flat', '-b', 'See the chart.')).toMatch(
      /\/lab\/model\/issues\/1$/,
    );
    expect(await ghOutput('mira', 'issue', 'comment', '1', '-b', 'Looking.')).toMatch(/#issuecomment-\d+$/);
    expect(await ghOutput('mira', 'issue', 'list')).toMatch(/^1\tOPEN\tThe loss is flat/);
    expect(await ghOutput('mira', 'issue', 'list', '--author', 'ada')).toBe('');
    expect(await ghOutput('mira', 'issue', 'view', '1')).toMatch(
      /author:\tsol[\s\S]*comments:\t1[\s\S]*See the chart\./,
    );
    expect(await ghOutput('mira', 'issue', 'view', '1', '--comments')).toContain('Looking.');
    expect((await gh('ada', 'issue', 'view', '7')).err).toContain(
      'Could not resolve to an issue or pull request with the number of 7',
    );
    await ghOutput('mira', 'issue', 'close', '1', '-r', 'not planned');
    expect(JSON.parse(await ghOutput('mira', 'issue', 'view', '1', '--json', 'state,closed'))).toMatchObject({
      state: 'CLOSED',
      closed: true,
    });
    await ghOutput('mira', 'issue', 'reopen', '1');
    expect((await gh('sol', 'issue', 'create', '-t', 'x'.repeat(300), '-b', 'b')).err).toMatch(/title is too long/i);
  });

  it('lists the visible repositories of an account, by visibility and origin', async () => {
    expect(await ghOutput('mira', 'repo', 'list', 'lab')).toMatch(/^lab\/model\t[^\t]*\tpublic\t\d{4}-/);
    expect(await ghOutput('mira', 'repo', 'list', 'lab', '--fork')).toBe('');
    expect(await ghOutput('mira', 'repo', 'list', 'lab', '--visibility', 'private')).toBe('');
    expect(await ghOutput('mira', 'repo', 'list', 'lab', '--limit', '1', '--json', 'name,isArchived,isFork')).toBe(
      '[{"isArchived":false,"isFork":false,"name":"model"}]',
    );
    // These people own no repository.
    expect(await ghOutput('ada', 'repo', 'list')).toBe('');
    const { id } = lab.repo();
    lab.world.state.repos[id] = { ...lab.repo(), private: true };
    expect(await ghOutput('sol', 'repo', 'list', 'lab')).toBe('');
    expect(await ghOutput('mira', 'repo', 'list', 'lab')).toContain('private');
    lab.world.state.repos[id] = { ...lab.repo(), private: false };
    // For an unknown account `gh` prints nothing either.
    expect(await ghOutput('mira', 'repo', 'list', 'nobody')).toBe('');
  });

  it('opens a pull request, shows its diff and checks, reviews, comments and merges it', async () => {
    expect(await ghOutput('ada', 'pr', 'create', '-t', 'Sail', '-b', 'b', '-B', 'main', '-H', 'ferry')).toMatch(
      /\/lab\/model\/pull\/2$/,
    );
    expect(await ghOutput('mira', 'pr', 'list')).toMatch(/^2\tSail\tferry\tOPEN/);
    await until(() => lab.runs().some((run) => run.event === 'pull_request' && run.status === 'completed'));
    expect(await ghOutput('mira', 'pr', 'checks', '2')).toMatch(/^test\tpass\t[\s\S]*^slow\tskipping\t/m);
    expect(await ghOutput('mira', 'pr', 'diff', '2')).toContain('-one\n+two');
    const patch = await fetch(`${lab.url}/lab/model/pull/2.patch`);
    expect(await patch.text()).toMatch(/^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\nFrom: Ada <ada@example.org>/);
    expect(await ghOutput('mira', 'pr', 'diff', '2', '--patch')).toContain('Subject: [PATCH] Second');
    expect((await gh('ada', 'pr', 'review', '2', '--approve')).err).toContain('Can not approve your own pull request');
    await ghOutput('mira', 'pr', 'review', '2', '--approve', '-b', 'Good.');
    await ghOutput('sol', 'pr', 'comment', '2', '-b', 'Finally.');
    expect(await ghOutput('mira', 'pr', 'view', '2')).toMatch(/additions:\t1\ndeletions:\t1[\s\S]*b$/);
    expect(await ghOutput('mira', 'pr', 'view', '2', '--comments')).toMatch(
      /Good\.[\s\S]*Finally\.|Finally\.[\s\S]*Good\./,
    );
    expect((await gh('sol', 'pr', 'merge', '2', '--squash')).code).toBe(1);
    await ghOutput('mira', 'pr', 'merge', '2', '--squash');
    expect(JSON.parse(await ghOutput('mira', 'pr', 'view', '2', '--json', 'state,mergedBy'))).toMatchObject({
      state: 'MERGED',
      mergedBy: { login: 'mira' },
    });
  });

  it('refuses a merge while the base branch requires an approval', async () => {
    await lab.push({ 'b.txt': 'b\n' }, { branch: 'second' });
    await ghOutput('ada', 'pr', 'create', '-t', 'Guarded', '-b', 'b', '-B', 'main', '-H', 'second');
    const rule = { branch: 'main', pushUserIds: null, requiredApprovals: 1, requiredChecks: [] };
    const { id } = lab.repo();
    lab.world.state.repos[id] = { ...lab.repo(), protections: [rule] };
    expect((await gh('mira', 'pr', 'merge', '3', '--merge')).err).toContain(
      'the base branch policy prohibits the merge',
    );
    lab.world.state.repos[id] = { ...lab.repo(), protections: [] };
    await ghOutput('mira', 'pr', 'merge', '3', '--merge');
  });

  it('pins and unpins issues for people with write access, at most three', async () => {
    const numbers = [];
    for (const title of ['a', 'b', 'c', 'd']) {
      const made = await ghOutput('mira', 'issue', 'create', '-t', title, '-b', '');
      numbers.push(made.split('/').at(-1) ?? '');
    }
    const [first = '', ...rest] = numbers;
    expect((await gh('sol', 'issue', 'pin', first)).err).toContain('permission');
    for (const number of [first, ...rest.slice(0, 2)]) await ghOutput('ada', 'issue', 'pin', number);
    expect((await gh('ada', 'issue', 'pin', first)).err).toContain('is already pinned');
    expect((await gh('ada', 'issue', 'pin', rest.at(-1) ?? '')).err).toContain('Maximum 3 pinned issues');
    const query =
      '{repository(owner:"lab",name:"model"){pinnedIssues(first:5){totalCount nodes{issue{number} pinnedBy{login}}}}}';
    const pinned = await ghOutput(
      'sol',
      'api',
      'graphql',
      '-f',
      `query=${query}`,
      '--jq',
      '.data.repository.pinnedIssues',
    );
    expect(JSON.parse(pinned)).toEqual({
      totalCount: 3,
      nodes: numbers.slice(0, 3).map((number) => ({ issue: { number: Number(number) }, pinnedBy: { login: 'ada' } })),
    });
    await ghOutput('ada', 'issue', 'unpin', first);
    expect((await gh('ada', 'issue', 'unpin', first)).err).toContain('is not pinned');
    const events = await ghOutput('mira', 'api', `repos/lab/model/issues/${first}/timeline`, '--jq', '.[].event');
    expect(events.split('\n')).toEqual(['pinned', 'unpinned']);
    for (const number of numbers) await ghOutput('mira', 'issue', 'close', number);
  });

  it('starts a workflow, and lists, shows, watches, cancels and re-runs its runs', async () => {
    expect(await ghOutput('mira', 'workflow', 'list')).toMatch(/^CI\tactive\t1/);
    expect((await gh('mira', 'workflow', 'run', 'ci.yml')).err).toContain("Required input 'key' not provided");
    expect((await gh('sol', 'workflow', 'run', 'ci.yml', '-f', 'key=quick')).code).toBe(1);
    await ghOutput('mira', 'workflow', 'run', 'ci.yml', '-f', 'key=quick');
    const newest = (): number => lab.runs().at(-1)?.id ?? 0;
    const quick = `${newest()}`;
    await ghOutput('mira', 'run', 'watch', quick, '-i', '1');
    expect(await ghOutput('mira', 'run', 'list', '-w', 'CI')).toMatch(
      new RegExp(`^completed\\tsuccess\\tCI quick\\tCI\\tmain\\tworkflow_dispatch\\t${quick}\\t`),
    );
    expect(await ghOutput('mira', 'run', 'view', quick)).toMatch(
      /✓ main CI · \d+\nTriggered via workflow_dispatch[\s\S]*✓ test in/,
    );
    expect((await gh('mira', 'run', 'cancel', quick)).err).toContain('Cannot cancel a workflow run that is completed');
    await ghOutput('mira', 'run', 'rerun', quick);
    await until(() => lab.run(Number(quick)).runAttempt === 2 && lab.run(Number(quick)).status === 'completed');
    await ghOutput('mira', 'workflow', 'run', 'ci.yml', '-f', 'key=slow');
    const slow = newest();
    await until(() => lab.run(slow).status === 'in_progress');
    await ghOutput('mira', 'run', 'cancel', `${slow}`);
    await until(() => lab.run(slow).conclusion === 'cancelled');
  });
});
