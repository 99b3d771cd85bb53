/** `gh`: what somebody does with it in a day. It speaks plain HTTP to `github.localhost` alone, through HTTP_PROXY. */

import { join } from 'node:path';
import { expectTrue, type Site, waitUntil } from './site.ts';

const WORKFLOW = `name: CI
on: [workflow_dispatch]
jobs:
  test: {runs-on: ubuntu-latest, steps: [{run: echo a line of the log}]}
`;

/** The commands that were played, in their order; each has ended with 0. */
export async function playGh(site: Site): Promise<readonly string[]> {
  const { lab } = site;
  await lab.push({ 'a.txt': 'one\n', 'README.md': '# A model\n', '.github/workflows/ci.yml': WORKFLOW });
  await lab.push({ 'a.txt': 'two\n' }, { branch: 'ferry' });
  await site.write('run.log', 'a line\n');
  const env = {
    HTTP_PROXY: lab.url,
    http_proxy: lab.url,
    GH_HOST: 'github.localhost',
    GH_TOKEN: site.token('mira'),
    GH_CONFIG_DIR: join(site.folder, 'config'),
    GH_PROMPT_DISABLED: '1',
  };
  const played: string[] = [];
  const gh = async (line: string, ...more: readonly string[]): Promise<string> => {
    const args = [...line.split(' '), ...more];
    const isList = line.startsWith('repo list');
    const place = args[0] === 'repo' && !isList ? 'github.localhost/lab/model' : null;
    const isHere = place !== null || isList || args[0] === 'api' || args[0] === 'search';
    const told = await site.run(
      'gh',
      [...args, ...(place !== null ? [place] : isHere ? [] : ['-R', 'github.localhost/lab/model'])],
      { env },
    );
    const name = args.slice(0, args[0] === 'api' ? 1 : 2).join(' ');
    if (!played.includes(name)) played.push(name);
    return told;
  };
  await playThreads(gh);
  await playPulls(gh);
  expectTrue((await gh('repo view')).includes('# A model'), 'gh shows the README');
  await gh('repo clone');
  expectTrue((await gh('repo list lab --source --visibility public')).includes('lab/model'), 'gh lists the repository');
  await gh('workflow run ci.yml');
  await waitUntil('the run ends', () => lab.runs().some((run) => run.status === 'completed'));
  expectTrue((await gh('run list')).includes('completed'), 'gh lists the run');
  const [run] = lab.runs();
  expectTrue((await gh(`run view ${run?.id} --log`)).includes('a line of the log'), 'gh shows the log');
  await gh('release create v1 --generate-notes', 'run.log');
  expectTrue((await gh('release list')).includes('v1'), 'gh lists the release');
  await gh('release download v1 -D downloaded');
  await gh('release delete v1 --yes');
  return played;
}

type Gh = (line: string, ...more: readonly string[]) => Promise<string>;

async function playThreads(gh: Gh): Promise<void> {
  await gh('label create night -c aabbcc');
  expectTrue((await gh('label list')).includes('night'), 'gh lists the label');
  await gh('api repos/lab/model/milestones -f title=Summer');
  await gh('issue create -t Flat -b body -l night -a mira -m Summer');
  await gh('issue edit 1 --title Flatter --add-assignee ada --remove-assignee mira --remove-label night -m Summer');
  const told = await gh('issue view 1');
  expectTrue(/title:\tFlatter[\s\S]*assignees:\tada[\s\S]*milestone:\tSummer/.test(told), 'gh changed the issue');
  expectTrue((await gh('issue list --search Flatter')).includes('Flatter'), 'gh finds the issue');
  await gh('issue pin 1');
  await gh('issue unpin 1');
  await gh('issue status');
  await gh('issue lock 1 -r resolved');
  await gh('search issues Flatter');
}

async function playPulls(gh: Gh): Promise<void> {
  await gh('pr create -t Sail -b b -B main -H ferry');
  expectTrue((await gh('pr status')).includes('Sail'), 'gh knows the pull request of this person');
  await gh('pr edit 2 --add-label night --add-reviewer ada --title Sailing');
  expectTrue((await gh('pr view 2')).includes('Sailing'), 'gh changed the pull request');
  await gh('pr list --search Sailing');
  await gh('pr close 2');
  await gh('pr reopen 2');
  await gh('pr merge 2 --squash');
}
