/** semantic-release and release-please: both read the commits, choose a version and publish it, each in its own way. */

import { join } from 'node:path';
import { expectTrue, type Site } from './site.ts';

const PACKAGE = '{"name":"model","version":"0.0.0","private":true}\n';

export async function playSemanticRelease(site: Site, home: string): Promise<readonly string[]> {
  const { lab } = site;
  const plugins = ['@semantic-release/commit-analyzer', '@semantic-release/release-notes-generator'];
  const github = { githubUrl: lab.url, githubApiPathPrefix: '/api/v3', assets: ['a.txt'] };
  const config = {
    branches: ['main'],
    repositoryUrl: `${lab.url}/lab/model.git`,
    plugins: [...plugins, ['@semantic-release/github', github]],
  };
  await lab.push(
    { 'a.txt': 'one\n', 'package.json': PACKAGE, '.releaserc.json': JSON.stringify(config) },
    { message: 'feat: begin' },
  );
  await lab.push({ 'a.txt': 'two\n' }, { branch: 'ferry', message: 'fix: sail, closes #1' });
  await lab.api('POST', '/issues', { title: 'The loss is flat' });
  await lab.api('POST', '/pulls', { title: 'fix: sail', head: 'ferry', base: 'main', body: 'Closes #1' });
  await lab.api('PUT', '/pulls/2/merge', {});
  const cwd = await site.clone('mira');
  const program = join(home, 'node_modules/semantic-release/bin/semantic-release.js');
  const env = { GH_TOKEN: site.token('mira'), GIT_TERMINAL_PROMPT: '0' };
  const told = await site.run(process.execPath, [program, '--no-ci'], { cwd, env });
  const [release] = Object.values(lab.world.state.releases);
  expectTrue(release?.tag === 'v1.0.0' && !release.draft, `a release v1.0.0: ${told.slice(-600)}`);
  expectTrue(release?.assets.length === 1, 'with its file');
  expectTrue((await lab.store.refs('refs/tags/v1.0.0')).size === 1, 'its tag is pushed');
  const comments = Object.values(lab.world.state.comments);
  expectTrue(
    comments.some(({ issueNumber }) => issueNumber === 1),
    'the issue that it closes is told',
  );
  expectTrue(
    comments.some(({ issueNumber }) => issueNumber === 2),
    'the pull request is told',
  );
  return [
    'checked its rights',
    'pushed the tag by git',
    'released a draft with a file',
    'told issue and pull request',
    'labelled them',
  ];
}

export async function playReleasePlease(site: Site, home: string): Promise<readonly string[]> {
  const { lab } = site;
  await lab.push({ 'a.txt': 'one\n', 'version.txt': '0.1.0\n' }, { message: 'feat: begin' });
  const program = join(home, 'node_modules/release-please/build/src/bin/release-please.js');
  const please = (command: string): Promise<string> =>
    site.run(
      process.execPath,
      [
        program,
        command,
        '--repo-url=lab/model',
        `--token=${site.token('mira')}`,
        `--api-url=${lab.url}/api/v3`,
        `--graphql-url=${lab.url}/api`,
        '--release-type=simple',
        '--target-branch=main',
      ],
      {},
    );
  const told = await please('release-pr');
  const pull = Object.values(lab.world.state.issues).find((one) => one.pull !== null);
  expectTrue(
    pull?.labels.includes('autorelease: pending') === true,
    `a pull request for the release: ${told.slice(-600)}`,
  );
  await lab.api('PUT', `/pulls/${pull?.number}/merge`, { merge_method: 'squash' });
  const second = await please('github-release');
  const [release] = Object.values(lab.world.state.releases);
  expectTrue(release !== undefined, `a release: ${second.slice(-600)}`);
  const labels = Object.values(lab.world.state.issues).find((one) => one.pull !== null)?.labels ?? [];
  expectTrue(labels.includes('autorelease: tagged'), `the pull request is tagged: ${labels.join()}`);
  return [
    'read the history by GraphQL',
    'opened a pull request with its commit',
    'labelled it',
    'released after the merge',
    'commented',
  ];
}
